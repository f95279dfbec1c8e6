// Keyboard and mouse, and a second pair of hands for scripts. Start at Controls.
import { Layout as L } from "../client/index";

/** What a player's hands do. A script sets what it wants and leaves the rest. */
export interface Hands {
  /** −1 to 1. */
  forward: number;
  /** −1 to 1. */
  right: number;
  jump: boolean;
  crouch: boolean;
  fire: boolean;
  reload: boolean;
  dash: boolean;
  hook: boolean;
}

const STILL: Readonly<Hands> = {
  forward: 0, right: 0, jump: false, crouch: false, fire: false, reload: false, dash: false, hook: false,
};
const RADIANS_PER_COUNT = 0.0022;
const STEEPEST = 1.55;

const HELD: Readonly<Record<string, number>> = {
  Space: L.BUTTON_JUMP,
  KeyC: L.BUTTON_CROUCH,
  ControlLeft: L.BUTTON_CROUCH,
  ControlRight: L.BUTTON_CROUCH,
  KeyR: L.BUTTON_RELOAD,
  KeyE: L.BUTTON_HOOK,
  KeyQ: L.BUTTON_HOOK,
};

/** Keys that count once a press, however long they are held. */
const TAPPED: Readonly<Record<string, number>> = {
  ShiftLeft: L.BUTTON_DASH,
  ShiftRight: L.BUTTON_DASH,
};

/** What the other keys ask for. */
export interface Wishes {
  scoreboard(show: boolean): void;
  netPanel(): void;
  lagPanel(): void;
  sound(): void;
  /** To fly about as a spectator, or to play again. */
  watch(): void;
  /** The mouse was caught or let go. */
  caught(yes: boolean): void;
}

/** Gathers what the player wants between two frames. A press shorter than a
 * frame still counts. */
export class Controls {
  yaw = 0;
  pitch = 0;
  /** Set by a script; its fields win over the keyboard. */
  script: Hands | undefined;
  private readonly down = new Set<string>();
  private tapped = 0;
  private firing = false;
  private hooking = false;
  private on = false;

  constructor(private readonly canvas: HTMLCanvasElement, private readonly wishes: Wishes) {
    window.addEventListener("keydown", (e) => this.key(e, true));
    window.addEventListener("keyup", (e) => this.key(e, false));
    window.addEventListener("blur", () => this.release());
    window.addEventListener("beforeunload", (e) => this.guardTab(e));
    document.addEventListener("mousemove", (e) => this.look(e));
    document.addEventListener("mousedown", (e) => this.button(e, true));
    document.addEventListener("mouseup", (e) => this.button(e, false));
    document.addEventListener("pointerlockchange", () => this.lockChanged());
    document.addEventListener("pointerlockerror", () => this.lockChanged());
    canvas.addEventListener("contextmenu", (e) => e.preventDefault());
  }

  /** Whether the mouse turns the view. */
  get locked(): boolean {
    return document.pointerLockElement === this.canvas;
  }

  /** Begins to listen, and asks the browser for the mouse. */
  begin(): void {
    this.on = true;
    this.catchMouse();
  }

  /** Stops listening and lets go of the mouse. */
  end(): void {
    this.on = false;
    this.release();
    this.freeMouse();
  }

  /** Asks the browser for the mouse; it may refuse, which is no error. */
  catchMouse(): void {
    const lock = this.canvas.requestPointerLock as (options?: { unadjustedMovement: boolean }) => Promise<void> | void;
    const plain = (): void => void Promise.resolve(lock.call(this.canvas)).catch(() => undefined);
    Promise.resolve(lock.call(this.canvas, { unadjustedMovement: true })).catch(plain);
  }

  freeMouse(): void {
    if (this.locked) document.exitPointerLock();
  }

  /** Turns the view; angles in radians. */
  lookAlong(yaw: number, pitch: number): void {
    this.yaw = Math.atan2(Math.sin(yaw), Math.cos(yaw));
    this.pitch = Math.max(-STEEPEST, Math.min(STEEPEST, pitch));
  }

  /** Turns the view by an angle, as what the player rides on does. */
  turnBy(yaw: number): void {
    if (yaw !== 0) this.lookAlong(this.yaw + yaw, this.pitch);
  }

  /** Pulls the trigger for one frame. */
  tapFire(): void {
    this.tapped |= L.BUTTON_FIRE;
  }

  /** Writes the input block and forgets short presses. */
  write(input: Float64Array): void {
    const hands = this.script;
    input[L.INPUT_FORWARD] = hands?.forward ?? this.axis("KeyW", "ArrowUp") - this.axis("KeyS", "ArrowDown");
    input[L.INPUT_RIGHT] = hands?.right ?? this.axis("KeyD", "ArrowRight") - this.axis("KeyA", "ArrowLeft");
    input[L.INPUT_YAW] = this.yaw;
    input[L.INPUT_PITCH] = this.pitch;
    input[L.INPUT_BUTTONS] = this.tapped | (hands === undefined ? this.buttons() : scriptButtons(hands));
    this.tapped = 0;
  }

  /** Lets a script play: what it does not name is still. */
  setScript(hands: Partial<Hands> | undefined): void {
    this.script = hands === undefined ? undefined : { ...STILL, ...hands };
  }

  private axis(a: string, b: string): number {
    return this.down.has(a) || this.down.has(b) ? 1 : 0;
  }

  private buttons(): number {
    let buttons = (this.firing ? L.BUTTON_FIRE : 0) | (this.hooking ? L.BUTTON_HOOK : 0);
    for (const code of this.down) buttons |= HELD[code] ?? 0;
    return buttons;
  }

  private key(e: KeyboardEvent, down: boolean): void {
    if (!this.on || e.target instanceof HTMLInputElement) return;
    const ours = this.act(e.code, down, e.repeat);
    if (ours) e.preventDefault();
  }

  /** Returns whether the key was one of the game's. */
  private act(code: string, down: boolean, repeat: boolean): boolean {
    if (code === "Tab") this.wishes.scoreboard(down);
    else if (code === "F3") down && !repeat && this.wishes.netPanel();
    else if (code === "KeyL") down && !repeat && this.wishes.lagPanel();
    else if (code === "KeyM") down && !repeat && this.wishes.sound();
    else if (code === "KeyV") down && !repeat && this.wishes.watch();
    else if (down) {
      this.down.add(code);
      if (!repeat) this.tapped |= (HELD[code] ?? 0) | (TAPPED[code] ?? 0);
      return code in HELD || code in TAPPED || /^(Key[WASD]|Arrow)/.test(code);
    } else this.down.delete(code);
    return code === "Tab" || code === "F3";
  }

  private look(e: MouseEvent): void {
    if (!this.on || !this.locked) return;
    this.lookAlong(this.yaw - e.movementX * RADIANS_PER_COUNT, this.pitch - e.movementY * RADIANS_PER_COUNT);
  }

  private button(e: MouseEvent, down: boolean): void {
    if (!this.on || (e.button !== 0 && e.button !== 2)) return;
    if (down && !this.locked) {
      if (e.target === this.canvas) this.catchMouse();
      return;
    }
    if (e.button === 2) this.hooking = down;
    else this.firing = down;
    if (down) this.tapped |= e.button === 2 ? L.BUTTON_HOOK : L.BUTTON_FIRE;
  }

  private lockChanged(): void {
    if (!this.locked) this.release();
    if (this.on) this.wishes.caught(this.locked);
  }

  private release(): void {
    this.down.clear();
    this.firing = this.hooking = false;
    this.wishes.scoreboard(false);
  }

  /** Ctrl+W would close the tab of one who crouches and walks: ask first. */
  private guardTab(e: BeforeUnloadEvent): void {
    if (this.on && (this.down.has("ControlLeft") || this.down.has("ControlRight"))) e.preventDefault();
  }
}

function scriptButtons(hands: Hands): number {
  return (
    (hands.jump ? L.BUTTON_JUMP : 0) |
    (hands.crouch ? L.BUTTON_CROUCH : 0) |
    (hands.fire ? L.BUTTON_FIRE : 0) |
    (hands.reload ? L.BUTTON_RELOAD : 0) |
    (hands.dash ? L.BUTTON_DASH : 0) |
    (hands.hook ? L.BUTTON_HOOK : 0)
  );
}
