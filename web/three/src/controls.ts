// Keyboard, mouse, touch and gamepad as the fields of a command. Start at Controls.move.
import { clamp, wrapAngle } from "./math.js";

/** Options of Controls; each may be left out. */
export interface ControlsOptions {
  /** Factor of the mouse's and the finger's speed. By default 1: 0.0022 radians a pixel. */
  sensitivity?: number;
  /** Whether moving the mouse forward looks down. By default false. */
  invert?: boolean;
  /** Whether a click on the canvas captures the mouse. By default true. Without a captured mouse, dragging
   * turns the view. */
  lock?: boolean;
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
const STICK = 2.6; // radians a second at full deflection
const DEADZONE = 0.15;
const MAX_PITCH = 1.5;
const TOUCH_REACH = 60; // pixels of a finger for full speed
const TAP = 250; // milliseconds

/** Finger on the glass: the left half moves, the right half looks. */
interface Finger {
  moves: boolean;
  x: number;
  y: number;
  dx: number;
  dy: number;
  since: number;
}

/** What is held and where the player looks. WASD and the arrows walk, Space jumps, C or the left control key
 * crouches, the left button fires. On glass a finger on the left half walks, one on the right half looks, and a
 * tap fires. A gamepad's sticks walk and look, A jumps, B crouches, the right trigger fires. */
export class Controls {
  /** Where the player looks, radians. */
  yaw = 0;
  pitch = 0;
  sensitivity: number;
  invert: boolean;
  private readonly down = new Set<string>();
  private readonly fresh = new Set<string>(); // pressed since the last call of pressed
  private readonly fingers = new Map<number, Finger>();
  private readonly listeners = new AbortController();
  private readonly lock: boolean;
  private tapped = 0; // performance.now() until which a tap fires
  private polled = performance.now(); // the gamepad

  constructor(private readonly canvas: HTMLElement, options: ControlsOptions = {}) {
    this.sensitivity = options.sensitivity ?? 1;
    this.invert = options.invert ?? false;
    this.lock = options.lock ?? true;
    const on = (target: EventTarget, kind: string, run: (e: never) => void): void => target.addEventListener(kind, run as EventListener, { signal: this.listeners.signal });
    on(window, "keydown", (e: KeyboardEvent) => this.key(e));
    on(window, "keyup", (e: KeyboardEvent) => this.down.delete(e.code));
    on(window, "blur", () => this.release());
    on(document, "visibilitychange", () => document.hidden && this.release());
    on(canvas, "pointerdown", (e: PointerEvent) => this.pointerDown(e));
    on(window, "pointermove", (e: PointerEvent) => this.pointerMove(e));
    on(window, "pointerup", (e: PointerEvent) => this.pointerUp(e));
    on(window, "pointercancel", (e: PointerEvent) => this.pointerUp(e));
    on(canvas, "contextmenu", (e: Event) => e.preventDefault());
    canvas.style.touchAction = "none";
  }

  /** The standard fields of a command, for session.frame: { ...controls.move }. */
  get move(): Move {
    const { forward, right, yaw, pitch, jump, crouch } = this;
    return { forward, right, yaw, pitch, jump, crouch };
  }

  get forward(): number {
    this.pollGamepad();
    return clamp(this.axis(["KeyW", "ArrowUp"], ["KeyS", "ArrowDown"]) - this.stick(1) - this.finger("dy"), 1);
  }

  get right(): number {
    return clamp(this.axis(["KeyD", "ArrowRight"], ["KeyA", "ArrowLeft"]) + this.stick(0) + this.finger("dx"), 1);
  }

  get jump(): boolean {
    return this.held("Space") || this.button(0);
  }

  get crouch(): boolean {
    return this.held("KeyC") || this.held("ControlLeft") || this.button(1);
  }

  get fire(): boolean {
    return this.held("Mouse0") || this.button(7) || performance.now() < this.tapped;
  }

  /** Whether a key (KeyboardEvent.code) or a mouse button (Mouse0 left, Mouse1 middle, Mouse2 right) is down. */
  held(code: string): boolean {
    return this.down.has(code);
  }

  /** Whether a key or button was pressed since the last call with this code. */
  pressed(code: string): boolean {
    return this.fresh.delete(code);
  }

  /** Whether the mouse is captured. */
  get locked(): boolean {
    return document.pointerLockElement === this.canvas;
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
    if (this.locked) document.exitPointerLock();
  }

  private axis(plus: readonly string[], minus: readonly string[]): number {
    const any = (codes: readonly string[]): number => Number(codes.some((code) => this.down.has(code)));
    return any(plus) - any(minus);
  }

  private press(code: string): void {
    this.down.add(code);
    this.fresh.add(code);
  }

  private release(): void {
    this.down.clear();
    this.fingers.clear();
  }

  private key(e: KeyboardEvent): void {
    if (e.repeat || e.metaKey || e.target instanceof HTMLInputElement || e.target instanceof HTMLTextAreaElement) return;
    this.press(e.code);
    if (e.code === "Space" || e.code.startsWith("Arrow")) e.preventDefault(); // they would scroll the page
  }

  private pointerDown(e: PointerEvent): void {
    if (e.pointerType === "touch") {
      const moves = e.clientX < window.innerWidth / 2;
      this.fingers.set(e.pointerId, { moves, x: e.clientX, y: e.clientY, dx: 0, dy: 0, since: performance.now() });
      return;
    }
    if (this.lock && !this.locked) void Promise.resolve(this.canvas.requestPointerLock()).catch(() => undefined); // the browser may refuse
    this.press(`Mouse${e.button}`);
  }

  private pointerMove(e: PointerEvent): void {
    const finger = this.fingers.get(e.pointerId);
    if (finger?.moves === true) {
      finger.dx = clamp((e.clientX - finger.x) / TOUCH_REACH, 1);
      finger.dy = clamp((e.clientY - finger.y) / TOUCH_REACH, 1);
    } else if (finger !== undefined) {
      this.turn(2 * (e.clientX - finger.x), 2 * (e.clientY - finger.y));
      [finger.x, finger.y] = [e.clientX, e.clientY];
    } else if (this.locked || (e.pointerType === "mouse" && e.buttons !== 0 && e.target === this.canvas)) this.turn(e.movementX, e.movementY);
  }

  private pointerUp(e: PointerEvent): void {
    const finger = this.fingers.get(e.pointerId);
    this.fingers.delete(e.pointerId);
    if (e.pointerType !== "touch") this.down.delete(`Mouse${e.button}`);
    else if (finger?.moves === false && performance.now() - finger.since < TAP) this.tapped = performance.now() + 100;
  }

  private turn(dx: number, dy: number): void {
    const by = RADIANS * this.sensitivity;
    this.look(this.yaw - by * dx, this.pitch - by * dy * (this.invert ? -1 : 1));
  }

  private finger(axis: "dx" | "dy"): number {
    for (const finger of this.fingers.values()) if (finger.moves) return finger[axis];
    return 0;
  }

  private get gamepad(): Gamepad | undefined {
    return navigator.getGamepads?.().find((pad) => pad?.mapping === "standard") ?? undefined;
  }

  private stick(axis: number): number {
    const value = this.gamepad?.axes[axis] ?? 0;
    return Math.abs(value) < DEADZONE ? 0 : value;
  }

  private button(index: number): boolean {
    return this.gamepad?.buttons[index]?.pressed === true;
  }

  private pollGamepad(): void {
    const now = performance.now();
    const by = (STICK * Math.min(now - this.polled, 100)) / 1000;
    this.polled = now;
    const [x, y] = [this.stick(2), this.stick(3)];
    if (x !== 0 || y !== 0) this.look(this.yaw - by * x, this.pitch - by * y * (this.invert ? -1 : 1));
  }
}
