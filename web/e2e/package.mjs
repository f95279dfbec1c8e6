// The npm package as a user gets it: packed, installed into an empty project, built there with Vite,
// and played in two browsers on a game that is not the arena.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPlayer } from "./browser.mjs";
import { makeCore, makePage, makeProgram, typeErrors } from "./project.mjs";
import { ROOT, startProgram } from "./server.mjs";

const WEB = join(ROOT, "web");
const MAX_SCRIPTS = 40_000; // bytes

/** Packs, installs, builds and plays. */
export async function testPackage(checks, browser, cleanups) {
  const project = makeProject(cleanups);
  const dist = await buildPage(checks, project);
  const program = await makeProgram("./examples/jetpack/serve", "e2e-jetpack");
  const server = await startProgram(program, ["--addr", "127.0.0.1:0", "--quic", "127.0.0.1:0", "--web", dist], /serving http=(\S+)/);
  cleanups.add(server.stop);
  await play(checks, browser, cleanups, server);
  checks.ok((await server.stop()) === 0, "the server stopped cleanly");
}

function npm(folder, ...parameters) {
  return execFileSync("npm", [...parameters, "--silent", "--no-audit", "--no-fund"], { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

/** Packs a package of this folder and installs it into a project, without its peers. Returns the folder of
 * the installed package. */
export function install(project, name) {
  npm(join(WEB, name), "pack", "--pack-destination", project);
  const [archive] = readdirSync(project).filter((file) => file.startsWith(`backstep-${name}-`));
  npm(project, "install", "--offline", "--legacy-peer-deps", `./${archive}`);
  return join(project, "node_modules/@backstep", name);
}

/** Makes an empty project with the pages of this test in it. */
export function makeProject(cleanups) {
  const project = mkdtempSync(join(tmpdir(), "backstep-package-"));
  cleanups.add(() => rmSync(project, { recursive: true, force: true }));
  cpSync(join(WEB, "e2e/package"), project, { recursive: true });
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "game", private: true, type: "module" }));
  return project;
}

/** Builds the pages of a project with the packed package in it. Returns their folder. */
async function buildPage(checks, project) {
  const installed = install(project, "client");
  checks.ok(existsSync(join(installed, "dist/socket.worker.js")) && existsSync(join(installed, "README.md")), "the packed package has the worker and a README");
  checks.ok(!existsSync(join(installed, "src")) && readdirSync(join(project, "node_modules")).filter((name) => !name.startsWith(".")).join() === "@backstep", "and neither sources nor dependencies");
  await makeCore(project, "./examples/jetpack/wasm");
  writeReadmePage(installed, project);
  checkTypes(checks, project);
  await makePage(project, ["index.html", "readme.html"]);
  const scripts = readdirSync(join(project, "dist/assets")).filter((file) => file.endsWith(".js"));
  const bytes = scripts.reduce((sum, file) => sum + readFileSync(join(project, "dist/assets", file)).length, 0);
  checks.ok(scripts.some((file) => file.includes("worker")) && bytes < MAX_SCRIPTS, "the scripts with the worker are small", `${(bytes / 1000).toFixed(0)} kB`);
  return join(project, "dist");
}

/** Makes a page of the package's README: its first code, on the game of this test. more is for the checks.
 * Returns the code. */
export function writeReadmePage(installed, project, more = "") {
  const [, code] = /```ts\n(.*?)```/s.exec(readFileSync(join(installed, "README.md"), "utf8"));
  writeFileSync(join(project, "readme.ts"), code + more);
  writeFileSync(join(project, "readme.html"), readFileSync(join(project, "index.html"), "utf8").replace("main.ts", "readme.ts"));
  return code;
}

/** The page's types come from the game's Go fields and the package's declarations. */
function checkTypes(checks, project) {
  for (const file of ["main.ts", "readme.ts"]) {
    const fault = typeErrors(project, file);
    checks.ok(fault === "", `${file} type-checks`, fault);
  }
  writeFileSync(join(project, "wrong.ts"), readFileSync(join(project, "main.ts"), "utf8").replace("self.fuel", "self.petrol"));
  checks.ok(typeErrors(project, "wrong.ts").includes("petrol"), "and a field that the game does not have is a type error");
  rmSync(join(project, "wrong.ts"));
}

/** Reads a page's game. */
const read = (player, of) => player.page.evaluate(of);

async function play(checks, browser, cleanups, server) {
  const names = ["Ann", "Bob"];
  const players = await Promise.all(names.map((name) => openPlayer(browser, name, 1)));
  for (const player of players) cleanups.add(() => player.browser.close());
  const [ann, bob] = players;
  await ann.page.goto(`http://${server.url}/?name=Ann`);
  await bob.page.goto(`http://${server.url}/?name=Bob&transport=websocket`);
  for (const player of players) {
    await checks.until(`${player.name} plays`, 30_000, () => read(player, () => window.game?.session.playing === true));
  }
  const transports = await Promise.all(players.map((player) => read(player, () => window.game.session.link.transport)));
  checks.ok(transports.join() === "webtransport,websocket", "over WebTransport and WebSocket", transports.join());
  await fly(checks, ann, bob);
  await talk(checks, ann);
  await hide(checks, ann);
  await drop(checks, bob);
  await readme(checks, browser, cleanups, server, ann);
  for (const player of players) {
    checks.ok(player.errors.length === 0, `${player.name}'s page reported no errors`, player.errors.slice(0, 3).join(" | "));
    await player.browser.close();
  }
}

/** Ann flies; her own state, and Bob's view of her, are typed properties. */
async function fly(checks, ann, bob) {
  const state = (player) => read(player, () => {
    const { session, frames } = window.game;
    const { self, position, remotes, id, stats } = session;
    return { id, frames, fuel: self.fuel, y: position.y, z: position.z, remotes: remotes.map((r) => ({ id: r.id, y: r.position.y, z: r.position.z })), corrections: stats.moves.corrections };
  });
  const from = await state(ann);
  await read(ann, () => (window.game.input = { forward: 1, jet: true }));
  await checks.until("Ann flies ahead", 10_000, async () => (await state(ann)).y > 2 && (await state(ann)).z < from.z - 3);
  await checks.until("and Bob sees it", 20_000, async () => (await state(bob)).remotes.some((r) => r.id === from.id && r.y > 2));
  await read(ann, () => (window.game.input = { forward: 1 }));
  await ann.page.waitForTimeout(3000);
  const to = await state(ann);
  checks.ok(to.fuel < from.fuel - 0.5, "which takes fuel", `${from.fuel} to ${to.fuel} s`);
  checks.ok(to.corrections === 0 && to.frames > from.frames + 30, "without a correction", `${to.corrections} in ${to.frames} frames`);
  checks.ok((await ann.text("#state")).includes("fuel"), "and the page shows it", (await ann.text("#state")).replaceAll("\n", " | "));
  await read(ann, () => (window.game.input = {}));
}

/** A message to the game comes back as an event. */
async function talk(checks, ann) {
  checks.ok(await read(ann, () => window.game.session.tell("hello")), "a message can be sent");
  await checks.until("and the answer is an event", 20_000, () => read(ann, () => window.game.events.some((e) => e.kind === "message" && String.fromCharCode(...e.bytes) === "hello")));
}

/** In a hidden tab the match goes on, and its events wait for the page. */
async function hide(checks, ann) {
  const setHidden = (hidden) => ann.page.evaluate((hidden) => {
    Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
    window.game.input = hidden ? undefined : {};
  }, hidden);
  await setHidden(true);
  const before = await read(ann, () => window.game.session.view.now);
  const from = await read(ann, () => window.game.session.stats.moves.made);
  await read(ann, () => window.game.session.tell("while hidden"));
  await checks.until("a hidden tab goes on", 20_000, () => ann.page.evaluate((before) => window.game.session.view.now > before + 1, before));
  const { made, timeouts } = await read(ann, () => ({ made: window.game.session.stats.moves.made, timeouts: window.game.session.stats.moves.timeouts }));
  checks.ok(made > from + 5, "and makes moves", `${made - from}, with ${timeouts} timeouts`); // how many depends on the machine
  await setHidden(false);
  await checks.until("and its events come when it is shown", 20_000, () => read(ann, () => window.game.events.some((e) => e.kind === "message" && new TextDecoder().decode(e.bytes) === "while hidden")));
}

/** A lost connection, and a failed core, come back with the same number. */
async function drop(checks, bob) {
  const id = await read(bob, () => window.game.session.id);
  await read(bob, () => window.game.session.dropConnection());
  await checks.until("a lost connection is noticed", 20_000, () => read(bob, () => window.game.links.includes("lost")));
  const back = () => bob.page.evaluate((id) => window.game.session.playing && window.game.session.id === id && window.game.session.self !== undefined, id);
  await checks.until("and Bob comes back with the same number", 10_000, back);
  await read(bob, () => window.game.session.close());
  checks.ok((await read(bob, () => window.game.session.link.status)) === "ended", "close ends the session");
}

/** The page of the README joins, draws and walks. */
async function readme(checks, browser, cleanups, server, ann) {
  const cid = await openPlayer(browser, "Cid", 1);
  cleanups.add(() => cid.browser.close());
  await cid.page.goto(`http://${server.url}/readme.html`);
  const others = () => read(ann, () => window.game.session.remotes.map((r) => ({ id: r.id, z: r.position.z })));
  const before = (await others()).map((r) => r.id);
  const find = async () => (await others()).find((r) => !before.includes(r.id));
  const joined = await checks.until("the page of the README joins", 20_000, find);
  await cid.page.keyboard.down("KeyW");
  await checks.until("and its player walks", 20_000, async () => (await find())?.z < joined.z - 1);
  await cid.page.keyboard.up("KeyW");
  checks.ok((await cid.screenshot("package-readme.png")) > 0.1, "it draws");
  checks.ok(cid.errors.length === 0, "without an error", cid.errors.slice(0, 3).join(" | "));
  await cid.browser.close();
}
