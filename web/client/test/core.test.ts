import { beforeAll, describe, expect, it } from "vitest";
import { loadCore, type Core } from "../src/core.js";
import { LAYOUT_VERSION } from "../src/layout.js";
import { Roots } from "../src/roots.js";
import { BUILD_TIMEOUT, buildCore, printTypes, type JetpackRoots } from "./jetpack.js";

// The reader on the core of a real game.

let module: WebAssembly.Module;
let core: Core;
let types: string;

beforeAll(async () => {
  module = await buildCore("test-core.wasm");
  types = printTypes();
  core = await loadCore(module);
}, BUILD_TIMEOUT);

describe("the core of a game", () => {
  it("names its values, and their types are those that Go printed", () => {
    expect(core.names).toEqual(["view", "input"]);
    const interfaces = new Map([...types.matchAll(/^export interface (\w+) \{\n([^}]*)\}/gm)].map(([, name, body]) => [name, body ?? ""]));
    const declared = (name: string): string[] => [...(interfaces.get(name) ?? "").matchAll(/^ {2}readonly (\w+):/gm)].map(([, field]) => field ?? "");
    const has = (value: object): string[] => Object.keys(Object.getPrototypeOf(value) as object);
    const view = core.read<JetpackRoots["view"]>("view");
    expect(has(view)).toEqual(declared("View"));
    expect(has(view.self)).toEqual(declared("Hero"));
    expect(has(view.stats)).toEqual(declared("Stats"));
    expect(has(core.read("input"))).toEqual(declared("Command"));
  });

  it("has no player before it joins", () => {
    const view = core.read<JetpackRoots["view"]>("view");
    expect([view.phase, view.id, view.placed, view.now]).toEqual(["outside", 0, false, 0]);
    expect([view.remotes, view.entities, view.events]).toEqual([[], [], []]);
  });

  it("has no triangles before it has a level, and nothing stops a ball", () => {
    expect(core.triangles(0)).toHaveLength(0);
    expect(core.volumes()).toEqual([]);
    expect(core.sweep({ x: 0, y: 1, z: 0 }, { x: 0, y: -5, z: 0 }, 0.5)).toBe(1);
  });

  it("says why a call failed", () => {
    expect(() => core.hello("Ann", "", "", "", "", "", 0)).toThrow("hello before level_load");
    expect(() => core.tell(Uint8Array.of(1))).toThrow("the player has no seat");
    expect(() => core.loadLevel(new Uint8Array(100))).toThrow("core: level:");
    expect(() => core.put(new Uint8Array(65 << 20))).toThrow("more than it takes");
    expect(() => core.call("fly")).toThrow("no export is called fly");
  });

  it("reads the input that the page wrote, also after the memory has grown", () => {
    const roots = new Roots<JetpackRoots>(core);
    roots.setInput({ jet: true, forward: 1, yaw: 0.5 });
    const { input } = roots;
    expect([input.jet, input.forward, input.yaw, input.jump]).toEqual([true, 1, 0.5, false]);
    const before = core.memory.view.buffer.byteLength;
    core.put(new Uint8Array(32 << 20));
    expect(core.memory.view.buffer.byteLength).toBeGreaterThan(before);
    expect([input.jet, input.forward, input.yaw]).toEqual([true, 1, 0.5]);
    roots.setInput({ jump: true });
    expect([input.jet, input.forward, input.yaw, input.jump]).toEqual([false, 0, 0, true]);
  });

  it("stands still in a hidden tab, and keeps looking where it looked", () => {
    const roots = new Roots<JetpackRoots>(core);
    roots.setInput({ jet: true, forward: 1, yaw: 0.5, pitch: -0.25 });
    roots.idle(undefined);
    expect(roots.input).toMatchObject({ jet: false, forward: 0, yaw: 0.5, pitch: -0.25 });
    roots.idle((input) => (input.jet = true));
    expect(roots.input.jet).toBe(true);
  });

  it("is read through the same objects after another instance took its place", async () => {
    const roots = new Roots<JetpackRoots>(core);
    const { view, input } = roots;
    input.jet = true;
    roots.attach(await loadCore(module));
    expect([roots.view, roots.input]).toEqual([view, input]);
    expect(roots.view).toBe(view);
    expect(input.jet).toBe(false);
  });

  it("is refused if its layout is of another version", async () => {
    const other = await WebAssembly.compile(moduleOf(LAYOUT_VERSION + 1));
    await expect(loadCore(other)).rejects.toThrow(`this page has layout ${LAYOUT_VERSION} and the core has layout ${LAYOUT_VERSION + 1}: reload the page`);
  });
});

/** Returns a module whose export abi_version returns a version, and that has nothing else. */
function moduleOf(version: number): Uint8Array<ArrayBuffer> {
  const name = (text: string): number[] => [text.length, ...new TextEncoder().encode(text)];
  const section = (id: number, bytes: number[]): number[] => [id, bytes.length, ...bytes];
  return Uint8Array.from([
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...section(1, [1, 0x60, 0, 1, 0x7f]), // a type: () → i32
    ...section(3, [1, 0]), // a function of it
    ...section(5, [1, 0, 1]), // a memory
    ...section(7, [2, ...name("memory"), 2, 0, ...name("abi_version"), 0, 0]),
    ...section(10, [1, 4, 0, 0x41, version, 0x0b]), // i32.const version
  ]);
}
