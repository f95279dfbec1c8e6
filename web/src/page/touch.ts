// Play by touch: a stick under the left thumb, looking by dragging elsewhere, and buttons. Start at Touch.
import type { Devices } from "./devices";
import { element } from "./dom";

/** Distance from where the thumb went down to full speed, CSS pixels. */
const STICK_RADIUS = 52;
/** Counts of the mouse for one CSS pixel of dragging: half a turn takes a swipe of 360 pixels. */
const LOOK_COUNTS = 4;
/** Share of the screen, from the left, in which a finger moves the stick. */
const STICK_SHARE = 0.42;

/** Turns fingers into samples of devices. Buttons press the key that is bound to their action. */
export class Touch {
  /** Factor of what dragging turns. */
  sensitivity = 1;
  /** Another factor, of aim assist. */
  lookFactor = 1;
  private readonly root = element("touch");
  private readonly stick = element("touch-stick");
  private stickFinger: { id: number; x: number; y: number } | undefined;
  private readonly looking = new Map<number, { x: number; y: number }>();
  private readonly pressing = new Map<number, () => void>(); // fingers on buttons, and what releases the button

  /** keyOf returns the key that is bound to an action. */
  constructor(canvas: HTMLElement, private readonly devices: () => Devices | undefined, keyOf: (action: string) => string) {
    canvas.addEventListener("touchstart", (e) => e.preventDefault(), { passive: false }); // else mouse events follow
    this.listen(canvas, (e) => (e.clientX < STICK_SHARE * window.innerWidth ? this.takeStick(e) : this.beginLook(e)));
    for (const button of this.root.querySelectorAll<HTMLElement>("button[data-touch]")) {
      let key = "";
      const release = (): void => {
        button.classList.remove("pressed");
        this.devices()?.sample(key, 0);
      };
      this.listen(button, (e) => {
        key = keyOf(button.dataset["touch"] ?? "");
        this.pressing.set(e.pointerId, release);
        button.classList.add("pressed");
        if (key.startsWith("Mouse.Wheel")) this.devices()?.tap(key);
        else this.devices()?.sample(key, 1);
        this.beginLook(e); // so that a thumb can aim while it fires
      });
    }
    window.addEventListener("blur", () => this.releaseAll()); // not every browser says that the fingers went up
  }

  /** Shows or hides the stick and the buttons. */
  show(yes: boolean): void {
    this.root.hidden = !yes;
    if (!yes) this.releaseAll();
  }

  private listen(on: HTMLElement, down: (e: PointerEvent) => void): void {
    on.addEventListener("pointerdown", (e) => {
      if (e.pointerType !== "touch" || this.devices() === undefined) return;
      on.setPointerCapture?.(e.pointerId);
      down(e);
    });
    on.addEventListener("pointermove", (e) => this.move(e));
    for (const kind of ["pointerup", "pointercancel"] as const) on.addEventListener(kind, (e) => this.end(e.pointerId));
  }

  private takeStick(e: PointerEvent): void {
    if (this.stickFinger !== undefined) return;
    this.stickFinger = { id: e.pointerId, x: e.clientX, y: e.clientY };
    this.stick.style.translate = `${e.clientX}px ${e.clientY}px`;
    this.stick.classList.add("held");
  }

  private beginLook(e: PointerEvent): void {
    this.looking.set(e.pointerId, { x: e.clientX, y: e.clientY });
  }

  private move(e: PointerEvent): void {
    const from = this.stickFinger;
    if (from?.id === e.pointerId) return this.moveStick(e.clientX - from.x, e.clientY - from.y);
    const last = this.looking.get(e.pointerId);
    if (last === undefined) return;
    const counts = LOOK_COUNTS * this.sensitivity * this.lookFactor;
    this.devices()?.move("Mouse.X", counts * (e.clientX - last.x));
    this.devices()?.move("Mouse.Y", counts * (e.clientY - last.y));
    this.looking.set(e.pointerId, { x: e.clientX, y: e.clientY });
  }

  /** The stick is a gamepad's left one for the bindings. */
  private moveStick(dx: number, dy: number): void {
    const scale = 1 / Math.max(STICK_RADIUS, Math.hypot(dx, dy));
    this.devices()?.sample("Pad.LeftX", dx * scale);
    this.devices()?.sample("Pad.LeftY", dy * scale);
    this.stick.style.setProperty("--x", `${dx * scale * STICK_RADIUS}px`);
    this.stick.style.setProperty("--y", `${dy * scale * STICK_RADIUS}px`);
  }

  private end(finger: number): void {
    this.looking.delete(finger);
    const release = this.pressing.get(finger);
    this.pressing.delete(finger);
    if (![...this.pressing.values()].includes(release!)) release?.(); // else another finger holds the same button
    if (this.stickFinger?.id !== finger) return;
    this.stickFinger = undefined;
    this.stick.style.translate = "";
    this.stick.classList.remove("held");
    this.moveStick(0, 0);
  }

  private releaseAll(): void {
    if (this.stickFinger !== undefined) this.end(this.stickFinger.id);
    for (const finger of [...this.pressing.keys()]) this.end(finger);
    this.looking.clear();
  }
}
