// The games of examples: each folder that has web/ is built as its README says, served, and played in
// Chromium. What is done in a game, and what must then be true, is page.test.mjs in the example's
// folder:
//
//   export const bots = 2;                         // programs of ./bot that join before the page; 0 if left out
//   export const size = { width: 800, height: 500 }; // of the page, at most 900 px wide
//   export const nth = 2;                          // the page draws every nth frame
//   export async function play({ checks, page, read, hold, until, picture }) { … }
//
// read(f) runs f in the page, where window.session is the game's session; hold(keys, f) holds keys
// down while f runs; until(what, seconds, f) polls f in the page and is a check; picture() takes the
// picture of the README, which is otherwise taken at the end.
import { appendFileSync, cpSync, existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPlayer } from "./browser.mjs";
import { compile, makeCore, makePage, makeProgram, typeErrors } from "./project.mjs";
import { ARTEFACTS, ROOT, startProgram } from "./server.mjs";

const AT_ONCE = 2; // games, built or played
const SIZE = { width: 800, height: 500 };
const PATIENCE = 3; // how much longer a busy machine may take than a test's seconds say

/** Returns the names of the examples that have a page, except the arena, which is web itself. */
export function exampleNames() {
  return readdirSync(join(ROOT, "examples")).filter((name) => existsSync(join(ROOT, "examples", name, "web"))).sort();
}

/** Builds all examples or those named, and plays them beside each other. */
export async function testExamples(checks, browser, cleanups, names = exampleNames()) {
  const began = Date.now();
  const has = (folder) => names.filter((name) => existsSync(join(ROOT, "examples", name, folder))).map((name) => `./examples/${name}/${folder}`);
  await compile(has("wasm"), [...has("server"), ...has("bot")]);
  console.log(`  compiled in ${((Date.now() - began) / 1000).toFixed(1)} s`);
  const waiting = [...names];
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await test(name, checks, browser, cleanups);
  }));
  console.log(`  ${names.length} examples in ${((Date.now() - began) / 1000).toFixed(1)} s`);
}

/** Builds and plays one example. An error is a failed check of it, and the others go on. */
async function test(name, allChecks, browser, cleanups) {
  const checks = {
    ok: (passed, what, detail) => allChecks.ok(passed, `${name}: ${what}`, detail),
    until: (what, ms, poll) => allChecks.until(`${name}: ${what}`, ms, poll),
  };
  try {
    await playExample(name, checks, browser, cleanups);
  } catch (error) {
    checks.ok(false, "the example was played", error.message);
  }
}

async function playExample(name, checks, browser, cleanups) {
  const game = await import(join(ROOT, "examples", name, "page.test.mjs"));
  const dist = await makeProject(name, checks, cleanups);
  const server = await start(name, "server", cleanups, ["--addr", "127.0.0.1:0", "--quic", "127.0.0.1:0", "--web", dist], /serving http=(\S+)/);
  for (let i = 0; i < (game.bots ?? 0); i++) await start(name, "bot", cleanups, [`http://${server.url}`], /joined/);
  const player = await openPlayer(browser, name, game.nth ?? 1);
  cleanups.add(() => player.browser.close());
  await player.page.setViewportSize(game.size ?? SIZE);
  await player.page.goto(`http://${server.url}/?name=Ann`);
  const tools = makeTools(name, checks, player);
  await tools.until("Ann plays", 90, () => window.session?.self !== undefined);
  await game.play(tools);
  await player.printCorrections();
  await tools.end();
  checks.ok(player.errors.length === 0, "the page reported no errors", player.errors.slice(0, 3).join(" | "));
  await player.browser.close();
  checks.ok((await server.stop()) === 0, "the server stopped cleanly");
}

/** Copies an example's page beside the npm packages, type-checks and builds it. Resolves to the folder to serve. */
async function makeProject(name, checks, cleanups) {
  const project = mkdtempSync(join(tmpdir(), "backstep-example-"));
  cleanups.add(() => rmSync(project, { recursive: true, force: true }));
  cpSync(join(ROOT, "examples", name, "web"), project, { recursive: true, filter: (file) => !/\/(node_modules|dist|public)$/.test(file) });
  symlinkSync(join(ROOT, "web/node_modules"), join(project, "node_modules"));
  await makeCore(project, `./examples/${name}/wasm`);
  const faults = typeErrors(project, "main.ts");
  checks.ok(faults === "", "the page type-checks", faults);
  appendFileSync(join(project, "main.ts"), "\nObject.assign(window, { session });\n"); // for the checks
  return makePage(project);
}

/** Builds and starts a program of an example. */
async function start(name, folder, cleanups, flags, pattern) {
  const file = await makeProgram(`./examples/${name}/${folder}`, `e2e-${name}-${folder}`);
  const running = await startProgram(file, flags, pattern);
  cleanups.add(running.stop);
  return running;
}

/** Returns what an example's play is called with. */
function makeTools(name, checks, player) {
  const { page } = player;
  let taken = false;
  const picture = async () => {
    taken = true;
    await page.screenshot({ path: join(ARTEFACTS, `${name}.png`) });
  };
  const hold = async (keys, during) => {
    for (const key of keys) await page.keyboard.down(key);
    await during();
    for (const key of keys) await page.keyboard.up(key);
  };
  const read = (f, argument) => page.evaluate(f, argument);
  const until = (what, seconds, f, argument) => checks.until(what, 1000 * seconds * PATIENCE, () => read(f, argument));
  return { checks, page, read, until, hold, picture, end: async () => { if (!taken) await picture(); } };
}
