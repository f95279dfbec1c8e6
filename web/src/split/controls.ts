// Keys, mouse and touch of the split view. Start at SplitControls.
import type { Controls } from "./orders.js";

const STICK = 42; // CSS pixels from the middle to full speed
const TAP_MS = 250;
const TAP_WAY = 12;
/** Without input for so long, the bot plays again. */
const IDLE_MS = 30_000;
/** A press counts at least so long, ms: slow motion must not swallow it. */
const PRESS_MS = 60;

const RUN: Readonly<Record<string, readonly [number, number]>> = {
  KeyW: [0, -1], ArrowUp: [0, -1], KeyS: [0, 1], ArrowDown: [0, 1],
  KeyA: [-1, 0], ArrowLeft: [-1, 0], KeyD: [1, 0], ArrowRight: [1, 0],
};
const FIRE = new Set(["KeyF", "Enter"]);

/** A finger on the pane. */
interface Finger {
  id: number;
  x: number;
  y: number;
  at: number;
  right: number;
  back: number;
  moved: boolean;
}

export class SplitControls {
  private readonly held = new Set<string>();
  private jumpUntil = 0;
  private fire: { point: readonly [number, number, number] | undefined } | undefined;
  private finger: Finger | undefined;
  private usedAt = -Infinity;

  /** pick returns what is under a place of the pane, CSS pixels from its corner; pause is the key P. */
  constructor(private readonly pane: HTMLElement, private readonly stick: HTMLElement, jump: HTMLElement,
    private readonly pick: (x: number, y: number) => readonly [number, number, number], private readonly pause: () => void) {
    window.addEventListener("keydown", (e) => this.key(e, true));
    window.addEventListener("keyup", (e) => this.key(e, false));
    window.addEventListener("blur", () => this.held.clear());
    pane.addEventListener("pointerdown", (e) => this.down(e));
    pane.addEventListener("pointermove", (e) => this.move(e));
    for (const kind of ["pointerup", "pointercancel"] as const) pane.addEventListener(kind, (e) => this.up(e, kind === "pointerup"));
    jump.addEventListener("pointerdown", (e) => {
      e.stopPropagation();
      this.press(() => (this.jumpUntil = performance.now() + 200));
    });
    if (matchMedia("(pointer: coarse)").matches) stick.hidden = jump.hidden = false;
  }

  /** Whether the visitor plays. */
  get playing(): boolean {
    return performance.now() - this.usedAt < IDLE_MS;
  }

  /** Leaves the character to the bot. */
  release(): void {
    this.usedAt = -Infinity;
    this.held.clear();
  }

  /** Returns what the visitor does now; undefined leaves the character to the bot. A shot is returned once. */
  read(): Controls | undefined {
    if (!this.playing) return undefined;
    let [right, back] = [this.finger?.right ?? 0, this.finger?.back ?? 0];
    for (const code of this.held) {
      const [x, z] = RUN[code] ?? [0, 0];
      right += x;
      back += z;
    }
    const length = Math.max(1, Math.hypot(right, back));
    const fire = this.fire;
    this.fire = undefined;
    return { right: right / length, back: back / length, jump: this.held.has("Space") || performance.now() < this.jumpUntil, fire: fire !== undefined, point: fire?.point };
  }

  private press(act: () => void): void {
    this.usedAt = performance.now();
    act();
  }

  private key(event: KeyboardEvent, down: boolean): void {
    const { code, target } = event;
    if (!down) this.held.delete(code);
    if (!down && code.startsWith("Meta")) this.held.clear(); // while Cmd is held, a Mac does not report which keys go up
    const free = !(target instanceof HTMLInputElement || target instanceof HTMLButtonElement);
    if (!down || event.ctrlKey || event.metaKey || event.altKey) return;
    if (code === "KeyP" && !event.repeat) return this.pause();
    const letter = code.startsWith("Key");
    if (!(free || letter) || !(code in RUN || code === "Space" || FIRE.has(code))) return;
    event.preventDefault();
    this.press(() => {
      if (FIRE.has(code)) {
        if (!event.repeat) this.fire = { point: undefined };
        return;
      }
      this.held.add(code);
      if (code === "Space") this.jumpUntil = performance.now() + PRESS_MS;
    });
  }

  private down(event: PointerEvent): void {
    if (event.target instanceof HTMLButtonElement || this.finger !== undefined) return;
    event.preventDefault();
    (document.activeElement as HTMLElement | null)?.blur(); // a slider would keep the arrow keys
    if (event.pointerType === "mouse") return this.press(() => this.shoot(event));
    this.pane.setPointerCapture(event.pointerId);
    this.press(() => (this.finger = { id: event.pointerId, x: event.clientX, y: event.clientY, at: performance.now(), right: 0, back: 0, moved: false }));
  }

  private move(event: PointerEvent): void {
    const f = this.finger;
    if (f?.id !== event.pointerId) return;
    const [x, y] = [(event.clientX - f.x) / STICK, (event.clientY - f.y) / STICK];
    const length = Math.max(1, Math.hypot(x, y));
    f.moved ||= Math.hypot(x, y) * STICK > TAP_WAY;
    [f.right, f.back] = f.moved ? [x / length, y / length] : [0, 0];
    this.knob(f.right, f.back);
    this.usedAt = performance.now();
  }

  private up(event: PointerEvent, ended: boolean): void {
    const f = this.finger;
    if (f?.id !== event.pointerId) return;
    this.finger = undefined;
    this.knob(0, 0);
    if (ended && !f.moved && performance.now() - f.at < TAP_MS) this.press(() => this.shoot(event));
  }

  private knob(right: number, back: number): void {
    (this.stick.firstElementChild as HTMLElement).style.transform = `translate(${20 * right}px, ${20 * back}px)`;
  }

  private shoot(event: PointerEvent): void {
    const { left, top } = this.pane.getBoundingClientRect();
    this.fire = { point: this.pick(event.clientX - left, event.clientY - top) };
  }
}
