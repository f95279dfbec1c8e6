import { expect, test } from "vitest";
import { CoreExit, Wasi } from "../src/wasi.js";

type Call = (...args: unknown[]) => number;

/** A shim with a page of memory, and its functions. */
function shim(): { call: (name: string, ...args: unknown[]) => number; view: DataView; wasi: Wasi; printed: string[] } {
  const printed: string[] = [];
  const wasi = new Wasi((line) => printed.push(line));
  const memory = new WebAssembly.Memory({ initial: 1 });
  wasi.attach(memory);
  const names = ["args_sizes_get", "clock_time_get", "random_get", "fd_write", "fd_fdstat_get", "poll_oneoff", "proc_exit", "path_open"];
  const functions = wasi.imports(importing(names))["wasi_snapshot_preview1"] as Record<string, Call>;
  return { call: (name, ...args) => (functions[name] as Call)(...args), view: new DataView(memory.buffer), wasi, printed };
}

/** A module that imports functions of these names, of type () → (). */
function importing(names: string[], from = "wasi_snapshot_preview1"): WebAssembly.Module {
  const text = (s: string): number[] => [s.length, ...new TextEncoder().encode(s)];
  const entries = names.flatMap((name) => [...text(from), ...text(name), 0, 0]);
  const size = entries.length + 1;
  const section = [2, (size & 127) | 128, size >> 7, names.length, ...entries];
  return new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, ...section]));
}

function write(view: DataView, at: number, text: string): void {
  const bytes = new TextEncoder().encode(text);
  new Uint8Array(view.buffer, at, bytes.length).set(bytes);
  view.setUint32(0, at, true);
  view.setUint32(4, bytes.length, true);
}

test("there are no arguments", () => {
  const { call, view } = shim();
  view.setUint32(8, 99, true);
  expect(call("args_sizes_get", 8, 12)).toBe(0);
  expect(view.getUint32(8, true)).toBe(0);
});

test("both clocks return nanoseconds", () => {
  const { call, view } = shim();
  for (const clock of [0, 1]) {
    expect(call("clock_time_get", clock, 1n, 8)).toBe(0);
    expect(view.getBigUint64(8, true)).toBeGreaterThan(1_000_000n);
  }
});

test("random bytes fill exactly the requested range", () => {
  const { call, view } = shim();
  expect(call("random_get", 16, 32)).toBe(0);
  expect(view.getUint32(12, true)).toBe(0);
  expect(view.getUint32(48, true)).toBe(0);
  expect(new Set(new Uint8Array(view.buffer, 16, 32)).size).toBeGreaterThan(4);
});

test("only complete lines are printed", () => {
  const { call, view, printed } = shim();
  write(view, 64, "one\ntw");
  expect(call("fd_write", 2, 0, 1, 32)).toBe(0);
  expect(view.getUint32(32, true)).toBe(6);
  write(view, 64, "o\n");
  call("fd_write", 2, 0, 1, 32);
  expect(printed).toEqual(["one", "two"]);
  expect(call("fd_write", 7, 0, 1, 32)).toBe(8);
});

test("an exit throws the printed reason", () => {
  const { call, view } = shim();
  write(view, 64, "panic: no floor\ngoroutine 1");
  call("fd_write", 2, 0, 1, 32);
  expect(() => call("proc_exit", 2)).toThrow(CoreExit);
  expect(() => call("proc_exit", 2)).toThrow(/panic: no floor/);
});

test("a sleep returns immediately", () => {
  const { call, view } = shim();
  view.setBigUint64(256, 42n, true);
  expect(call("poll_oneoff", 256, 512, 1, 32)).toBe(0);
  expect(view.getUint32(32, true)).toBe(1);
  expect(view.getBigUint64(512, true)).toBe(42n);
});

test("missing functions return ENOSYS, and other modules are an error", () => {
  expect(shim().call("path_open")).toBe(52);
  expect(() => new Wasi().imports(importing(["x"], "env"))).toThrow(/env\.x/);
});
