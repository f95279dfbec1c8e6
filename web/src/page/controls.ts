// Keyboard, mouse and gamepads on their way to the core, which knows what they are
// bound to, and a second pair of hands for scripts. Start at Controls.
import { Layout as L, Pads, type Devices, type HandsView } from "../client/index";

/** What a player's hands do. A script sets what it wants and leaves the rest. */
export interface PlayerInput {
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
  shield: boolean;
  sights: boolean;
  melee: boolean;
  /** The number of the weapon to take in hand, from 1; 0: none. */
  weapon: number;
}

const NO_INPUT: Readonly<PlayerInput> = {
  forward: 0, right: 0, jump: false, crouch: false, fire: false, reload: false, dash: false, hook: false,
  shield: false, sights: false, melee: false, weapon: 0,
};
const MAX_PITCH = 1.55;

/** The mouse's buttons by the browser's number. */
const MOUSE_BUTTONS = ["Mouse.Left", "Mouse.Middle", "Mouse.Right", "Mouse.Back", "Mouse.Forward"];

/** What the hands may ask of the page. */
export interface PageActions {
  scoreboard(show: boolean): void;
  netPanel(): void;
  lagPanel(): void;
  /** The panel of the bindings. */
  bindings(): void;
  sound(): void;
  /** The layer that shows how others are drawn. */
  remoteDebug(): void;
  /** The layer that shows how one's own shots were judged. */
  shotDebug(): void;
  /** To fly about as a spectator, or to play again. */
  spectate(): void;
  /** The mouse was caught or let go. */
  mouseCaptured(yes: boolean): void;
}

/** Gathers what the player does between two frames. */
export class Controls {
  yaw = 0;
  pitch = 0;
  /** Set by a script; then the devices do not play. */
  script: PlayerInput | undefined;
  private devices: Devices | undefined;
  private readonly gamepads = new Pads(() => this.devices);
  private firing = false; // a script pulls the trigger for one frame
  private scoreboardShown = false;
  private readonly written: [yaw: number, pitch: number] = [0, 0]; // what the core was given
  private usingGamepad = false; // somebody plays by gamepad
  private active = false;

  constructor(private readonly canvas: HTMLCanvasElement, private readonly actions: PageActions) {
    window.addEventListener("keydown", (e) => this.key(e, true));
    window.addEventListener("keyup", (e) => this.key(e, false));
    window.addEventListener("blur", () => this.devices?.release());
    window.addEventListener("beforeunload", (e) => this.confirmClose(e));
    document.addEventListener("mousemove", (e) => this.look(e));
    document.addEventListener("mousedown", (e) => this.button(e, true));
    document.addEventListener("mouseup", (e) => this.button(e, false));
    document.addEventListener("wheel", (e) => this.wheel(e));
    document.addEventListener("pointerlockchange", () => this.lockChanged());
    document.addEventListener("pointerlockerror", () => this.lockChanged());
    canvas.addEventListener("contextmenu", (e) => e.preventDefault());
  }

  /** The match that the hands play in from now on, or none. */
  attach(devices: Devices | undefined): void {
    this.devices = devices;
  }

  /** Whether the mouse turns the view. */
  get locked(): boolean {
    return document.pointerLockElement === this.canvas;
  }

  /** Begins to listen, and asks the browser for the mouse. */
  begin(): void {
    this.active = true;
    this.captureMouse();
  }

  /** Stops listening and lets go of the mouse. */
  end(): void {
    this.active = false;
    this.releaseAll();
    this.attach(undefined);
    this.releaseMouse();
  }

  /** Asks the browser for the mouse; it may refuse, which is no error. */
  captureMouse(): void {
    const lock = this.canvas.requestPointerLock as (options?: { unadjustedMovement: boolean }) => Promise<void> | void;
    const plain = (): void => void Promise.resolve(lock.call(this.canvas)).catch(() => undefined);
    Promise.resolve(lock.call(this.canvas, { unadjustedMovement: true })).catch(plain);
  }

  releaseMouse(): void {
    if (this.locked) document.exitPointerLock();
  }

  /** Turns the view; angles in radians. */
  lookAlong(yaw: number, pitch: number): void {
    this.yaw = Math.atan2(Math.sin(yaw), Math.cos(yaw));
    this.pitch = Math.max(-MAX_PITCH, Math.min(MAX_PITCH, pitch));
  }

  /** Turns the view by an angle, as what the player rides on does. */
  turnBy(yaw: number): void {
    if (yaw !== 0) this.lookAlong(this.yaw + yaw, this.pitch);
  }

  /** Pulls the trigger for one frame. */
  tapFire(): void {
    this.firing = true;
  }

  /** Samples the gamepads and writes the input block. */
  write(input: Float64Array): void {
    if (this.active) this.pollGamepads();
    const hands = this.script ?? NO_INPUT;
    input[L.INPUT_FORWARD] = hands.forward;
    input[L.INPUT_RIGHT] = hands.right;
    input[L.INPUT_YAW] = this.written[0] = this.yaw;
    input[L.INPUT_PITCH] = this.written[1] = this.pitch;
    input[L.INPUT_BUTTONS] = scriptButtons(hands) | (this.firing ? L.BUTTON_FIRE : 0);
    input[L.INPUT_WEAPON] = hands.weapon;
    input[L.INPUT_SCRIPTED] = this.script === undefined ? 0 : 1;
    this.firing = false;
  }

  /** Takes what the core made of it: the view, and what the page is asked for. */
  apply(input: HandsView): void {
    if (this.yaw === this.written[0] && this.pitch === this.written[1]) {
      this.yaw = input.yaw;
      this.pitch = input.pitch;
    } // else an event of this frame, a respawn say, has turned the player
    this.showScoreboard(input.held(L.WISH_SCORES));
    if (input.pressed(L.WISH_NET)) this.actions.netPanel();
    if (input.pressed(L.WISH_LAG)) this.actions.lagPanel();
    if (input.pressed(L.WISH_SOUND)) this.actions.sound();
    if (input.pressed(L.WISH_WATCH)) this.actions.spectate();
    if (input.pressed(L.WISH_BINDINGS)) this.actions.bindings();
    if (input.pressed(L.WISH_DEBUG)) this.actions.remoteDebug();
    if (input.pressed(L.WISH_SHOTS)) this.actions.shotDebug();
  }

  /** Lets a script play: what it does not name is still. */
  setScript(input: Partial<PlayerInput> | undefined): void {
    this.script = input === undefined ? undefined : { ...NO_INPUT, ...input };
  }

  private showScoreboard(show: boolean): void {
    if (show !== this.scoreboardShown) this.actions.scoreboard(show);
    this.scoreboardShown = show;
  }

  /** Letting go counts wherever it happens, pressing not where somebody types. */
  private key(e: KeyboardEvent, down: boolean): void {
    if (!this.active || this.devices === undefined || (down && isTextField(e.target))) return;
    if (!e.repeat) this.devices.sample(e.code, down ? 1 : 0);
    if (!isTextField(e.target) && this.devices.bound(e.code)) e.preventDefault();
  }

  private look(e: MouseEvent): void {
    if (!this.active || !this.locked) return;
    this.devices?.move("Mouse.X", e.movementX);
    this.devices?.move("Mouse.Y", e.movementY);
  }

  private button(e: MouseEvent, down: boolean): void {
    const name = MOUSE_BUTTONS[e.button];
    if (!this.active || name === undefined) return;
    if (down && !this.locked) {
      if (e.target === this.canvas) this.captureMouse();
      return;
    }
    this.devices?.sample(name, down ? 1 : 0);
  }

  private wheel(e: WheelEvent): void {
    if (this.active && this.locked && e.deltaY !== 0) this.devices?.tap(e.deltaY < 0 ? "Mouse.WheelUp" : "Mouse.WheelDown");
  }

  /** Who takes up a gamepad needs no mouse. */
  private pollGamepads(): void {
    const touched = this.gamepads.poll(navigator.getGamepads?.() ?? []);
    if (!touched || this.usingGamepad || this.locked) return;
    this.usingGamepad = true;
    this.actions.mouseCaptured(true);
  }

  private lockChanged(): void {
    this.usingGamepad = false;
    if (!this.locked) this.devices?.release("Mouse.");
    if (this.active) this.actions.mouseCaptured(this.locked);
  }

  private releaseAll(): void {
    this.devices?.release();
    this.showScoreboard(false);
  }

  /** Ctrl+W would close the tab of one who crouches and walks: ask first. */
  private confirmClose(e: BeforeUnloadEvent): void {
    if (this.active && (this.devices?.down("ControlLeft") === true || this.devices?.down("ControlRight") === true)) e.preventDefault();
  }
}

function isTextField(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

function scriptButtons(input: PlayerInput): number {
  return (
    (input.jump ? L.BUTTON_JUMP : 0) |
    (input.crouch ? L.BUTTON_CROUCH : 0) |
    (input.fire ? L.BUTTON_FIRE : 0) |
    (input.reload ? L.BUTTON_RELOAD : 0) |
    (input.dash ? L.BUTTON_DASH : 0) |
    (input.hook ? L.BUTTON_HOOK : 0) |
    (input.shield ? L.BUTTON_SHIELD : 0) |
    (input.sights ? L.BUTTON_SIGHTS : 0) |
    (input.melee ? L.BUTTON_MELEE : 0)
  );
}
