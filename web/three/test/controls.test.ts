import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Controls, type ControlsOptions } from "../src/controls";

/** What of a page Controls use, enough to send them events. */
class FakeInput {}
let windowEvents: EventTarget;
let canvas: EventTarget & { style: Record<string, string>; requestPointerLock: () => Promise<void> };
let pads: unknown[] = [];

beforeEach(() => {
  windowEvents = new EventTarget();
  canvas = Object.assign(new EventTarget(), { style: {}, requestPointerLock: () => Promise.reject(new Error("refused")) });
  vi.stubGlobal("window", Object.assign(windowEvents, { innerWidth: 800 }));
  vi.stubGlobal("document", Object.assign(new EventTarget(), { pointerLockElement: null, hidden: false }));
  vi.stubGlobal("navigator", { getGamepads: () => pads });
  vi.stubGlobal("HTMLInputElement", FakeInput);
  vi.stubGlobal("HTMLTextAreaElement", FakeInput);
  pads = [];
});
afterEach(() => vi.unstubAllGlobals());

const make = (options?: ControlsOptions): Controls => new Controls(canvas as unknown as HTMLElement, options);
const send = (to: EventTarget, kind: string, fields: object): void => void to.dispatchEvent(Object.assign(new Event(kind), fields));
const key = (code: string, down = true): void => send(windowEvents, down ? "keydown" : "keyup", { code });

test("held keys are the fields of a command", () => {
  const controls = make();
  expect(controls.move).toEqual({ forward: 0, right: 0, yaw: 0, pitch: 0, jump: false, crouch: false });
  for (const code of ["KeyW", "KeyA", "Space", "KeyC"]) key(code);
  expect(controls.move).toEqual({ forward: 1, right: -1, yaw: 0, pitch: 0, jump: true, crouch: true });
  key("ArrowUp"); // beside W: still 1
  key("KeyD");
  expect([controls.forward, controls.right]).toEqual([1, 0]);
  key("KeyW", false);
  key("ArrowUp", false);
  expect(controls.forward).toBe(0);
});

test("pressed is true once for each press, held as long as it is down", () => {
  const controls = make();
  key("KeyE");
  expect([controls.held("KeyE"), controls.pressed("KeyE"), controls.pressed("KeyE")]).toEqual([true, true, false]);
  key("KeyE", false);
  key("KeyE");
  expect(controls.pressed("KeyE")).toBe(true);
});

test("a window that loses the focus releases everything", () => {
  const controls = make();
  key("KeyW");
  send(windowEvents, "blur", {});
  expect(controls.forward).toBe(0);
});

test("without a captured mouse, dragging turns the view, and the button fires", () => {
  const controls = make();
  send(canvas, "pointerdown", { pointerType: "mouse", pointerId: 1, button: 0 });
  expect(controls.fire).toBe(true);
  const move = { pointerType: "mouse", pointerId: 1, buttons: 1, movementX: 100, movementY: -50 };
  const e = Object.assign(new Event("pointermove"), move);
  Object.defineProperty(e, "target", { value: canvas });
  windowEvents.dispatchEvent(e);
  expect(controls.yaw).toBeCloseTo(-0.22); // to the right
  expect(controls.pitch).toBeCloseTo(0.11); // up
  send(windowEvents, "pointerup", { pointerType: "mouse", pointerId: 1, button: 0 });
  expect(controls.fire).toBe(false);
});

test("sensitivity scales and invert turns the pitch round; pitch stays above −90°", () => {
  const controls = make({ sensitivity: 2, invert: true });
  Object.assign(document, { pointerLockElement: canvas });
  send(windowEvents, "pointermove", { pointerType: "mouse", pointerId: 1, buttons: 0, movementX: 100, movementY: -50 });
  expect([controls.yaw, controls.pitch].map((v) => v.toFixed(2))).toEqual(["-0.44", "-0.22"]);
  send(windowEvents, "pointermove", { pointerType: "mouse", pointerId: 1, buttons: 0, movementX: 0, movementY: -5000 });
  expect(controls.pitch).toBe(-1.5);
});

test("on glass the left half walks, the right half looks, and a tap fires", () => {
  const controls = make();
  send(canvas, "pointerdown", { pointerType: "touch", pointerId: 1, clientX: 100, clientY: 300 });
  send(windowEvents, "pointermove", { pointerType: "touch", pointerId: 1, clientX: 130, clientY: 240 });
  expect([controls.forward, controls.right]).toEqual([1, 0.5]);
  send(canvas, "pointerdown", { pointerType: "touch", pointerId: 2, clientX: 600, clientY: 300 });
  send(windowEvents, "pointermove", { pointerType: "touch", pointerId: 2, clientX: 650, clientY: 300 });
  expect(controls.yaw).toBeCloseTo(-0.22);
  send(windowEvents, "pointerup", { pointerType: "touch", pointerId: 2 });
  expect(controls.fire).toBe(true);
  send(windowEvents, "pointerup", { pointerType: "touch", pointerId: 1 });
  expect(controls.forward).toBe(0);
});

test("a gamepad walks, looks and jumps", () => {
  const now = vi.spyOn(performance, "now").mockReturnValue(1000);
  const controls = make();
  const button = { pressed: false };
  pads = [null, { mapping: "standard", axes: [0.5, -1, 1, 0], buttons: [{ pressed: true }, ...Array.from({ length: 7 }, () => button)] }];
  now.mockReturnValue(1100);
  const { forward, right, yaw, jump } = controls.move;
  expect([forward, right, jump]).toEqual([1, 0.5, true]);
  expect(yaw).toBeCloseTo(-0.26);
  now.mockRestore();
});

test("look sets the view where the server has turned the player", () => {
  const controls = make();
  controls.look(3 * Math.PI, 2);
  expect(Math.abs(controls.yaw)).toBeCloseTo(Math.PI);
  expect(controls.pitch).toBe(1.5);
});

test("after dispose nothing listens", () => {
  const controls = make();
  controls.dispose();
  key("KeyW");
  expect(controls.forward).toBe(0);
});
