// Keyboard, mouse, touch and gamepad as the fields of a command. Start at Controls.move.
import { PAD_BUTTONS, standardGamepad, stick } from "./gamepad.js";
import { clamp, wrapAngle } from "./math.js";
import { TouchScreen, type TouchButtons } from "./touch.js";

/** Options of Controls; each may be left out. */
export interface ControlsOptions {
  /** Factor of how far the mouse, a finger and a gamepad's stick turn the view. By default 1: 0.0022 radians a
   * pixel, and 3 radians a second for a stick pushed all the way. */
  sensitivity?: number;
  /** Whether moving the mouse forward looks down. By default false. */
  invert?: boolean;
  /** Whether a click on the canvas captures the mouse. By default true. Without a captured mouse, dragging
   * turns the view. */
  lock?: boolean;
  /** Buttons on the screen while touch is in use, by the key that each stands for: { Space: "jump", Mouse0: "fire" }.
   * Mouse0, or else the first, is the largest. By default none; at most 8. */
  buttons?: TouchButtons;
  /** Whether the player is seen from above, with −Z up the screen; can be changed later. By default false. */
  topDown?: boolean;
}

/** What the standard fields of a command need (Go: movement.Command). */
export interface Move {
  /** −1 to 1. */
  forward: number;
  right: number;
  /** Radians; yaw 0 looks along −Z, pitch is positive upwards. */
  yaw: number;
  pitch: number;
  jump: boolean;
  crouch: boolean;
}

const RADIANS = 0.0022; // a pixel
const TURN_RATE = 3; // radians a second of a stick pushed all the way
const CURVE = 0.6; // of the stick that turns the view: its middle is finer
const MAX_PITCH = 1.5;
const TOUCH_REACH = 60; // pixels of a finger for full speed
const TAP = 250; // milliseconds
const TAP_HELD = 100; // milliseconds that it fires
const JUMP = ["Space", "Pad0"];
const CROUCH = ["KeyC", "ControlLeft", "Pad1"];
const TAPPED = "Tap"; // as a button that went down and up
const TAP_TRAVEL = 10; // pixels; a finger that goes farther turns the view

/** Finger on the glass: it moves the stick, or turns the view, also from a button. */
interface Finger {
  readonly moves: boolean;
  readonly button: string; // its code, or empty
  readonly since: number;
  readonly startX: number;
  readonly startY: number;
  x: number;
  y: number;
  travelled: boolean; // farther than a tap
}

/** What is held and where the player looks. WASD and the arrows walk, Space jumps, C or the left control key
 * crouches, the left button fires. On glass a finger on the left half walks, one on the right half looks, and a
 * tap fires, unless there is a button for it. A gamepad's sticks walk and look, A jumps, B crouches, the right
 * trigger fires. */
export class Controls {
  /** Where the player looks, radians. */
  yaw = 0;
  pitch = 0;
  sensitivity: number;
  invert: boolean;
  private readonly down = new Set<string>();
  private readonly fresh = new Set<string>(); // pressed since the last call of pressed
  private readonly unseen = new Set<string>(); // down, and not yet asked for by held
  private readonly brief = new Map<string, number>(); // performance.now() when those went up again that no frame has seen
  private readonly fingers = new Map<number, Finger>();
  private readonly listeners = new AbortController();
  private readonly lock: boolean;
  private readonly buttons: TouchButtons;
  private screen: TouchScreen | undefined; // made when it is first shown
  private touching = false;
  private fromAbove: boolean;
  private capturing = -1; // the mouse button of the click that is to capture the mouse
  private tapped = 0; // performance.now() until which a tap fires
  private polled = performance.now(); // the gamepad

  constructor(private readonly canvas: HTMLElement, options: ControlsOptions = {}) {
    this.sensitivity = options.sensitivity ?? 1;
    this.invert = options.invert ?? false;
    this.lock = options.lock ?? true;
    this.buttons = options.buttons ?? {};
    this.fromAbove = options.topDown ?? false;
    const on = (target: EventTarget, kind: string, run: (e: never) => void): void => target.addEventListener(kind, run as EventListener, { signal: this.listeners.signal });
    on(window, "keydown", (e: KeyboardEvent) => this.key(e));
    on(window, "keyup", (e: KeyboardEvent) => this.keyUp(e));
    on(window, "blur", () => this.release());
    on(document, "visibilitychange", () => document.hidden && this.release());
    on(document, "pointerlockerror", () => this.captureRefused());
    on(canvas, "pointerdown", (e: PointerEvent) => this.pointerDown(e));
    on(window, "pointermove", (e: PointerEvent) => this.pointerMove(e));
    on(window, "pointerup", (e: PointerEvent) => this.pointerUp(e));
    on(window, "pointercancel", (e: PointerEvent) => this.pointerUp(e));
    on(canvas, "contextmenu", (e: Event) => e.preventDefault());
    canvas.style.touchAction = "none";
    this.useTouch(window.matchMedia?.("(pointer: coarse)").matches === true);
  }

  /** The standard fields of a command, for session.frame: { ...controls.move }. Seen from above, W walks up the
   * screen, wherever the player looks. */
  get move(): Move {
    const pad = this.pollGamepad(); // once, before the view is read, which it turns
    const [forward, right, jump, crouch] = [this.forwardBy(pad), this.rightBy(pad), this.isHeld(JUMP), this.isHeld(CROUCH)];
    const { yaw, pitch } = this;
    if (!this.fromAbove) return { forward, right, yaw, pitch, jump, crouch };
    const [sin, cos] = [Math.sin(yaw), Math.cos(yaw)];
    return { forward: forward * cos - right * sin, right: right * cos + forward * sin, yaw, pitch, jump, crouch };
  }

  get forward(): number {
    return this.forwardBy(this.pollGamepad());
  }

  get right(): number {
    return this.rightBy(this.pollGamepad());
  }

  get jump(): boolean {
    return this.held(...JUMP);
  }

  get crouch(): boolean {
    return this.held(...CROUCH);
  }

  get fire(): boolean {
    return this.held("Mouse0", "Pad7", TAPPED) || performance.now() < this.tapped;
  }

  /** Whether one of these is down, or was since the frame before, however slow the frames are: a key (KeyboardEvent.code), a mouse button (Mouse0 left, Mouse1 middle, Mouse2
   * right), a gamepad's button (Pad0 to Pad16, by the standard mapping). */
  held(...codes: readonly string[]): boolean {
    this.pollGamepad();
    return this.isHeld(codes);
  }

  private isHeld(codes: readonly string[]): boolean {
    if (this.brief.size > 0) queueMicrotask(this.forget); // when this frame has read what it wants
    let any = false;
    for (const code of codes) {
      any ||= this.down.has(code) || performance.now() - (this.brief.get(code) ?? -Infinity) < TAP;
      this.unseen.delete(code);
    }
    return any;
  }

  /** Whether one of these keys or buttons was pressed since the last call with its code. */
  pressed(...codes: readonly string[]): boolean {
    this.pollGamepad();
    return codes.filter((code) => this.fresh.delete(code)).length > 0;
  }

  /** Whether the mouse is captured. */
  get locked(): boolean {
    return document.pointerLockElement === this.canvas;
  }

  /** Whether touch was used last, or nothing yet on a device that has mainly touch. */
  get touch(): boolean {
    return this.touching;
  }

  /** Whether the player is seen from above: it looks at the mouse cursor, or where the right stick or the finger on
   * the right half points. */
  get topDown(): boolean {
    return this.fromAbove;
  }

  set topDown(yes: boolean) {
    this.fromAbove = yes;
    if (yes && this.locked) document.exitPointerLock(); // its cursor is needed
  }

  /** Turns the view to where the server has placed the player, radians. */
  look(yaw: number, pitch = 0): void {
    this.yaw = wrapAngle(yaw);
    this.pitch = clamp(pitch, MAX_PITCH);
  }

  /** Stops listening. */
  dispose(): void {
    this.listeners.abort();
    this.release();
    this.screen?.dispose();
    if (this.locked) document.exitPointerLock();
  }

  private forwardBy(pad: Gamepad | undefined): number {
    const [, y] = this.walkStick(pad);
    return clamp(this.axis(["KeyW", "ArrowUp"], ["KeyS", "ArrowDown"]) - y, 1);
  }

  private rightBy(pad: Gamepad | undefined): number {
    const [x] = this.walkStick(pad);
    return clamp(this.axis(["KeyD", "ArrowRight"], ["KeyA", "ArrowLeft"]) + x, 1);
  }

  private axis(plus: readonly string[], minus: readonly string[]): number {
    return Number(this.isHeld(plus)) - Number(this.isHeld(minus));
  }

  private press(code: string): void {
    this.down.add(code);
    this.fresh.add(code);
    this.unseen.add(code);
  }

  private raise(code: string): void {
    this.down.delete(code);
    if (this.unseen.delete(code)) this.brief.set(code, performance.now());
  }

  private readonly forget = (): void => this.brief.clear();

  private release(): void {
    const fingers = [...this.fingers.values()];
    this.fingers.clear();
    for (const finger of fingers) this.lift(finger);
    for (const codes of [this.down, this.unseen, this.brief]) codes.clear();
    this.capturing = -1;
  }

  private key(e: KeyboardEvent): void {
    if (e.metaKey || e.isComposing || takesText(e.composedPath()[0])) return;
    const scrolls = e.code === "Space" || e.code.startsWith("Arrow");
    const shortcut = e.ctrlKey && /^Key[WASD]$/.test(e.code); // with Ctrl, which crouches, S would save the page
    if (scrolls || shortcut) e.preventDefault();
    if (e.repeat) return;
    this.useTouch(false);
    this.press(e.code);
  }

  /** While Cmd is held, a Mac does not report which keys go up. */
  private keyUp({ code }: KeyboardEvent): void {
    this.raise(code);
    if (code.startsWith("Meta")) this.release();
  }

  private pointerDown(e: PointerEvent): void {
    this.useTouch(onGlass(e));
    if (this.touching) return this.touchDown(e, "");
    if (this.lock && !this.fromAbove && !this.locked) return this.capture(e.button);
    if (this.fromAbove) this.lookFromMiddle(e);
    this.press(`Mouse${e.button}`);
  }

  /** A click that captures the mouse does nothing else. */
  private capture(button: number): void {
    this.capturing = button;
    if (this.canvas.requestPointerLock === undefined) return this.captureRefused(); // on phones
    void Promise.resolve(this.canvas.requestPointerLock()).catch(() => this.captureRefused());
  }

  /** Without a captured mouse, a button that is still held is a button like any other. */
  private captureRefused(): void {
    if (this.capturing >= 0) this.press(`Mouse${this.capturing}`);
    this.capturing = -1;
  }

  private pointerMove(e: PointerEvent): void {
    const finger = this.fingers.get(e.pointerId);
    if (finger !== undefined) return this.touchMove(finger, e);
    if (e.pointerType !== "mouse") return;
    this.useTouch(false);
    if (e.button >= 0) this.chord(e);
    if (this.fromAbove) this.lookFromMiddle(e);
    else if (this.locked || (e.buttons !== 0 && e.target === this.canvas)) this.turn(e.movementX, e.movementY);
  }

  /** While one button of a mouse is held, another one that changes is a pointermove. */
  private chord(e: PointerEvent): void {
    const bit = [1, 4, 2, 8, 16][e.button] ?? 0;
    if ((e.buttons & bit) === 0) this.raise(`Mouse${e.button}`);
    else if (e.target === this.canvas) this.press(`Mouse${e.button}`);
  }

  private pointerUp(e: PointerEvent): void {
    const finger = this.fingers.get(e.pointerId);
    this.fingers.delete(e.pointerId);
    if (finger !== undefined) {
      this.lift(finger);
      if (e.type === "pointerup" && this.isTap(finger)) this.tap();
    }
    if (onGlass(e)) return;
    this.raise(`Mouse${e.button}`);
    this.capturing = -1;
  }

  /** Shows or hides what touch needs on the screen. */
  private useTouch(yes: boolean): void {
    if (yes === this.touching) return;
    this.touching = yes;
    if (yes) this.screen ??= new TouchScreen(this.buttons, (code, e) => this.touchDown(e, code));
    this.screen?.show(yes);
  }

  private touchDown(e: PointerEvent, button: string): void {
    const moves = button === "" && e.clientX < window.innerWidth / 2;
    const [x, y] = [e.clientX, e.clientY];
    const finger = { moves, button, since: performance.now(), startX: x, startY: y, x, y, travelled: false };
    this.fingers.set(e.pointerId, finger);
    if (moves) this.screen?.moveStick(finger);
    if (button === "") return;
    this.press(button);
    this.screen?.mark(button, true);
  }

  private touchMove(finger: Finger, { clientX, clientY }: PointerEvent): void {
    const [dx, dy] = [clientX - finger.x, clientY - finger.y];
    [finger.x, finger.y] = [clientX, clientY];
    const [x, y] = [clientX - finger.startX, clientY - finger.startY];
    finger.travelled ||= Math.hypot(x, y) >= TAP_TRAVEL;
    if (finger.moves) this.screen?.moveStick(finger, ...deflection(finger));
    else if (!this.fromAbove) this.turn(2 * dx, 2 * dy);
    else if (Math.hypot(x, y) >= TAP_TRAVEL) this.look(Math.atan2(-x, -y), this.pitch);
  }

  /** Ends what a finger has done, unless another one does the same. */
  private lift({ moves, button }: Finger): void {
    const other = [...this.fingers.values()].find((finger) => finger.moves === moves && finger.button === button);
    if (moves) return other === undefined ? this.screen?.moveStick() : this.screen?.moveStick(other, ...deflection(other));
    if (other !== undefined) return;
    this.raise(button);
    this.screen?.mark(button, false);
  }

  private tap(): void {
    this.tapped = performance.now() + TAP_HELD;
    this.brief.set(TAPPED, performance.now());
  }

  /** Whether a finger that went up fires. */
  private isTap({ moves, button, travelled, since }: Finger): boolean {
    return !moves && button === "" && !travelled && performance.now() - since < TAP && !("Mouse0" in this.buttons);
  }

  private turn(dx: number, dy: number): void {
    const by = RADIANS * this.sensitivity;
    this.look(this.yaw - by * dx, this.pitch - by * dy * (this.invert ? -1 : 1));
  }

  /** Looks from the middle of the canvas, where the player is, to the cursor. */
  private lookFromMiddle({ clientX, clientY }: PointerEvent): void {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    this.look(Math.atan2(left + width / 2 - clientX, top + height / 2 - clientY), this.pitch);
  }

  /** Returns how far the stick that walks is pushed, a gamepad's or the one on the glass: y is downwards. */
  private walkStick(pad: Gamepad | undefined): [x: number, y: number] {
    for (const finger of this.fingers.values()) if (finger.moves) return deflection(finger);
    const { axes = [] } = pad ?? {};
    return stick(axes[0] ?? 0, axes[1] ?? 0, 0);
  }

  private pollGamepad(): Gamepad | undefined {
    const now = performance.now();
    const by = (TURN_RATE * this.sensitivity * Math.min(now - this.polled, 100)) / 1000;
    this.polled = now;
    const pad = standardGamepad();
    PAD_BUTTONS.forEach((code, i) => {
      if (pad?.buttons[i]?.pressed !== true) return this.down.delete(code);
      if (!this.down.has(code)) this.press(code);
      return this.useTouch(false);
    });
    const { axes = [] } = pad ?? {};
    const [x, y] = stick(axes[2] ?? 0, axes[3] ?? 0, this.fromAbove ? 0 : CURVE);
    if (x === 0 && y === 0) return pad;
    this.useTouch(false);
    if (this.fromAbove) this.look(Math.atan2(-x, -y), this.pitch);
    else this.look(this.yaw - by * x, this.pitch - by * y * (this.invert ? -1 : 1));
    return pad;
  }
}

/** Whether an event is of a finger, or of a pen, which is one: a pen does not capture the mouse. */
function onGlass({ pointerType }: PointerEvent): boolean {
  return pointerType === "touch" || pointerType === "pen";
}

/** Whether keys that go to an element are text or choose something. */
function takesText(target: EventTarget | undefined): boolean {
  const { localName = "", isContentEditable } = (target ?? {}) as Partial<HTMLElement>;
  return isContentEditable === true || ["input", "textarea", "select"].includes(localName);
}

/** Returns how far a finger has moved the stick, at most 1. */
function deflection({ startX, startY, x, y }: Finger): [x: number, y: number] {
  const by = 1 / Math.max(TOUCH_REACH, Math.hypot(x - startX, y - startY));
  return [(x - startX) * by, (y - startY) * by];
}
