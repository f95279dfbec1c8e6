// The browser test: a server, two browsers, one match by WebTransport and one by
// WebSocket. Run it by `npm run e2e`; CHROMIUM names a browser to use, arguments
// name the parts to run: webtransport, websocket, fallback, machines, hands,
// line, pitch, weapons, replay.
import { Checks } from "./checks.mjs";
import { findBrowser, openPlayer, SIZE } from "./browser.mjs";
import { useHands } from "./hands.mjs";
import { readLine } from "./line.mjs";
import { fallBack, feelLag, playByHand, playMatch } from "./match.mjs";
import { rideLift } from "./machines.mjs";
import { playFootball } from "./pitch.mjs";
import { watchDamaged, watchReplay } from "./replay.mjs";
import { useWeapons } from "./weapons.mjs";
import { cut, MACHINES, PITCH, prepare, recordMatch, startReplay, startServer } from "./server.mjs";

const WHOLE_TIMEOUT = 9 * 60_000;

const browser = findBrowser();
if (browser === undefined) {
  console.log("*** NOT RUN: the browser test found no Chromium or Chrome.");
  console.log("*** Install one (apt-get install chromium) or name one in CHROMIUM.");
  process.exit(0);
}

const checks = new Checks();
const open = new Set();

/** Ends whatever this test has started, and nothing else. */
async function closeAll() {
  const all = [...open];
  open.clear();
  await Promise.allSettled(all.map((close) => close()));
}

const watchdog = setTimeout(() => {
  console.log(`e2e: not done within ${WHOLE_TIMEOUT / 60_000} minutes`);
  checks.failed++;
  void closeAll().finally(() => finish());
}, WHOLE_TIMEOUT);

async function scenario(transport) {
  console.log(`\n${transport}, two pages of ${SIZE.width}×${SIZE.height}`);
  const server = await startServer();
  open.add(server.stop);
  const players = await Promise.all(["Ann", "Bob"].map((name) => openPlayer(browser, name)));
  for (const player of players) open.add(() => player.browser.close());
  const [ann, bob] = players;
  try {
    await playMatch(checks, server, ann, bob, transport);
    await feelLag(checks, ann);
    await report(ann, transport);
    if (transport === "webtransport") await playByHand(checks, server, ann, bob);
    for (const player of players) {
      const bad = player.errors.filter((text) => !text.includes("the core stopped"));
      checks.ok(bad.length === 0, `${player.name}'s page reported no error`, bad.slice(0, 3).join(" | "));
    }
  } catch (error) {
    checks.ok(false, "the match was played to its end", error.message);
    console.log(server.output());
  }
  await Promise.all(players.map((player) => player.browser.close()));
  checks.ok((await server.stop()) === 0, "the server stopped when asked");
  open.clear();
}

/** A page that cannot reach WebTransport plays by WebSocket, by itself, and says
 * so. */
async function fallback() {
  console.log("\nWebTransport out of reach");
  await alone(undefined, "the fallback was", fallBack);
}

/** Dash, lift and watching over a line of 150 ms. */
async function machines() {
  console.log("\nMachines, over a round trip of 150 ms");
  await alone(MACHINES, "the machines were", rideLift);
}

/** Bindings and a gamepad. */
async function hands() {
  console.log("\nHands: bindings and a gamepad");
  await alone(undefined, "the hands were", useHands);
}

/** Corrections, high ping, held moves. */
async function line() {
  console.log("\nThe line: corrections, a high ping, moves held back");
  await alone(undefined, "the line was", readLine);
}

/** The football, over a line of 100 ms. */
async function pitch() {
  console.log("\nThe pitch, over a round trip of 100 ms");
  await alone(PITCH, "football was", playFootball);
}

/** Every weapon at another page's player, and how the shots were judged. */
async function weapons() {
  console.log("\nWeapons, over a round trip of 80 ms");
  const server = await startServer();
  open.add(server.stop);
  const bob = await openPlayer(browser, "Bob");
  open.add(() => bob.browser.close());
  await alone(undefined, "the weapons were", (checks, server, ann) => useWeapons(checks, server, ann, bob), server);
  await bob.browser.close();
}

/** A recording of bots, looked at. */
async function replay() {
  console.log("\nA recording");
  const file = await recordMatch(6, 20_000);
  await alone(undefined, "the recording was", watchReplay, await startReplay(file));
  await alone(undefined, "the damaged recording was", watchDamaged, await startReplay(cut(file, 0.6)));
}

/** One player on a server. */
async function alone(level, what, tell, running) {
  const server = running ?? (await startServer(level));
  open.add(server.stop);
  const ann = await openPlayer(browser, "Ann");
  open.add(() => ann.browser.close());
  try {
    await tell(checks, server, ann);
  } catch (error) {
    checks.ok(false, `${what} tried to their end`, error.message);
    console.log(server.output());
  }
  await ann.browser.close();
  checks.ok((await server.stop()) === 0, "the server stopped when asked");
  open.clear();
}

/** Figures; they are reported, not judged. */
async function report(ann, transport) {
  const fps = await ann.call("measureFPS", 5000);
  const self = await ann.self();
  const { losses } = await ann.call("troubles");
  console.log(`  figure: ${fps.toFixed(1)} pictures a second at ${SIZE.width}×${SIZE.height} in software, by ${transport}`);
  console.log(`  figure: round trip ${(self.rtt * 1000).toFixed(1)} ms, ${self.corrections} corrections, ` +
    `connection lost ${losses} times, ${self.confirmed} shots judged as seen, ${self.contradicted} otherwise`);
}

function finish() {
  clearTimeout(watchdog);
  console.log(`\n${checks.passed} passed, ${checks.failed} failed`);
  process.exit(checks.failed === 0 ? 0 : 1);
}

try {
  prepare();
  const parts = { webtransport: () => scenario("webtransport"), websocket: () => scenario("websocket"), fallback, machines, hands, line, pitch, weapons, replay };
  const wanted = process.argv.slice(2);
  for (const [name, part] of Object.entries(parts)) if (wanted.length === 0 || wanted.includes(name)) await part();
} catch (error) {
  checks.ok(false, "the test could be run", error.message);
}
await closeAll();
finish();
