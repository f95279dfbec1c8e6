// A front door before a server of two matches: its page leads two players into one match each, and back to their seats
// when the server was killed and continues from its checkpoints. Start at testFront.
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { openPlayer } from "./browser.mjs";
import { ROOT, startProgram } from "./server.mjs";

const BACKSTEP = join(ROOT, "bin/backstep");
const FOLDER = join(ROOT, "build/e2e-front"); // of the checkpoints
const KEY = `${FOLDER}.key`;

/** Plays through a front door, over a crash of the server. */
export async function testFront(checks, browser, cleanups) {
  rmSync(FOLDER, { recursive: true, force: true });
  rmSync(KEY, { force: true });
  execFileSync(BACKSTEP, ["token", "key", KEY], { stdio: "ignore" });
  let server = await startMatches("127.0.0.1:0", "127.0.0.1:0");
  cleanups.add(() => server.stop());
  const front = await startProgram(BACKSTEP, ["front", "--addr", "127.0.0.1:0", "--server", server.url, "--seats", "1", "--token-key", KEY, "--web", "web/dist"], /msg="front door" http=(\S+)/);
  cleanups.add(front.stop);
  const players = [];
  for (const [name, match] of [["Ann", "arena"], ["Bob", "arena-2"]]) {
    const player = await openPlayer(browser, name);
    cleanups.add(() => player.browser.close());
    players.push(player);
    await player.join(`http://${front.url}`, "auto");
    await checks.until(`${name} plays`, 60_000, async () => (await player.self()).playing);
    await checks.until(`in the match ${match}`, 10_000, async () => (await seats(server))[match].includes(name));
  }
  const [ann, bob] = players;
  const before = await bob.self();
  await walk(bob);
  await checks.until("Bob has walked", 10_000, async () => distance(await bob.self(), before) > 1);
  await new Promise((resolve) => setTimeout(resolve, 1500)); // a checkpoint has him there
  const there = await bob.self();
  process.kill(server.pid, "SIGKILL");
  await checks.until("Bob notices that the server is gone", 30_000, async () => !(await bob.self()).playing);
  server = await startMatches(server.http, server.quic);
  for (const player of players) await checks.until(`${player.name} plays again`, 60_000, async () => (await player.self()).playing);
  const now = await seats(server);
  checks.ok(now.arena.join() === "Ann" && now["arena-2"].join() === "Bob", "each in the match from before", JSON.stringify(now));
  const back = await bob.self();
  checks.ok(back.id === there.id && distance(back, there) < 0.5, "and Bob where he was", `${JSON.stringify(there.position)}, then ${JSON.stringify(back.position)}`);
  await Promise.all([ann, bob].map((player) => player.browser.close()));
  await front.stop();
  checks.ok((await server.stop()) === 0, "the server stopped cleanly");
}

/** Starts the server of both matches, with its addresses in the result. */
async function startMatches(http, quic) {
  const server = await startProgram(BACKSTEP, [
    "serve", "--addr", http, "--quic", quic, "--matches", "2", "--bots", "0", "--level", "build/e2e.glb", "--token-key", KEY, "--checkpoint", FOLDER, "--origin", "127.0.0.1",
  ], /backstep: open (http:\/\/\S+)/);
  const named = (address) => new RegExp(`\\b${address}=(127\\.0\\.0\\.1:\\d+)`).exec(server.output())?.[1];
  return { ...server, http: named("http"), quic: named("quic"), admin: named("admin") };
}

/** Returns the names of the players of each match, from the admin port. */
async function seats(server) {
  const reply = await fetch(`http://${server.admin}/status`, { signal: AbortSignal.timeout(5000) });
  const { matches } = await reply.json();
  return Object.fromEntries(matches.map((match) => [match.name, match.players.map((player) => player.name)]));
}

async function walk(player) {
  await player.call("setInput", { forward: 1 });
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await player.call("setInput", {});
}

function distance(a, b) {
  return Math.hypot(...a.position.map((x, i) => x - b.position[i]));
}
