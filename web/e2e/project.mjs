// Builds a game as its README says: types, core, page, programs. The parts "package" and "examples"
// build with it.
import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "vite";
import { ROOT } from "./server.mjs";

const run = promisify(execFile);
const COMPILER = join(ROOT, "web/node_modules/typescript/bin/tsc");
const WASM = { GOOS: "wasip1", GOARCH: "wasm" };

/** Runs the go command in the repository. Resolves to its output. */
export async function go(parameters, environment = {}) {
  const { stdout } = await run("go", parameters, { cwd: ROOT, env: { ...process.env, GOFLAGS: "-trimpath", ...environment }, maxBuffer: 1 << 24 });
  return stdout;
}

/** Compiles packages for the browser and for this machine, all at once: links of single programs then
 * find everything in the build cache. */
export async function compile(cores, programs) {
  await go(["build", "./client/browser", ...cores], WASM); // of one package alone, go build would write its program here
  await go(["build", "./client/browser", ...cores, ...programs]);
}

/** Writes a game's core (public/game.wasm) and its types (game.d.ts) into a project. */
export async function makeCore(project, core) {
  mkdirSync(join(project, "public"), { recursive: true });
  writeFileSync(join(project, "game.d.ts"), await go(["run", core]));
  await run(join(ROOT, "bin/backstep"), ["wasm", "--no-sizes", "-o", join(project, "public/game.wasm"), core], { cwd: ROOT });
}

/** Returns what the compiler says of a file with all checks on; empty if nothing. */
export function typeErrors(project, file) {
  const options = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler", "--types", ""];
  try {
    execFileSync(process.execPath, [COMPILER, ...options, file], { cwd: project, encoding: "utf8" });
    return "";
  } catch (error) {
    return error.stdout;
  }
}

/** Builds a project's pages with Vite. Resolves to the folder to serve. */
export async function makePage(project, pages = ["index.html"]) {
  const input = pages.map((file) => join(project, file));
  await build({ root: project, base: "./", logLevel: "error", build: { target: "es2022", reportCompressedSize: false, chunkSizeWarningLimit: 2000, rolldownOptions: { input } } });
  return join(project, "dist");
}

/** Builds a Go program. Resolves to its file. */
export async function makeProgram(program, name) {
  const file = join(ROOT, "build", name);
  await go(["build", "-o", file, program]);
  return file;
}
