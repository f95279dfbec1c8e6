import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Controls, type ControlsOptions } from "../src/controls";
import { stick } from "../src/gamepad";
import { buttonPlaces } from "../src/touch";

/** What of a page Controls use, enough to send them events. */
class FakeElement extends EventTarget {
  style: Record<string, string> = {};
  hidden = false;
  textContent = "";
  className = "";
  readonly classes = new Set<string>();
  readonly classList = { toggle: (name: string, on: boolean) => (on ? this.classes.add(name) : this.classes.delete(name)) };
  readonly children: FakeElement[] = [];
  constructor(readonly tag = "") {
    super();
  }
  append(...children: FakeElement[]): void {
    this.children.push(...children);
  }
  prepend(): void {}
  setAttribute(): void {}
  remove(): void {}
}
let body: FakeElement;
let windowEvents: EventTarget;
let canvas: EventTarget & { style: Record<string, string>; requestPointerLock: () => Promise<void> };
let pads: unknown[] = [];

beforeEach(() => {
  windowEvents = new EventTarget();
  body = new FakeElement();
  canvas = Object.assign(new EventTarget(), {
    style: {}, requestPointerLock: () => Promise.reject(new Error("refused")),
    getBoundingClientRect: () => ({ left: 0, top: 0, width: 800, height: 600 }),
  });
  vi.stubGlobal("window", Object.assign(windowEvents, { innerWidth: 800 }));
  vi.stubGlobal("document", Object.assign(new EventTarget(), {
    pointerLockElement: null, hidden: false, body, head: new FakeElement(), createElement: (tag: string) => new FakeElement(tag), exitPointerLock: () => undefined,
  }));
  vi.stubGlobal("navigator", { getGamepads: () => pads });
  pads = [];
});
afterEach(() => vi.unstubAllGlobals());

const make = (options?: ControlsOptions): Controls => new Controls(canvas as unknown as HTMLElement, options);
const send = (to: EventTarget, kind: string, fields: object): void => void to.dispatchEvent(Object.assign(new Event(kind), fields));
const touch = (kind: string, pointerId: number, clientX: number, clientY: number, to: EventTarget = kind === "pointerdown" ? canvas : windowEvents): void =>
  send(to, kind, { pointerType: "touch", pointerId, clientX, clientY });
/** The element of the button with a label. */
const button = (label: string): FakeElement => body.children[0]!.children.find((child) => child.textContent === label)!;
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

/** Sends a key to a focused element; returns whether the browser is kept from doing what it does with the key. */
function typed(code: string, fields: object, target?: object): boolean {
  const e = Object.assign(new Event("keydown", { cancelable: true }), { code, ...fields });
  if (target !== undefined) Object.defineProperty(e, "composedPath", { value: () => [target, windowEvents] });
  windowEvents.dispatchEvent(e);
  return e.defaultPrevented;
}

test("what is typed into a field does not move the player, and arrives: also in a select, in editable text and inside a web component", () => {
  const controls = make();
  const fields = [{ localName: "input" }, { localName: "textarea" }, { localName: "select" }, { localName: "p", isContentEditable: true }];
  for (const field of fields) for (const code of ["KeyW", "Space", "ArrowUp"]) expect(typed(code, {}, field)).toBe(false);
  expect(controls.move).toMatchObject({ forward: 0, jump: false });
  expect(typed("Space", { isComposing: true })).toBe(false); // chooses a word of an input method
  expect(controls.jump).toBe(false);
});

test("a held Space or arrow does not scroll the page when it repeats, nor is it pressed again", () => {
  const controls = make();
  expect([typed("Space", {}), controls.pressed("Space")]).toEqual([true, true]);
  expect([typed("Space", { repeat: true }), typed("ArrowDown", { repeat: true }), controls.pressed("Space")]).toEqual([true, true, false]);
});

test("crouching with Ctrl and walking does not save the page or make a bookmark of it", () => {
  make();
  expect(["KeyW", "KeyA", "KeyS", "KeyD"].map((code) => typed(code, { ctrlKey: true }))).toEqual([true, true, true, true]);
  expect([typed("KeyS", {}), typed("KeyR", { ctrlKey: true })]).toEqual([false, false]);
});

test("a key that goes up while Cmd is held, which a Mac does not report, is not stuck", () => {
  const controls = make();
  key("KeyW");
  key("MetaLeft");
  key("MetaLeft", false);
  expect(controls.forward).toBe(0);
});

test("where the mouse is not captured, dragging turns the view, and the button fires", async () => {
  const controls = make();
  send(canvas, "pointerdown", { pointerType: "mouse", pointerId: 1, button: 0 });
  await Promise.resolve(); // the browser refuses
  await Promise.resolve();
  expect(controls.fire).toBe(true);
  const move = { pointerType: "mouse", pointerId: 1, button: -1, buttons: 1, movementX: 100, movementY: -50 };
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

test("the click that captures the mouse does not fire, the next one does", async () => {
  canvas.requestPointerLock = () => Promise.resolve();
  const controls = make();
  const click = (kind: string): void => send(kind === "pointerdown" ? canvas : windowEvents, kind, { pointerType: "mouse", pointerId: 1, button: 0 });
  click("pointerdown");
  Object.assign(document, { pointerLockElement: canvas });
  await Promise.resolve();
  expect([controls.fire, controls.pressed("Mouse0")]).toEqual([false, false]);
  click("pointerup");
  click("pointerdown");
  expect(controls.fire).toBe(true);
});

test("a second button of the mouse counts while the first is held, and after it", () => {
  const controls = make();
  Object.assign(document, { pointerLockElement: canvas });
  const mouse = (kind: string, fields: object): void => {
    const e = Object.assign(new Event(kind), { pointerType: "mouse", pointerId: 1, movementX: 0, movementY: 0, ...fields });
    Object.defineProperty(e, "target", { value: canvas });
    (kind === "pointerdown" ? canvas : windowEvents).dispatchEvent(e);
  };
  mouse("pointerdown", { button: 2, buttons: 2 });
  mouse("pointermove", { button: 0, buttons: 3 });
  expect([controls.held("Mouse2"), controls.fire]).toEqual([true, true]);
  mouse("pointermove", { button: 2, buttons: 1 });
  expect([controls.held("Mouse2"), controls.fire]).toEqual([false, true]);
  mouse("pointerup", { button: 0, buttons: 0 });
  expect(controls.fire).toBe(false);
});

test("on glass the left half walks, the right half looks, and a tap fires", () => {
  const controls = make();
  touch("pointerdown", 1, 100, 300);
  touch("pointermove", 1, 130, 260);
  expect([controls.forward, controls.right]).toEqual([40 / 60, 30 / 60]);
  touch("pointermove", 1, 160, 220); // farther than the ring
  expect([controls.forward, controls.right].map((v) => v.toFixed(2))).toEqual(["0.80", "0.60"]);
  touch("pointerdown", 2, 600, 300);
  touch("pointermove", 2, 609, 300);
  touch("pointerup", 2, 609, 300);
  expect(controls.yaw).toBeCloseTo(-0.0396);
  expect(controls.fire).toBe(true);
  touch("pointerup", 1, 160, 220);
  expect(controls.forward).toBe(0);
});

test("a swipe turns the view and does not fire, even if it ends where it began", () => {
  const now = vi.spyOn(performance, "now").mockReturnValue(1000);
  const controls = make();
  touch("pointerdown", 1, 600, 300);
  touch("pointermove", 1, 760, 300);
  expect(controls.yaw).toBeCloseTo(-0.704);
  touch("pointermove", 1, 600, 300);
  now.mockReturnValue(1100);
  touch("pointerup", 1, 600, 300);
  expect(controls.fire).toBe(false);
  now.mockRestore();
});

test("a pen is a finger: it walks, looks and fires, and does not capture the mouse", () => {
  canvas.requestPointerLock = () => expect.unreachable();
  const controls = make();
  const pen = (kind: string, pointerId: number, clientX: number): void => send(kind === "pointerdown" ? canvas : windowEvents, kind, { pointerType: "pen", pointerId, button: 0, clientX, clientY: 300 });
  pen("pointerdown", 1, 600);
  pen("pointermove", 1, 620);
  expect([controls.yaw.toFixed(3), controls.touch]).toEqual(["-0.088", true]);
  pen("pointerup", 1, 620);
  pen("pointerdown", 1, 600);
  pen("pointerup", 1, 600);
  expect(controls.fire).toBe(true);
});

test("of two fingers on one button, or on the stick, the one that stays holds it", () => {
  const controls = make({ buttons: { Mouse0: "fire" } });
  touch("pointerdown", 1, 100, 300);
  touch("pointerdown", 2, 100, 300);
  touch("pointerdown", 3, 700, 500);
  touch("pointerdown", 4, 700, 500, button("fire"));
  touch("pointerdown", 5, 700, 500, button("fire"));
  touch("pointerup", 4, 700, 500);
  expect([controls.fire, button("fire").classes.has("pressed")]).toEqual([true, true]);
  touch("pointerup", 5, 700, 500);
  expect([controls.fire, button("fire").classes.has("pressed")]).toEqual([false, false]);
});

test("a key or click between two slow frames is held for one", async () => {
  const controls = make();
  Object.assign(document, { pointerLockElement: canvas });
  const click = (kind: string): void => send(kind === "pointerdown" ? canvas : windowEvents, kind, { pointerType: "mouse", pointerId: 1, button: 0 });
  const frame = async (): Promise<boolean[]> => {
    const read = [controls.move.jump, controls.fire, controls.jump];
    await Promise.resolve();
    return read;
  };
  key("Space");
  key("Space", false);
  click("pointerdown");
  click("pointerup");
  expect(await frame()).toEqual([true, true, true]);
  expect(await frame()).toEqual([false, false, false]);
  key("Space");
  expect(await frame()).toEqual([true, false, true]);
  key("Space", false); // has been seen
  expect(await frame()).toEqual([false, false, false]);
  key("Space");
  key("Space", false);
  send(windowEvents, "blur", {});
  expect(await frame()).toEqual([false, false, false]);
});

test("a button on the screen is the key that it stands for, and dragging from it turns the view", () => {
  const controls = make({ buttons: { Space: "jump", Mouse0: "fire" } });
  expect([controls.touch, body.children.length]).toEqual([false, 0]);
  touch("pointerdown", 1, 600, 300);
  touch("pointerup", 1, 600, 300);
  expect([controls.touch, body.children[0]!.hidden, controls.fire]).toEqual([true, false, false]); // there is a button to fire
  touch("pointerdown", 2, 700, 500, button("fire"));
  touch("pointerdown", 3, 600, 500, button("jump"));
  touch("pointermove", 2, 750, 500);
  expect([controls.fire, controls.held("Mouse0"), controls.pressed("Space"), controls.pressed("Space"), controls.jump]).toEqual([true, true, true, false, true]);
  expect(controls.yaw).toBeCloseTo(-0.22);
  expect(button("fire").classes.has("pressed")).toBe(true);
  touch("pointerup", 2, 750, 500);
  expect([controls.fire, controls.jump, button("fire").classes.size]).toEqual([false, true, 0]);
  send(windowEvents, "blur", {});
  expect([controls.jump, button("jump").classes.size]).toEqual([false, 0]);
  key("KeyW");
  expect([controls.touch, body.children[0]!.hidden]).toEqual([false, true]);
});

test("touch is in use from the start where it is the main device", () => {
  Object.assign(windowEvents, { matchMedia: () => ({ matches: true }) });
  const controls = make({ buttons: { Space: "jump" } });
  expect([controls.touch, button("jump").hidden]).toEqual([true, false]);
});

test("the buttons are at least 48 px, apart, and fit a phone either way", () => {
  for (let count = 1; count <= 8; count++) {
    const places = buttonPlaces(count);
    for (const [i, a] of places.entries()) {
      const r = a.size / 2;
      expect(a.size).toBeGreaterThanOrEqual(48);
      expect([a.right - r >= 8, a.bottom - r >= 8, a.right + r <= 320, a.bottom + r <= 320]).toEqual([true, true, true, true]);
      for (const b of places.slice(i + 1)) expect(Math.hypot(a.right - b.right, a.bottom - b.bottom) - r - b.size / 2).toBeGreaterThan(4);
    }
  }
  expect(() => buttonPlaces(9)).toThrow("room for 8");
});

test("a gamepad walks, looks and jumps, and each button has a name", () => {
  const now = vi.spyOn(performance, "now").mockReturnValue(1000);
  const controls = make({ sensitivity: 2 });
  const buttons = Array.from({ length: 17 }, () => ({ pressed: false }));
  pads = [null, { mapping: "standard", axes: [0.6, -0.8, 1, 0], buttons }];
  buttons[0]!.pressed = buttons[16]!.pressed = true;
  now.mockReturnValue(1100);
  const { forward, right, yaw, jump } = controls.move;
  expect([forward.toFixed(3), right.toFixed(3), jump]).toEqual(["0.800", "0.600", true]);
  expect(yaw).toBeCloseTo(-0.6); // 3 rad/s, twice, for 100 ms
  expect([controls.held("Pad16"), controls.pressed("KeyR", "Pad16"), controls.pressed("Pad16"), controls.held("Pad15")]).toEqual([true, true, false, false]);
  buttons[16]!.pressed = false;
  expect(controls.held("Pad16")).toBe(false);
  pads = [];
  expect(controls.jump).toBe(false);
  now.mockRestore();
});

test("a command reads the gamepads once, and turns the view by them before it has it", () => {
  const now = vi.spyOn(performance, "now").mockReturnValue(1000);
  const getGamepads = vi.fn(() => [{ mapping: "standard", axes: [0, 0, 1, 0], buttons: [] }]);
  vi.stubGlobal("navigator", { getGamepads });
  const controls = make();
  now.mockReturnValue(1100);
  expect(controls.move.yaw).toBeCloseTo(-0.3);
  expect(getGamepads).toHaveBeenCalledTimes(1);
  now.mockRestore();
});

test("of several gamepads the one in use counts, also where another was there before, as an adapter's", () => {
  const controls = make();
  const pad = (): { mapping: string; axes: number[]; buttons: { pressed: boolean }[] } => ({ mapping: "standard", axes: [0, 0.05, 0, 0], buttons: [{ pressed: false }] });
  const [idle, used] = [pad(), pad()];
  pads = [idle, used];
  used.axes[1] = -1;
  expect(controls.forward).toBe(1);
  used.axes[1] = 0;
  used.buttons[0]!.pressed = true;
  expect([controls.forward, controls.jump]).toEqual([0, true]);
  used.buttons[0]!.pressed = false;
  expect(controls.jump).toBe(false);
  idle.buttons[0]!.pressed = true; // the other player takes over
  expect(controls.jump).toBe(true);
});

test("the dead zone of a stick is a circle, and its curve ends at 1", () => {
  expect(stick(0.1, 0.1, 0)).toEqual([0, 0]);
  const [x, y] = stick(0.99, 0.1, 0); // nearly along an axis: it does not snap to it
  expect(y / x).toBeCloseTo(0.1 / 0.99);
  expect(stick(0.575, 0, 0)[0]).toBeCloseTo(0.5);
  expect(stick(0.575, 0, 0.6)[0]).toBeCloseTo(0.275);
  expect(Math.hypot(...stick(1, 1, 0.6))).toBeCloseTo(1);
});

describe("seen from above", () => {
  test("W walks up the screen, wherever the player looks, and it looks at the cursor", () => {
    const controls = make({ topDown: true });
    key("KeyW");
    send(windowEvents, "pointermove", { pointerType: "mouse", pointerId: 1, button: -1, buttons: 0, clientX: 700, clientY: 300 }); // right of the middle
    const { forward, right, yaw, pitch } = controls.move;
    expect([yaw, pitch]).toEqual([-Math.PI / 2, 0]);
    expect([forward.toFixed(6), right.toFixed(6)]).toEqual(["0.000000", "-1.000000"]); // to its left
    send(canvas, "pointerdown", { pointerType: "mouse", pointerId: 1, button: 0, clientX: 400, clientY: 500 });
    expect([controls.fire, Math.abs(controls.yaw)]).toEqual([true, Math.PI]); // the first click fires: the mouse stays free
  });

  test("the finger on the right half and the right stick point where it looks", () => {
    const controls = make();
    controls.topDown = true;
    touch("pointerdown", 1, 600, 300);
    touch("pointermove", 1, 570, 300);
    expect(controls.yaw).toBeCloseTo(Math.PI / 2);
    touch("pointermove", 1, 595, 300); // too near to point anywhere
    expect(controls.yaw).toBeCloseTo(Math.PI / 2);
    pads = [{ mapping: "standard", axes: [0, 0, 0, -0.5], buttons: [] }];
    expect(controls.move.yaw).toBeCloseTo(0);
  });
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
