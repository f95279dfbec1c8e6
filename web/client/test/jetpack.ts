// The core of examples/jetpack, built with Go.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { AnyRoots } from "../src/roots.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** Building takes so long, in milliseconds, with nothing in Go's cache. */
export const BUILD_TIMEOUT = 300_000;

interface Vec3 { x: number; y: number; z: number }

/** The part of its values that the tests read. */
export interface JetpackRoots extends AnyRoots {
  readonly view: AnyRoots["view"] & { readonly now: number; readonly error: string; readonly self: { readonly fuel: number; readonly position: Vec3 }; readonly stats: { readonly rtt: number } };
  readonly input: { jet: boolean; forward: number; yaw: number; pitch: number; jump: boolean };
}

function go(environment: Record<string, string>, ...command: string[]): string {
  return execFileSync("go", command, { cwd: ROOT, env: { ...process.env, ...environment }, encoding: "utf8" });
}

/** Builds and compiles the core. */
export function buildCore(file: string): Promise<WebAssembly.Module> {
  mkdirSync(`${ROOT}build`, { recursive: true });
  const path = `${ROOT}build/${file}`;
  go({ GOOS: "wasip1", GOARCH: "wasm" }, "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", path, "./examples/jetpack/wasm");
  return WebAssembly.compile(readFileSync(path));
}

/** Returns the core's TypeScript types. */
export function printTypes(): string {
  return go({}, "run", "./examples/jetpack/wasm");
}
