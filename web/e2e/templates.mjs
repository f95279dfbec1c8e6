// The games that backstep new writes: each in an empty folder, with the library as it is published, from a
// module proxy and packed npm packages; tested, served by backstep dev, and played in Chromium. With the
// first, everything that its README names is done.
import { execFile } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { openPlayer } from "./browser.mjs";
import { ARTEFACTS, ROOT, startProgram } from "./server.mjs";
import { testTouch } from "./touch.mjs";

const run = promisify(execFile);
const WEB = join(ROOT, "web");
const BACKSTEP = join(ROOT, "bin/backstep");
const VERSION = "v0.1.0";
const PLAY_TIME = 10_000; // milliseconds
const KINDS = ["third", "shooter", "topdown", "bodies"];
const SAVES = 5; // of which the median is printed
const PAUSE = 2000; // milliseconds between two saves: the types are written meanwhile

/** Writes, builds, tests and plays every template. */
export async function testTemplates(checks, browser, cleanups) {
  console.log("\nTemplates: backstep new, dev and check");
  const folder = mkdtempSync(join(tmpdir(), "backstep-new-"));
  cleanups.add(() => rmSync(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 200 }));
  const env = await publish(folder);
  const games = [];
  for (const kind of KINDS) games.push(await write(checks, folder, kind, env));
  for (const game of games) { // one after the other: drawn in software, several would starve each other
    await serve(checks, browser, cleanups, game);
    await play(checks, game);
    checks.ok(game.player.errors.length === 0, `${game.kind}: the page reported no errors`, game.player.errors.slice(0, 3).join(" | "));
    if (game === games[0]) await joinBot(checks, game);
    if (game === games.at(-1)) await goodbye(checks, game);
    await game.player.browser.close();
    if (game.kind === "shooter") await testTouch(checks, browser, cleanups, game.dev.url);
    if (game === games[0]) await edit(checks, browser, cleanups, game);
    await (game === games[1] ? kill(checks, game) : game.dev.stop());
  }
  await checkRules(checks, games[0]);
  await publishGame(checks, browser, cleanups, games[0]);
}

/** Puts the library where the go command and npm find published modules and packages. Returns the go
 * command's environment. */
async function publish(folder) {
  const go = async (...parameters) => (await run("go", parameters, { cwd: ROOT })).stdout.trim();
  const proxy = join(folder, "proxy");
  await go("run", "./internal/moduleproxy", "-version", VERSION, proxy);
  const [cache, ordinary] = (await go("env", "GOMODCACHE", "GOPROXY")).split("\n");
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@types"), { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  const packages = ["client", "three", "vite"];
  for (const name of packages) await run("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder], { cwd: join(WEB, name) });
  const archives = readdirSync(folder).filter((file) => file.endsWith(".tgz")).map((file) => `./${file}`);
  await run("npm", ["install", "--silent", "--offline", "--legacy-peer-deps", "--no-audit", "--no-fund", ...archives], { cwd: folder });
  mkdirSync(join(modules, "@types"), { recursive: true });
  for (const name of ["three", "@types/three", "vite", "typescript"]) symlinkSync(join(WEB, "node_modules", name), join(modules, name));
  mkdirSync(join(modules, ".bin"), { recursive: true });
  symlinkSync(join(WEB, "node_modules/vite/bin/vite.js"), join(modules, ".bin/vite"));
  return {
    GOPROXY: `file://${proxy},file://${join(cache, "cache/download")},${ordinary}`, GONOSUMDB: "github.com/backstep-net/backstep",
    GOMODCACHE: join(folder, "modules"), GOFLAGS: "-trimpath -modcacherw", BACKSTEP,
  };
}

/** Writes a game into an empty folder and tests it. */
async function write(checks, folder, kind, env) {
  const flags = kind === "third" ? [] : [`--${kind}`];
  await run(BACKSTEP, ["new", `example.com/${kind}`, "--library", VERSION, ...flags], { cwd: folder });
  const game = { kind, folder: join(folder, kind), env };
  symlinkSync(join(folder, "node_modules"), join(game.folder, "web/node_modules"));
  const go = (...parameters) => run("go", parameters, { cwd: game.folder, env: { ...process.env, ...env } });
  await go("mod", "tidy");
  const fault = await go("test", "-vet=off", "./...").then(() => "", (error) => error.stdout);
  checks.ok(fault === "", `${kind}: its tests pass`, fault);
  return game;
}

/** Runs backstep dev, and opens its page. */
async function serve(checks, browser, cleanups, game) {
  appendFileSync(join(game.folder, "web/main.ts"), "\nObject.assign(window, { session, controls });\n"); // for the checks
  game.dev = await startProgram(BACKSTEP, ["dev", "--port", "0"], /Local:\s+(http\S+)/, { cwd: game.folder, env: { ...game.env, NO_COLOR: "1" }, timeout: 120_000 });
  cleanups.add(game.dev.stop);
  const faults = await run(process.execPath, [join(WEB, "node_modules/typescript/bin/tsc"), "-p", "."], { cwd: join(game.folder, "web") }).then(() => "", (error) => error.stdout);
  checks.ok(faults === "", `${game.kind}: the page type-checks`, faults);
  game.player = await openPlayer(browser, game.kind);
  cleanups.add(() => game.player.browser.close());
  await game.player.page.goto(`${game.dev.url}?name=Ann`);
}

/** Ann walks for ten seconds beside the server's bot. */
async function play(checks, { kind, player }) {
  const { page } = player;
  const read = (of) => page.evaluate(of);
  const plays = () => read(() => window.session?.self !== undefined && window.session.remotes.length > 0);
  await checks.until(`${kind}: Ann plays, and sees the bot`, 60_000, plays);
  const place = () => read(() => [window.session.position.x, window.session.position.z]);
  const before = await place();
  await page.mouse.click(400, 200);
  if (kind !== "topdown") await checks.until(`${kind}: a click captures the mouse`, 10_000, () => read(() => document.pointerLockElement !== null));
  await page.mouse.down();
  await page.keyboard.down("KeyW");
  const end = performance.now() + PLAY_TIME;
  while (performance.now() < end) {
    if (kind === "shooter") await read(aim);
    await new Promise((done) => setTimeout(done, 50));
  }
  await page.keyboard.up("KeyW");
  await page.mouse.up();
  const after = await place();
  checks.ok(Math.hypot(after[0] - before[0], after[1] - before[1]) > 1, `${kind}: she walks`, `${before} to ${after}`);
  checks.ok((await read(() => window.session.view.fields.name)) === "Ann", `${kind}: she has a name, which is a field`);
  await player.printCorrections();
  const corrections = await read(() => window.mispredictions());
  checks.ok(corrections === 0, `${kind}: without a correction`, String(corrections));
  if (kind === "shooter") checks.ok((await read(() => window.session.stats.hits)) > 0, `${kind}: the bot is hit`);
  await page.screenshot({ path: join(ROOT, "test-artefacts", `new-${kind}.png`) });
}

/** Runs in the page: aims at the bot's chest. */
function aim() {
  const { session, controls } = window;
  const other = session.remotes[0];
  if (other === undefined) return;
  const [x, y, z] = ["x", "y", "z"].map((axis) => other.position[axis] - session.position[axis]);
  controls.yaw = Math.atan2(-x, -z);
  controls.pitch = Math.atan2(y - 0.5, Math.hypot(x, z));
}

/** A bot of a program of its own joins Ann's match. */
async function joinBot(checks, { kind, folder, env, dev, player }) {
  const bot = await startProgram("go", ["run", "./bot", dev.url], /joined as player (\d+)/, { cwd: folder, env, timeout: 120_000, group: true });
  await checks.until(`${kind}: go run ./bot joins`, 20_000, () => player.page.evaluate((id) => window.session.remotes.some((other) => other.id === id), Number(bot.url)));
  await bot.stop();
}

/** A change of the rules is in the page a few seconds after it is saved; one that does not compile is
 * shown, and the match goes on. */
async function edit(checks, browser, cleanups, { folder, dev }) {
  const { page, browser: editor, errors } = await openPlayer(browser, "editor", 1);
  cleanups.add(() => editor.close());
  await page.setViewportSize({ width: 160, height: 120 });
  const reloaded = () => page.evaluate(() => window.before === undefined && window.session?.self !== undefined).catch(() => false); // a page that loads
  const file = join(folder, "game/game.go");
  const source = readFileSync(file, "utf8");
  /** Writes a speed into the rules. Resolves to the seconds until the page plays with it. */
  const save = async (speed) => {
    await new Promise((done) => setTimeout(done, PAUSE));
    await page.evaluate(() => {
      window.before = true;
      window.requestAnimationFrame = () => 0; // as behind an editor: drawn in software, the page would take the time of the build
    });
    const began = performance.now();
    writeFileSync(file, source.replace("MaxSprintSpeed = 9", `MaxSprintSpeed = ${speed}`));
    await page.waitForFunction(() => window.before === undefined && window.session?.self !== undefined, undefined, { timeout: 60_000 });
    return (performance.now() - began) / 1000;
  };
  await page.goto(`${dev.url}?name=Ann`);
  await checks.until("the editor's page plays", 60_000, reloaded);
  const times = [];
  for (let i = 0; i < SAVES; i++) times.push(await save(`1${i}.${Date.now()}`)); // a new text, so that no cache has it
  checks.ok(times.length === SAVES, "a saved change is played");
  await checks.until("and reported", 20_000, () => reports(dev).length === SAVES);
  console.log(`  measured: ${median(times).toFixed(1)} s from saving to playing, the median of ${SAVES}: ${times.map((s) => s.toFixed(1)).join(" ")}; ${medians(reports(dev))}`);
  writeFileSync(file, source.replace("MaxSprintSpeed = 9", "MaxSprintSpeed = nine"));
  await checks.until("what does not compile is shown", 60_000, () => /undefined: nine/.test(dev.output()));
  checks.ok(await page.evaluate(() => window.session.self !== undefined), "and the match goes on");
  await save(9);
  // A page that asks while its server is exchanged is told 502 by the development server, and asks again.
  const others = errors.filter((e) => !/status of 502/.test(e));
  checks.ok(others.length === 0, "the editor's page reported no errors", others.slice(0, 3).join(" | "));
  await editor.close();
}

/** Returns what backstep dev has said of rebuilds: the parts and their times. */
function reports(dev) {
  return [...dev.output().matchAll(/backstep: game\/game\.go: (.* in all)/g)].map((found) => found[1]);
}

/** Returns the median of each part of the reports. */
function medians(reports) {
  const parts = new Map();
  for (const report of reports) {
    for (const [, part, time] of report.matchAll(/(\w+) ([\d.]+) s/g)) parts.set(part, [...(parts.get(part) ?? []), Number(time)]);
  }
  return [...parts].map(([part, times]) => `${part} ${median(times)} s`).join(", ");
}

/** Returns the middle of the values. */
function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** Kills backstep dev with a signal that it cannot handle: its server ends all the same. */
async function kill(checks, { kind, dev }) {
  const server = /serving http=(\S+)/.exec(dev.output())[1];
  const serves = () => fetch(`http://${server}/api/status`, { signal: AbortSignal.timeout(5000) }).then((reply) => reply.ok, () => false);
  checks.ok(await serves(), `${kind}: the match has a server`);
  process.kill(dev.pid, "SIGKILL");
  await checks.until(`${kind}: a killed backstep dev leaves no server`, 20_000, async () => !(await serves()));
}

/** Stops the server under a player: its page says so. */
async function goodbye(checks, { kind, dev, player }) {
  await dev.stop();
  const notice = player.page.locator(".backstep-notice");
  await checks.until(`${kind}: the page says that the connection is lost`, 20_000, async () => /^Connection lost.*Reconnecting/.test((await notice.allInnerTexts()).join()));
  await player.page.screenshot({ path: join(ARTEFACTS, "goodbye.png") });
}

/** Runs backstep check. */
async function checkRules(checks, { kind, folder, env }) {
  const said = await run(BACKSTEP, ["check"], { cwd: folder, env: { ...process.env, ...env } }).then(({ stdout }) => stdout, (error) => error.stderr);
  const fine = /^rules +ok.*\nrounding +ok.*\nbrowser +ok/.test(said);
  checks.ok(fine, `${kind}: backstep check finds nothing`, fine ? "" : said);
}

/** Builds a game as it is published, with go tool backstep, and plays it without Vite. */
async function publishGame(checks, browser, cleanups, { kind, folder, env }) {
  const environment = { ...env, BACKSTEP: "" };
  await run("npm", ["run", "build"], { cwd: join(folder, "web"), env: { ...process.env, ...environment } });
  const server = await startProgram("go", ["run", "./server", "-web", "web/dist", "-addr", "127.0.0.1:0", "-quic", "127.0.0.1:0"], /serving http=(\S+)/, { cwd: folder, env, timeout: 120_000, group: true });
  cleanups.add(server.stop);
  const { page, browser: opened } = await openPlayer(browser, kind);
  cleanups.add(() => opened.close());
  await page.goto(`http://${server.url}`);
  await checks.until(`${kind}: what npm run build built is played from its own server`, 60_000, () => page.evaluate(() => window.session?.self !== undefined));
  await opened.close();
  await server.stop();
}
