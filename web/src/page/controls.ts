// Passes keyboard, mouse and gamepad input to the core, which applies the bindings. Scripts may
// replace the input. Start at Controls.
import type { Block, Roots } from "../core";
import { Gamepads, type Devices } from "./devices";
import { device, useDevice } from "./usedevice";
import { clamp, wrapAngle } from "@backstep/three/parts";

/** Input of a script. */
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
  /** Number of the weapon to select, from 1; 0 for none. */
  weapon: number;
}

const NO_INPUT: Readonly<PlayerInput> = {
  forward: 0, right: 0, jump: false, crouch: false, fire: false, reload: false, dash: false, hook: false,
  shield: false, sights: false, melee: false, weapon: 0,
};
const MAX_PITCH = 1.55;
/** Errors after which a browser counts as one that does not capture the mouse: two of each try. */
const MAX_LOCK_ERRORS = 4;

/** Mouse buttons by the browser's number. */
const MOUSE_BUTTONS = ["Mouse.Left", "Mouse.Middle", "Mouse.Right", "Mouse.Back", "Mouse.Forward"];

/** Actions that a key can trigger on the page. */
interface PageActions {
  scoreboard(show: boolean): void;
  netPanel(): void;
  lagPanel(): void;
  /** Toggles the key bindings panel. */
  bindings(): void;
  sound(): void;
  /** Toggles the layer that shows how others are drawn. */
  remoteDebug(): void;
  /** Toggles the layer that shows how the player's shots were judged. */
  shotDebug(): void;
  /** Toggles between spectating and playing. */
  spectate(): void;
  /** Called when the mouse is captured or released. */
  mouseCaptured(yes: boolean): void;
  /** Called if the browser does not capture the mouse. */
  noPointerLock(): void;
}

/** Collects input between two frames. */
export class Controls {
  yaw = 0;
  pitch = 0;
  /** Factor of the mouse's movement. */
  sensitivity = 1;
  /** Input of a script; while set, devices are ignored. */
  script: PlayerInput | undefined;
  private devices: Devices | undefined;
  private readonly gamepads = new Gamepads(() => this.devices);
  private firing = false; // a script fires for one frame
  private scoreboardShown = false;
  private readonly written: [yaw: number, pitch: number] = [0, 0]; // the view given to the core
  private usingGamepad = false; // the player uses a gamepad
  private active = false;
  private panelOpen = false;
  private lockErrors = 0; // −∞ once the mouse was captured
  private lockRefused = false; // this browser does not capture the mouse

  constructor(private readonly canvas: HTMLCanvasElement, private readonly actions: PageActions) {
    window.addEventListener("keydown", (e) => this.key(e, true));
    window.addEventListener("keyup", (e) => this.key(e, false), { capture: true }); // the lag panel's fields keep their keys
    window.addEventListener("blur", () => this.devices?.release());
    window.addEventListener("beforeunload", (e) => this.confirmClose(e));
    document.addEventListener("mousemove", (e) => this.mouseMove(e));
    document.addEventListener("mousedown", (e) => this.button(e, true));
    document.addEventListener("mouseup", (e) => this.button(e, false));
    document.addEventListener("wheel", (e) => this.wheel(e), { passive: false }); // with Ctrl, which crouches, it would zoom the page
    document.addEventListener("pointerlockchange", () => this.lockChanged());
    document.addEventListener("pointerlockerror", () => this.lockFailed());
    canvas.addEventListener("contextmenu", (e) => e.preventDefault());
  }

  /** Sets the factor of a gamepad's right stick, of aim assist. */
  set lookFactor(factor: number) {
    this.gamepads.lookFactor = factor;
  }

  /** Sends input to these devices from now on; undefined detaches. */
  attach(devices: Devices | undefined): void {
    this.devices = devices;
  }

  /** The devices of the match; undefined while there is none to play. */
  get listening(): Devices | undefined {
    return this.active ? this.devices : undefined;
  }

  /** Whether the mouse is captured. */
  get locked(): boolean {
    return document.pointerLockElement === this.canvas;
  }

  /** Whether it is, or need not be. */
  get ready(): boolean {
    return this.locked || this.lockRefused || this.usingGamepad || this.panelOpen;
  }

  /** Starts listening and captures the mouse, unless it is to stay free. */
  begin(capture = true): void {
    this.active = true;
    if (capture) this.captureMouse();
  }

  /** Stops listening and releases the mouse. */
  end(): void {
    this.active = false;
    this.releaseAll();
    this.attach(undefined);
    this.releaseMouse();
  }

  /** Captures the mouse, unless a panel needs it or the player uses another device. The browser may
   * refuse, which is not an error: then the mouse turns the view while it moves over the page. */
  captureMouse(): void {
    if (this.panelOpen || device() !== "keyboard") return;
    const lock = this.canvas.requestPointerLock as ((options?: { unadjustedMovement: boolean }) => Promise<void> | void) | undefined;
    if (lock === undefined) return this.refuseLock();
    const plain = (): void => void Promise.resolve(lock.call(this.canvas)).catch(() => undefined);
    Promise.resolve(lock.call(this.canvas, { unadjustedMovement: true })).catch(plain);
  }

  /** Frees the mouse while a panel is open, and captures it again after that, unless it is to stay free. */
  setPanelOpen(open: boolean, capture = true): void {
    if (open === this.panelOpen) return;
    this.panelOpen = open;
    if (open) {
      this.releaseMouse();
      this.actions.mouseCaptured(true); // the panel is there instead of the pause note
    } else if (this.active) {
      this.canvas.focus();
      if (capture) this.captureMouse();
    }
  }

  /** A browser also refuses for a second after Escape: the player then clicks again. One that never
   * captures the mouse is one that cannot. */
  private lockFailed(): void {
    if (!this.active || this.locked) return;
    if (++this.lockErrors >= MAX_LOCK_ERRORS) this.refuseLock();
    else this.lockChanged();
  }

  private refuseLock(): void {
    this.lockRefused = true;
    this.actions.mouseCaptured(true);
    this.actions.noPointerLock();
  }

  releaseMouse(): void {
    if (this.locked) document.exitPointerLock();
  }

  /** Sets the view direction, radians. */
  lookAlong(yaw: number, pitch: number): void {
    this.yaw = wrapAngle(yaw);
    this.pitch = clamp(pitch, MAX_PITCH);
  }

  /** Rotates the view, as a rotating platform does. */
  turnBy(yaw: number): void {
    if (yaw !== 0) this.lookAlong(this.yaw + yaw, this.pitch);
  }

  /** Fires for one frame. */
  tapFire(): void {
    this.firing = true;
  }

  /** Polls the gamepads and writes what the core reads in the next frame. */
  write(controls: Roots["controls"]): void {
    if (this.active) this.pollGamepads();
    this.writeScript(controls, this.script ?? NO_INPUT);
    controls.fire ||= this.firing;
    controls.yaw = this.written[0] = this.yaw;
    controls.pitch = this.written[1] = this.pitch;
    controls.alone = this.script !== undefined;
    this.firing = false;
    this.devices?.write();
  }

  /** Writes the input of a player whose tab is hidden. */
  writeIdle(controls: Roots["controls"]): void {
    this.devices?.release();
    this.writeScript(controls, NO_INPUT);
    this.devices?.write();
  }

  private writeScript(controls: Roots["controls"], { sights, weapon, ...same }: PlayerInput): void {
    Object.assign(controls, same);
    controls.aim = sights;
    controls.select = weapon;
  }

  /** Applies the core's result of this frame: the view direction and page actions. */
  apply(controls: Roots["controls"], { pressed, held }: Block): void {
    if (this.yaw === this.written[0] && this.pitch === this.written[1]) {
      this.yaw = controls.yaw;
      this.pitch = controls.pitch;
    } // otherwise an event of this frame, such as a respawn, has set the view
    this.showScoreboard(held.scores);
    if (pressed.net) this.actions.netPanel();
    if (pressed.lag) this.actions.lagPanel();
    if (pressed.sound) this.actions.sound();
    if (pressed.spectate) this.actions.spectate();
    if (pressed.bindings) this.actions.bindings();
    if (pressed.remoteDebug) this.actions.remoteDebug();
    if (pressed.shotDebug) this.actions.shotDebug();
  }

  /** Lets a script play; omitted fields are neutral. undefined returns to the devices. */
  setScript(input: Partial<PlayerInput> | undefined): void {
    this.script = input === undefined ? undefined : { ...NO_INPUT, ...input };
  }

  private showScoreboard(show: boolean): void {
    if (show !== this.scoreboardShown) this.actions.scoreboard(show);
    this.scoreboardShown = show;
  }

  /** Releases always count, presses not while a panel has the focus: Tab and Space are its own there. */
  private key(e: KeyboardEvent, down: boolean): void {
    if (!this.active || this.devices === undefined || (down && (isInPanel(e.target) || this.isShortcut(e)))) return;
    if (!e.repeat) this.devices.sample(e.code, down ? 1 : 0);
    if (down) useDevice("keyboard");
    else if (e.code.startsWith("Meta")) this.devices.release(); // while Cmd is held, a Mac does not report which keys go up
    if (!isInPanel(e.target) && this.devices.bound(e.code)) e.preventDefault();
  }

  /** Keys with Cmd are the browser's, unless the player has bound that. */
  private isShortcut({ metaKey }: KeyboardEvent): boolean {
    return metaKey && this.devices?.bound("MetaLeft") === false && !this.devices.bound("MetaRight");
  }

  /** Whether the mouse plays. */
  private get mousePlays(): boolean {
    return this.locked || (this.lockRefused && !this.panelOpen);
  }

  private mouseMove(e: MouseEvent): void {
    if (!this.active || !this.mousePlays) return;
    this.devices?.move("Mouse.X", this.sensitivity * e.movementX);
    this.devices?.move("Mouse.Y", this.sensitivity * e.movementY);
  }

  private button(e: MouseEvent, down: boolean): void {
    const name = MOUSE_BUTTONS[e.button];
    if (!this.active || name === undefined) return;
    if (down && !this.mousePlays) {
      if (e.target === this.canvas) this.captureMouse();
      return;
    }
    this.devices?.sample(name, down ? 1 : 0);
  }

  private wheel(e: WheelEvent): void {
    if (!this.active || !this.mousePlays) return;
    e.preventDefault();
    if (e.deltaY !== 0) this.devices?.tap(e.deltaY < 0 ? "Mouse.WheelUp" : "Mouse.WheelDown");
  }

  /** A player with a gamepad needs no captured mouse. */
  private pollGamepads(): void {
    const touched = this.gamepads.poll(navigator.getGamepads?.() ?? [], device() === "touch");
    if (!touched) return;
    useDevice("gamepad");
    if (this.usingGamepad || this.locked) return;
    this.usingGamepad = true;
    this.actions.mouseCaptured(true);
  }

  private lockChanged(): void {
    this.usingGamepad = false;
    if (this.locked) this.lockErrors = -Infinity;
    if (this.locked && (this.panelOpen || !this.active)) return this.releaseMouse(); // the panel was opened, or the match left, before the browser answered
    if (!this.locked) this.devices?.release("Mouse.");
    if (this.active) this.actions.mouseCaptured(this.locked || this.panelOpen);
  }

  private releaseAll(): void {
    this.devices?.release();
    this.showScoreboard(false);
  }

  /** Ctrl+W (crouch and walk) would close the tab, so the browser asks first. */
  private confirmClose(e: BeforeUnloadEvent): void {
    if (this.active && (this.devices?.down("ControlLeft") === true || this.devices?.down("ControlRight") === true)) e.preventDefault();
  }
}

/** Returns whether an element is part of a panel or of a dialog. */
export function isInPanel(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("#lag, [role$=dialog], input, textarea, select") !== null;
}
