// @backstep/three as a user gets it: packed, installed beside three.js into an empty project, and the page of
// its README built and played there by two browsers, on a game with walls, a door and a puck.
import { mkdirSync, readFileSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { openPlayer } from "./browser.mjs";
import { install, makeProject, writeReadmePage } from "./package.mjs";
import { makeCore, makePage, makeProgram, typeErrors } from "./project.mjs";
import { ROOT, startProgram } from "./server.mjs";

const MODULES = join(ROOT, "web/node_modules");
const MAX_LINES = 25; // of the README's page
const MAX_CALLS = 60; // of a frame with two players
const MAX_TRIANGLES = 40_000;

/** Packs, installs, builds and plays. */
export async function testThree(checks, browser, cleanups) {
  console.log("\nPackage three: the page of its README");
  const project = makeProject(cleanups);
  await buildPage(checks, project);
  const program = await makeProgram("./examples/hockey/server", "e2e-hockey");
  const server = await startProgram(program, ["--addr", "127.0.0.1:0", "--quic", "127.0.0.1:0", "--web", join(project, "dist")], /serving http=(\S+)/);
  cleanups.add(server.stop);
  const players = await Promise.all(["Ann", "Bob"].map((name) => openPlayer(browser, name)));
  for (const player of players) {
    cleanups.add(() => player.browser.close());
    await player.page.goto(`http://${server.url}/readme.html`);
  }
  for (const player of players) await checks.until(`${player.name} plays`, 60_000, () => player.page.evaluate(() => window.session?.self !== undefined));
  await play(checks, ...players);
  for (const player of players) {
    checks.ok(player.errors.length === 0, `${player.name}'s page reported no errors`, player.errors.slice(0, 3).join(" | "));
    await player.browser.close();
  }
  checks.ok((await server.stop()) === 0, "the server stopped cleanly");
}

/** Makes a project with both packages and three.js, and builds the page. */
async function buildPage(checks, project) {
  install(project, "client");
  const installed = install(project, "three");
  mkdirSync(join(project, "node_modules/@types"));
  for (const name of ["three", "@types/three"]) symlinkSync(join(MODULES, name), join(project, "node_modules", name));
  await makeCore(project, "./examples/hockey/wasm");
  const code = writeReadmePage(installed, project, "\nObject.assign(window, { session, stage, controls });\n");
  const lines = code.trim().split("\n").length;
  checks.ok(lines <= MAX_LINES, `the page is short`, `${lines} lines`);
  const faults = typeErrors(project, "readme.ts");
  checks.ok(faults === "", "readme.ts type-checks", faults);
  await makePage(project, ["readme.html"]);
  const assets = join(project, "dist/assets");
  const bytes = readdirSync(assets).filter((file) => file.endsWith(".js")).reduce((sum, file) => sum + readFileSync(join(assets, file)).length, 0);
  console.log(`  measured: ${(bytes / 1000).toFixed(0)} kB of scripts, three.js among them`);
}

async function play(checks, ann, bob) {
  await seeLevel(checks, ann);
  await seeOther(checks, ann);
  await walk(checks, ann, bob);
  await overlays(checks, ann);
  const deviation = await ann.screenshot("three.png");
  checks.ok(deviation > 15, "the picture is not blank", `brightness varies by ${deviation.toFixed(0)} of 255`);
  const { calls, triangles, fps } = await ann.page.evaluate(() => ({ ...window.stage.renderer.info.render, fps: window.stage.fps }));
  checks.ok(calls <= MAX_CALLS && triangles <= MAX_TRIANGLES, "a frame is cheap", `${calls} draw calls, ${triangles} triangles`);
  console.log(`  measured: ${fps.toFixed(1)} fps, every fourth frame, software rendering`);
}

/** The walls and the door of the core are in the scene. */
async function seeLevel(checks, ann) {
  const level = await ann.page.evaluate(() => {
    const { session, stage } = window;
    const upright = (all) => {
      let count = 0;
      for (let i = 0; i < all.length; i += 11) {
        const [a, b, c] = [0, 3, 6].map((k) => all.slice(i + k, i + k + 3));
        const [u, v] = [b, c].map((p) => p.map((x, axis) => x - a[axis]));
        if (Math.abs(u[2] * v[0] - u[0] * v[2]) < 1e-6) count++;
      }
      return count;
    };
    let drawn = 0;
    stage.scene.traverse((o) => { if (o.isMesh && o.geometry.attributes.uv && o.material.vertexColors) drawn += o.geometry.attributes.position.count / 3; });
    const { y } = session.movers[0].translation;
    let door;
    stage.scene.traverse((o) => { if (o.isGroup && o.position.y === y && o.children[0]?.isMesh && o.position.x === 0) door ??= o.position.y; });
    return { walls: upright(session.triangles(0)), all: session.triangles(0).length / 11, door: session.triangles(1).length / 11, drawn, y, doorY: door };
  });
  checks.ok(level.walls >= 50, "the core hands over the triangles of walls", `${level.walls} of ${level.all}`);
  checks.ok(level.door === 12 && level.doorY === level.y, "and those of the door, which is where the core has it", JSON.stringify(level));
  checks.ok(level.drawn >= level.all, "and all are in the scene");
}

/** Bob's figure is where Bob is, and makes pixels there. */
async function seeOther(checks, ann) {
  const bob = await ann.page.evaluate(() => window.session.remotes[0]?.id);
  await checks.until("Ann sees Bob's figure", 10_000, () => ann.page.evaluate((bob) => window.stage.figure(bob) !== undefined, bob));
  const seen = await ann.page.evaluate((bob) => {
    const { session, stage } = window;
    const { scene, camera, renderer, canvas } = stage;
    const figure = stage.figure(bob);
    const { x, y, z } = session.remotes[0].position;
    const off = Math.hypot(figure.position.x - x, figure.position.y - y, figure.position.z - z);
    camera.position.set(x, y + 1.5, z - 3 * Math.sign(z)); // from the middle of the rink
    camera.lookAt(x, y + 0.9, z);
    camera.updateMatrixWorld();
    const on = figure.position.clone().setY(y + 0.9).project(camera);
    const gl = renderer.getContext();
    const pixel = () => {
      renderer.render(scene, camera);
      const into = new Uint8Array(4);
      gl.readPixels(Math.round(((on.x + 1) / 2) * canvas.width), Math.round(((on.y + 1) / 2) * canvas.height), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, into);
      return [...into].slice(0, 3);
    };
    const withFigure = pixel();
    figure.visible = false;
    const without = pixel();
    figure.visible = true;
    return { off, x: on.x, y: on.y, withFigure, without, differ: withFigure.reduce((sum, v, i) => sum + Math.abs(v - without[i]), 0) };
  }, bob);
  checks.ok(seen.off < 1e-6, "at the position of the remote", `${seen.off} m off`);
  checks.ok(Math.abs(seen.x) < 1 && Math.abs(seen.y) < 1 && seen.differ > 30, "and it is seen there", JSON.stringify(seen));
}

/** Bob walks by the keyboard; his camera stays behind him, and Ann sees his figure move. */
async function walk(checks, ann, bob) {
  const at = () => ann.page.evaluate(() => ({ ...window.stage.figure(window.session.remotes[0].id).position }));
  const from = await at();
  await bob.page.keyboard.down("KeyS");
  await checks.until("Bob walks, and his figure moves on Ann's page", 10_000, async () => (await at()).z > from.z + 1.5);
  await bob.page.keyboard.up("KeyS");
  const behind = await bob.page.evaluate(() => {
    const { camera } = window.stage;
    const { x, y, z } = window.session.eye;
    return Math.hypot(camera.position.x - x, camera.position.y - y, camera.position.z - z);
  });
  checks.ok(behind > 0.2 && behind < 4.6, "his camera is behind him, and before the wall", `${behind.toFixed(2)} m from his eye`);
}

/** The keys of the debug overlays. */
async function overlays(checks, ann) {
  for (const key of ["F3", "F4"]) await ann.page.keyboard.press(key);
  await checks.until("F3 shows the figures of the network, F4 how others are drawn", 10_000, async () =>
    (await ann.text(".backstep-net")).includes("RTT") && (await ann.text(".backstep-debug")).includes("ghost"));
  await ann.screenshot("three-overlays.png");
  for (const key of ["F3", "F4"]) await ann.page.keyboard.press(key);
  checks.ok(!(await ann.page.isVisible(".backstep-net")) && !(await ann.page.isVisible(".backstep-debug")), "and again hide them");
}
