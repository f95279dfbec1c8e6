// Keyboard, mouse, gamepads and fingers as a browser sends them to the page of the arena.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Controls } from "../src/page/controls";
import { Devices, type GamepadState } from "../src/page/devices";
import { RoundPanel } from "../src/page/rounds";
import { Touch } from "../src/page/touch";
import { useDevice } from "../src/page/usedevice";
import { ReplayCamera } from "../src/replay/camera";
import { SplitControls } from "../src/split/controls";
import type { Roots, Round } from "../src/core";

/** What of an element the page's input uses. */
class FakeElement extends EventTarget {
  readonly dataset: Record<string, string> = {};
  readonly style = { translate: "", setProperty: () => undefined };
  readonly classes = new Set<string>();
  readonly classList = { add: (name: string) => this.classes.add(name), remove: (name: string) => this.classes.delete(name), toggle: () => undefined };
  readonly children: FakeElement[] = [];
  hidden = false;
  textContent = "";
  inPanel = false;
  requestPointerLock = vi.fn(() => Promise.resolve());
  focus(): void {}
  setAttribute(): void {}
  replaceChildren(): void {}
  querySelectorAll(): FakeElement[] {
    return this.children;
  }
  closest(): FakeElement | null {
    return this.inPanel ? this : null;
  }
}

let windowEvents: EventTarget;
let elements: Map<string, FakeElement>;
let pads: GamepadState[];
const byId = (id: string): FakeElement => elements.get(id) ?? elements.set(id, new FakeElement()).get(id)!;

beforeEach(() => {
  windowEvents = Object.assign(new EventTarget(), { innerWidth: 800 });
  elements = new Map();
  pads = [];
  const body = new FakeElement();
  body.dataset["device"] = "keyboard";
  vi.stubGlobal("window", windowEvents);
  vi.stubGlobal("Element", FakeElement);
  vi.stubGlobal("document", Object.assign(new EventTarget(), {
    body, pointerLockElement: null, getElementById: byId, exitPointerLock: vi.fn(), createElement: () => new FakeElement(),
  }));
  vi.stubGlobal("navigator", { getGamepads: () => pads });
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  vi.stubGlobal("HTMLInputElement", class {});
  vi.stubGlobal("HTMLButtonElement", class {});
});
afterEach(() => vi.unstubAllGlobals());

/** Controls of a match, and what its core receives: all keys are bound but those of the system. */
function match(): { controls: Controls; canvas: FakeElement; devices: Devices; captured: boolean[]; frame(): string[] } {
  const names: string[] = [];
  const samples = Array.from({ length: 256 }, () => ({ key: 0, value: 0 }));
  const core = {
    controls: { samples, count: 0 },
    keyNumber: (name: string) => (names.includes(name) ? 0 : names.push(name)) || names.indexOf(name) + 1,
    keyBound: (key: number) => !names[key - 1]!.startsWith("Meta"),
  };
  const devices = new Devices();
  devices.attach(core);
  const canvas = byId("view");
  const captured: boolean[] = [];
  const nothing = (): void => undefined;
  const controls = new Controls(canvas as unknown as HTMLCanvasElement, {
    scoreboard: nothing, netPanel: nothing, lagPanel: nothing, bindings: nothing, sound: nothing, remoteDebug: nothing, shotDebug: nothing,
    spectate: nothing, noPointerLock: nothing, mouseCaptured: (yes) => captured.push(yes),
  });
  controls.attach(devices);
  controls.begin(false);
  const frame = (): string[] => {
    controls.write({} as Roots["controls"]);
    const received = samples.slice(0, core.controls.count).map(({ key, value }) => `${names[key - 1]} ${value}`);
    core.controls.count = 0;
    return received;
  };
  return { controls, canvas, devices, captured, frame };
}

/** Sends an event; returns whether the browser is kept from doing what it does with it. */
function send(to: EventTarget, kind: string, fields: object, target?: FakeElement): boolean {
  const e = Object.assign(new Event(kind, { cancelable: true }), fields);
  if (target !== undefined) Object.defineProperty(e, "target", { value: target });
  to.dispatchEvent(e);
  return e.defaultPrevented;
}
const key = (code: string, down = true, fields: object = {}): boolean => send(windowEvents, down ? "keydown" : "keyup", { code, ...fields });
const capture = (canvas: FakeElement | null): void => {
  Object.assign(document, { pointerLockElement: canvas });
  document.dispatchEvent(new Event("pointerlockchange"));
};
const pad = (axes: number[]): GamepadState => ({ connected: true, mapping: "standard", axes, buttons: [] });

test("a key that goes up while Cmd is held, which a Mac does not report, is not stuck", () => {
  const { frame } = match();
  key("KeyW");
  key("MetaLeft", true, { metaKey: true });
  expect(frame()).toContain("KeyW 1");
  key("MetaLeft", false);
  expect(frame()).toContain("KeyW 0");
});

test("nor is it in a replay or in the split view", () => {
  const camera = new ReplayCamera({} as never, byId("view") as unknown as HTMLCanvasElement);
  const pane = byId("pane") as unknown as HTMLElement;
  const split = new SplitControls(pane, pane, pane, () => [0, 0, 0], () => undefined);
  key("KeyW");
  key("MetaLeft");
  expect([camera.moved, split.read()?.back]).toEqual([true, -1]);
  key("MetaLeft", false);
  expect([camera.moved, split.read()?.back]).toEqual([false, 0]);
});

test("keys with Cmd are the browser's: Cmd+R loads the page anew and does not reload the weapon", () => {
  const { frame } = match();
  expect(key("KeyR", true, { metaKey: true })).toBe(false);
  expect(frame()).toEqual([]);
  expect(key("KeyR")).toBe(true);
  expect(frame()).toEqual(["KeyR 1"]);
});

test("the wheel changes the weapon, and with Ctrl, which crouches, it does not zoom the page", () => {
  const { canvas, frame } = match();
  const turn = (): boolean => send(document, "wheel", { deltaY: 100, ctrlKey: true });
  expect([turn(), frame()]).toEqual([false, []]); // the mouse is free: the page's own
  capture(canvas);
  expect([turn(), frame()]).toEqual([true, ["Mouse.WheelDown 1", "Mouse.WheelDown 0"]]);
});

test("a mouse that the browser captures after the match was left is free again", () => {
  const { controls, canvas } = match();
  controls.end();
  capture(canvas);
  expect(document.exitPointerLock).toHaveBeenCalledTimes(1);
});

test("a player with a gamepad opens and closes a panel: the mouse is not captured, and no note asks for a click", () => {
  const { controls, canvas, captured, frame } = match();
  pads = [pad([0.9, 0, 0, 0])];
  frame();
  controls.setPanelOpen(true);
  controls.setPanelOpen(false);
  expect(canvas.requestPointerLock).not.toHaveBeenCalled();
  expect([captured.at(-1), controls.ready]).toEqual([true, true]);
  useDevice("keyboard");
  send(document, "mousedown", { button: 0 }, canvas);
  expect(canvas.requestPointerLock).toHaveBeenCalledTimes(1);
});

test("a gamepad that lies beside a phone does not hold the thumb's stick, and takes over when it is moved", () => {
  const { controls, canvas, frame } = match();
  new Touch(canvas as unknown as HTMLElement, () => controls.listening, () => "");
  pads = [pad([0.004, 0, 0, 0])];
  frame();
  useDevice("touch");
  frame();
  const finger = { pointerType: "touch", pointerId: 1 };
  send(canvas, "pointerdown", { ...finger, clientX: 100, clientY: 300 });
  send(canvas, "pointermove", { ...finger, clientX: 152, clientY: 300 });
  expect(frame()).toContain("Pad.LeftX 1");
  expect(frame()).toEqual([]);
  send(canvas, "pointerup", finger);
  expect(frame()).toEqual(["Pad.LeftX 0"]);
  pads = [pad([-0.9, 0, 0, 0])];
  expect(frame()).toEqual(["Pad.LeftX -0.9"]);
  pads = [];
  expect(frame()).toEqual(["Pad.LeftX 0"]);
});

/** A fire button and what it sends. */
function fireButton(): { fire: FakeElement; down(id: number): void; up(id: number): void; frame(): string[] } {
  const { controls, canvas, frame } = match();
  const fire = new FakeElement();
  byId("touch").children.push(fire);
  new Touch(canvas as unknown as HTMLElement, () => controls.listening, () => "Mouse.Left");
  const at = (pointerId: number): object => ({ pointerType: "touch", pointerId, clientX: 700, clientY: 300 });
  return { fire, down: (id) => void send(fire, "pointerdown", at(id)), up: (id) => void send(fire, "pointerup", at(id)), frame };
}

test("of two fingers on one button the one that stays holds it", () => {
  const { fire, down, up, frame } = fireButton();
  down(1);
  down(2);
  expect(frame()).toEqual(["Mouse.Left 1"]);
  up(1);
  expect([frame(), fire.classes.has("pressed")]).toEqual([[], true]);
  up(2);
  expect([frame(), fire.classes.has("pressed")]).toEqual([["Mouse.Left 0"], false]);
});

test("a page that loses the focus forgets its fingers, also those of which it never hears again", () => {
  const { fire, down, up, frame } = fireButton();
  down(1);
  send(byId("view"), "pointerdown", { pointerType: "touch", pointerId: 2, clientX: 100, clientY: 300 });
  frame();
  windowEvents.dispatchEvent(new Event("blur"));
  expect([frame(), fire.classes.has("pressed"), byId("touch-stick").classes.has("held")]).toEqual([["Mouse.Left 0"], false, false]);
  down(3);
  up(3);
  expect(frame()).toEqual(["Mouse.Left 1", "Mouse.Left 0"]);
});

test("at the end of a round a digit votes once, and not when it is typed into a field", () => {
  const votes: number[] = [];
  const panel = new RoundPanel((level) => votes.push(level));
  panel.update({ over: true, left: 5, levels: "Arena\nYard", level: 0, votes: [0, 0], winner: 0, team: 0 } as unknown as Round, 1, () => "");
  const field = new FakeElement();
  field.inPanel = true;
  send(windowEvents, "keydown", { code: "Digit2" }, field);
  expect(votes).toEqual([]);
  key("Digit2");
  key("Digit2", true, { repeat: true });
  expect(votes).toEqual([1]);
});
