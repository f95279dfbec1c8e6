// Starts servers on free ports.
import { spawn, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { keepSpawn } from "./level.mjs";

/** The root of the repository. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Folder of the screenshots. */
export const ARTEFACTS = join(ROOT, "test-artefacts");

const START_TIMEOUT = 20_000;

/** Builds the server and the test levels. */
export function prepare() {
  if (!existsSync(join(ROOT, "web/dist/index.html"))) throw new Error("e2e: no web/dist: run make web first");
  mkdirSync(ARTEFACTS, { recursive: true });
  mkdirSync(join(ROOT, "build"), { recursive: true });
  execFileSync("go", ["build", "-o", "bin/backstep", "./cmd/backstep"], { cwd: ROOT, stdio: "inherit" });
  keepSpawn(join(ROOT, "examples/arena/assets/arena.glb"), join(ROOT, "build/e2e.glb"), "course");
  keepSpawn(join(ROOT, "examples/arena/assets/arena.glb"), join(ROOT, LIFT_LEVEL), "course", BESIDE_LIFT);
  keepSpawn(join(ROOT, "examples/arena/assets/arena.glb"), join(ROOT, FOOTBALL_LEVEL), "course", BEHIND_BALL);
}

/** A level that spawns players 4 m south of red's lift. */
export const LIFT_LEVEL = "build/e2e-lift.glb";
const BESIDE_LIFT = [-17 + 31, 0, 9.5 - 24];

/** A level that spawns players 3 m behind the football, opposite blue's goal. */
export const FOOTBALL_LEVEL = "build/e2e-football.glb";
const BEHIND_BALL = [31.7 + 31, 0, 28.5 - 24];

/** Starts a server without bots; resolves when it has printed its address. */
export async function startServer(level = "build/e2e.glb", ...flags) {
  const child = await start("serve", "--addr", "127.0.0.1:0", "--quic", "127.0.0.1:0", "--web", "web/dist", "--bots", "0", "--level", level, ...flags);
  return { ...child, players: () => players(child.output()) };
}

/** Records a match of bots; resolves to the file. */
export async function recordMatch(bots, milliseconds) {
  const folder = join(ROOT, "build/e2e-recordings");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const server = await start("serve", "--addr", "127.0.0.1:0", "--quic", "127.0.0.1:0", "--bots", String(bots), "--record", folder);
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  const code = await server.stop();
  const files = readdirSync(folder);
  if (code !== 0 || files.length !== 1) throw new Error(`e2e: the server ended with ${code} and left ${files.length} recordings:\n${server.output()}`);
  return join(folder, files[0]);
}

/** Writes the first share of a recording to a file beside it; returns that file. */
export function truncate(file, share) {
  const whole = readFileSync(file);
  writeFileSync(`${file}.cut`, whole.subarray(0, Math.floor(share * whole.length)));
  return `${file}.cut`;
}

/** Starts a replay server. */
export function startReplay(file) {
  return start("replay", file, "--addr", "127.0.0.1:0", "--web", "web/dist");
}

function start(...flags) {
  return startProgram(join(ROOT, "bin/backstep"), flags, /backstep: (?:open|data at) (http:\/\/\S+)/);
}

/** Starts a program; resolves when it has printed its address, which is a pattern's group. With group,
 * stop ends the programs that it runs too: go run hands no signal on. */
export async function startProgram(program, flags, pattern, { cwd = ROOT, env = {}, timeout = START_TIMEOUT, group = false } = {}) {
  const child = spawn(program, flags, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"], detached: group });
  const kill = (signal) => (group ? process.kill(-child.pid, signal) : child.kill(signal));
  let output = "";
  const url = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`e2e: the server printed no address in time:\n${output}`)), timeout);
    const onOutput = (chunk) => {
      output += chunk;
      const found = pattern.exec(output);
      if (found === null) return;
      clearTimeout(timer);
      resolve(found[1]);
    };
    child.stdout.on("data", onOutput);
    child.stderr.on("data", onOutput);
    child.on("exit", (code) => reject(new Error(`e2e: the server stopped (${code}):\n${output}`)));
  }).catch((error) => {
    if (child.exitCode === null) kill("SIGKILL");
    throw error;
  });
  return { url, pid: child.pid, output: () => output, stop: () => stop(child, kill) };
}

/** Returns the players of the first match from the status of the server's admin port, which its log names. */
async function players(output) {
  const admin = /\badmin=(127\.0\.0\.1:\d+)/.exec(output);
  if (admin === null) throw new Error(`e2e: the server has named no admin port:\n${output}`);
  const reply = await fetch(`http://${admin[1]}/status`, { signal: AbortSignal.timeout(5000) });
  const status = await reply.json();
  return status.matches[0]?.players ?? [];
}

/** Sends SIGTERM, then SIGKILL. Resolves to the exit code. */
function stop(child, kill) {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => {
    const force = setTimeout(() => kill("SIGKILL"), 10_000);
    child.once("exit", (code) => {
      clearTimeout(force);
      resolve(code);
    });
    kill("SIGTERM");
  });
}
