// The small games of examples: each is built as its README says, served, and played in Chromium.
import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "vite";
import { openPlayer } from "./browser.mjs";
import { ROOT, startProgram } from "./server.mjs";

const WEB = join(ROOT, "web");

/** Plays examples/minimal and examples/hockey. */
export async function testExamples(checks, browser, cleanups) {
  await withGame("minimal", checks, browser, cleanups, playMinimal);
  await withGame("hockey", checks, browser, cleanups, playHockey);
}

/** Builds core, types, page and server of an example, opens its page, and plays. */
async function withGame(name, checks, browser, cleanups, play) {
  const project = mkdtempSync(join(tmpdir(), "backstep-example-"));
  cleanups.add(() => rmSync(project, { recursive: true, force: true }));
  const go = (...parameters) => execFileSync("go", parameters, { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] });
  cpSync(join(ROOT, "examples", name, "web"), project, { recursive: true });
  writeFileSync(join(project, "game.d.ts"), go("run", `./examples/${name}/wasm`));
  mkdirSync(join(project, "public"));
  go("run", "./cmd/backstep", "wasm", "--no-sizes", "-o", join(project, "public/game.wasm"), `./examples/${name}/wasm`);
  const faults = typeErrors(project);
  checks.ok(faults === "", `${name}: the page type-checks`, faults);
  appendFileSync(join(project, "main.ts"), "\nObject.assign(window, { session });\n"); // for the checks
  const alias = { "@backstep/client": join(WEB, "client/dist/index.js") };
  await build({ root: project, base: "./", logLevel: "warn", resolve: { alias }, build: { target: "es2022", reportCompressedSize: false } });
  const program = join(ROOT, "build", `e2e-${name}`);
  go("build", "-o", program, `./examples/${name}/server`);
  const server = await startProgram(program, ["--addr", "127.0.0.1:0", "--quic", "127.0.0.1:0", "--web", join(project, "dist")], /serving http=(\S+)/);
  cleanups.add(server.stop);
  const player = await openPlayer(browser, name, 1);
  cleanups.add(() => player.browser.close());
  await player.page.goto(`http://${server.url}/?name=Ann`);
  await play(checks, player, server, cleanups);
  await player.page.screenshot({ path: join(ROOT, "test-artefacts", `${name}.png`) });
  checks.ok(player.errors.length === 0, `${name}: the page reported no errors`, player.errors.slice(0, 3).join(" | "));
  await player.browser.close();
  checks.ok((await server.stop()) === 0, `${name}: the server stopped cleanly`);
}

function typeErrors(project) {
  const options = ["--noEmit", "--strict", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler", "--types", ""];
  mkdirSync(join(project, "node_modules/@backstep"), { recursive: true });
  cpSync(join(WEB, "client"), join(project, "node_modules/@backstep/client"), { recursive: true, filter: (file) => !file.includes("node_modules") || !file.startsWith(join(WEB, "client", "node_modules")) });
  try {
    execFileSync(process.execPath, [join(WEB, "node_modules/typescript/bin/tsc"), ...options, "main.ts"], { cwd: project, encoding: "utf8" });
    return "";
  } catch (error) {
    return error.stdout;
  }
}

/** Ann walks: her dot moves up. */
async function playMinimal(checks, ann) {
  const top = () => ann.page.evaluate(() => parseFloat(document.querySelector("b")?.style.top ?? "NaN"));
  await checks.until("minimal: Ann is drawn", 30_000, async () => Number.isFinite(await top()));
  const from = await top();
  await ann.page.keyboard.down("KeyW");
  await checks.until("minimal: and walks ahead", 10_000, async () => (await top()) < from - 6);
  await ann.page.keyboard.up("KeyW");
}

/** Ann skates with two bots: she tires, and the bots, who shoot, freeze each other or her. */
async function playHockey(checks, ann, server, cleanups) {
  const program = join(ROOT, "build/e2e-hockey-bot");
  execFileSync("go", ["build", "-o", program, "./examples/hockey/bot"], { cwd: ROOT, stdio: "inherit" });
  for (let i = 0; i < 2; i++) {
    const bot = await startProgram(program, [`http://${server.url}`], /joined/);
    cleanups.add(bot.stop);
  }
  const game = () => ann.page.evaluate(() => {
    const { session } = window;
    if (!session?.self) return undefined;
    const players = session.remotes.map((r) => ({ ...r.fields, name: r.fields.name, it: r.fields.it, frozen: r.fields.frozen }));
    return { stamina: session.self.stamina, own: session.view.fields.name, players, pucks: session.roots.rink.pucks.length, corrections: session.stats.moves.corrections, door: session.bodies[0].translation.y };
  });
  await checks.until("hockey: Ann plays", 30_000, async () => (await game()) !== undefined);
  await checks.until("hockey: she and the bots have names, which are fields", 15_000, async () => {
    const g = await game();
    return g.own === "Ann" && g.players.length === 2 && g.players.every((p) => p.name === "Bot");
  });
  checks.ok((await game()).pucks === 1, "hockey: there is a puck");
  await ann.page.keyboard.down("ShiftLeft");
  await ann.page.keyboard.down("KeyW");
  await checks.until("hockey: sprinting tires", 10_000, async () => (await game()).stamina === 0);
  await ann.page.keyboard.up("KeyW");
  await ann.page.keyboard.up("ShiftLeft");
  await checks.until("hockey: the door opens for the bots", 20_000, async () => (await game()).door > 2);
  await checks.until("hockey: somebody is frozen, and it is seen", 30_000, async () => (await game()).players.some((p) => p.frozen === 1));
  const { corrections } = await game();
  checks.ok(corrections === 0, "hockey: without a correction", `${corrections}`);
}
