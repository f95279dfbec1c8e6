import { expect, test } from "vitest";
import { errorRange, keyLabel } from "../src/page/bindings";
import { Devices, Gamepads, type DeviceCore, type GamepadState } from "../src/page/devices";

const MAX_SAMPLES = 256; // a frame

/** A core with these keys, of which the first is bound. */
class Core implements DeviceCore {
  readonly controls = { samples: Array.from({ length: MAX_SAMPLES }, () => ({ key: 0, value: 0 })), count: 0 };
  private readonly names = ["KeyW", "KeyS", "Mouse.X", "Pad.LeftY", "Pad.RT", "Pad.A"];

  keyNumber(name: string): number {
    return this.names.indexOf(name) + 1;
  }

  keyBound(key: number): boolean {
    return key === 1;
  }

  /** Returns the samples of this frame and removes them, as the core does. */
  received(devices: Devices): string[] {
    devices.write();
    const { samples, count } = this.controls;
    this.controls.count = 0;
    return samples.slice(0, count).map(({ key, value }) => `${this.names[key - 1]} ${value}`);
  }
}

function connected(): [Core, Devices] {
  const core = new Core();
  const devices = new Devices();
  devices.attach(core);
  return [core, devices];
}

test("samples reach the core in order, without repeated values", () => {
  const [core, devices] = connected();
  devices.sample("KeyW", 1);
  devices.sample("KeyW", 1);
  devices.sample("KeyS", 0);
  devices.move("Mouse.X", 3);
  devices.move("Mouse.X", 3);
  devices.move("Mouse.X", 0);
  devices.sample("Unknown", 1);
  devices.sample("KeyW", 0);
  devices.tap("KeyS");
  expect(core.received(devices)).toEqual(["KeyW 1", "Mouse.X 3", "Mouse.X 3", "KeyW 0", "KeyS 1", "KeyS 0"]);
  expect(core.received(devices)).toEqual([]);
});

test("a new core receives the keys that are down and no old samples", () => {
  const [, devices] = connected();
  devices.sample("KeyS", 1);
  devices.move("Mouse.X", 9);
  devices.sample("Pad.RT", 0.5);
  devices.sample("KeyS", 0);
  devices.attach(undefined);
  devices.sample("KeyW", 1);
  devices.move("Mouse.X", 9);
  const next = new Core();
  devices.attach(next);
  expect(next.received(devices)).toEqual(["Pad.RT 0.5", "KeyW 1"]);
  expect([devices.down("Pad.RT"), devices.down("KeyS")]).toEqual([true, false]);
});

test("release releases the keys that are down", () => {
  const [core, devices] = connected();
  devices.sample("KeyW", 1);
  devices.sample("Pad.RT", 1);
  core.received(devices);
  devices.release("Pad.");
  expect(core.received(devices)).toEqual(["Pad.RT 0"]);
  devices.release();
  expect(core.received(devices)).toEqual(["KeyW 0"]);
});

test("the rest of a full frame waits, and an overflow keeps only the keys that are down", () => {
  const [core, devices] = connected();
  for (let i = 0; i < MAX_SAMPLES + 3; i++) devices.move("Mouse.X", 1);
  expect(core.received(devices)).toHaveLength(MAX_SAMPLES);
  expect(core.received(devices)).toHaveLength(3);
  devices.sample("KeyW", 1);
  for (let i = 0; i < 2048; i++) devices.move("Mouse.X", 1);
  expect(core.received(devices)).toEqual(["KeyW 1", "Mouse.X 1"]);
});

test("bound keys are looked up again after the bindings changed", () => {
  const [core, devices] = connected();
  expect([devices.bound("KeyW"), devices.bound("KeyS"), devices.bound("Unknown")]).toEqual([true, false, false]);
  core.keyBound = (key) => key === 2;
  devices.bindingsChanged();
  expect([devices.bound("KeyW"), devices.bound("KeyS")]).toEqual([false, true]);
});

function pad(axes: number[], buttons: number[], mapping = "standard"): GamepadState {
  return { connected: true, mapping, axes, buttons: buttons.map((value) => ({ pressed: value > 0.5, value })) };
}

test("a gamepad is sampled by the standard mapping and released when it is disconnected", () => {
  const [core, devices] = connected();
  const pads = new Gamepads(() => devices);
  expect(pads.poll([null])).toBe(false);
  expect(pads.poll([null, pad([0, -0.75, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0.25])])).toBe(true);
  expect(core.received(devices)).toEqual(["Pad.LeftY -0.75", "Pad.RT 0.25"]);
  expect(pads.poll([pad([0, -0.1], [1])])).toBe(true);
  expect(core.received(devices)).toEqual(["Pad.LeftY -0.1", "Pad.A 1", "Pad.RT 0"]);
  expect(pads.poll([pad([1, 1], [1], "")])).toBe(false);
  expect(core.received(devices)).toEqual(["Pad.LeftY 0", "Pad.A 0"]);
});

test("of two gamepads the larger deflection counts", () => {
  const [core, devices] = connected();
  new Gamepads(() => devices).poll([pad([0, 0.2], []), pad([0, -0.9], [0, 1])]);
  expect(core.received(devices)).toEqual(["Pad.LeftY -0.9"]);
});

test("an error selects its word or line", () => {
  const text = "a = b\nforward = +KyeW\njump = Space";
  expect(text.slice(...errorRange('input: line 2: "KyeW" is no key; did you mean "KeyW"?', text))).toBe("KyeW");
  expect(text.slice(...errorRange("input: line 3: is odd", text))).toBe("jump = Space");
  expect(text.slice(...errorRange('input: line 3: "nowhere" is odd', text))).toBe("jump = Space");
  expect(text.slice(...errorRange("no line at all", text))).toBe("a = b");
});

test("keys have short display names", () => {
  const shown = ["KeyR", "Digit4", "ShiftLeft", "ControlRight", "ArrowUp", "Mouse.Left", "Pad.RT", "Space", "F3"].map((key) => keyLabel(key));
  expect(shown).toEqual(["R", "4", "Shift", "Ctrl", "↑", "Left button", "RT", "Space", "F3"]);
  const french = new Map([["KeyW", "z"], ["KeyQ", "a"], ["Digit1", "&"], ["Semicolon", "m"]]);
  expect(["KeyW", "KeyQ", "Semicolon", "KeyR", "ArrowUp", "Digit1"].map((key) => keyLabel(key, french))).toEqual(["Z", "A", "M", "R", "↑", "1"]);
});
