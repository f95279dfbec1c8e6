// What devices say, by the names of their keys, on its way into the core. Who
// samples need not know what a key does: the core's bindings do. Start at Devices.
import * as L from "./layout";

/** What a core knows of keys. */
export interface InputCore {
  /** The number of a key, 0 where there is none of that name. */
  keyNumber(name: string): number;
  /** Whether the bindings do anything with a key of that number. */
  keyBound(key: number): boolean;
  /** The sample block; another array after the memory grew. */
  readonly samples: Float64Array;
}

/** Beyond so many samples nobody has taken any for seconds: they are lost. */
const MAX_QUEUED = 2048;

/** Gathers samples between two frames. */
export class Devices {
  private core: InputCore | undefined;
  private readonly numbers = new Map<string, number>();
  private readonly boundCache = new Map<string, boolean>();
  private readonly values = new Map<string, number>(); // of keys that are not 0
  private queue: number[] = []; // key, value, key, value …

  /** Samples go into this core from now on, first what is down; without one only
   * what is down is remembered. */
  attach(core: InputCore | undefined): void {
    this.core = core;
    this.numbers.clear();
    this.bindingsChanged();
    this.queue = [];
    for (const [name, value] of this.values) this.push(name, value);
  }

  /** The core's bindings are others than they were. */
  bindingsChanged(): void {
    this.boundCache.clear();
  }

  /** A key, button, trigger or stick has this value now. Names that the core does
   * not know are ignored, and so is what does not change anything. */
  sample(name: string, value: number): void {
    if ((this.values.get(name) ?? 0) === value) return;
    if (value === 0) this.values.delete(name);
    else this.values.set(name, value);
    this.push(name, value);
  }

  /** The mouse moved by so many counts. */
  move(name: string, counts: number): void {
    if (counts !== 0) this.push(name, counts);
  }

  /** A press and a release at once, as of a wheel. */
  tap(name: string): void {
    this.push(name, 1);
    this.push(name, 0);
  }

  /** Whether a key is down. */
  down(name: string): boolean {
    return this.values.has(name);
  }

  /** Whether a key does anything in the game. */
  bound(name: string): boolean {
    let bound = this.boundCache.get(name);
    if (bound === undefined) {
      bound = this.core?.keyBound(this.number(name)) === true;
      this.boundCache.set(name, bound);
    }
    return bound;
  }

  /** Lets go of everything, or of the keys whose names begin so. */
  release(prefix = ""): void {
    for (const name of [...this.values.keys()]) if (name.startsWith(prefix)) this.sample(name, 0);
  }

  /** Writes the samples into the core's block, oldest first; what does not fit
   * waits for the next frame. */
  write(): void {
    const { core, queue } = this;
    if (core === undefined || queue.length === 0) return;
    const block = core.samples;
    const count = Math.min(queue.length / 2, L.MAX_SAMPLES);
    for (let i = 0; i < count; i++) {
      const at = L.SAMPLE_BASE + i * L.SAMPLE_STRIDE;
      block[at + L.SAMPLE_KEY] = queue[2 * i] ?? 0;
      block[at + L.SAMPLE_VALUE] = queue[2 * i + 1] ?? 0;
    }
    block[L.SAMPLE_COUNT] = count;
    queue.splice(0, 2 * count);
  }

  private push(name: string, value: number): void {
    const key = this.number(name);
    if (key === 0) return;
    if (this.queue.length >= 2 * MAX_QUEUED) {
      this.queue = [];
      for (const [held, is] of this.values) if (held !== name) this.queue.push(this.number(held), is);
    }
    this.queue.push(key, value);
  }

  private number(name: string): number {
    let number = this.numbers.get(name);
    if (number === undefined) {
      number = this.core?.keyNumber(name) ?? 0;
      if (this.core !== undefined) this.numbers.set(name, number);
    }
    return number;
  }
}

/** What of the browser's Gamepad is used. */
export interface GamepadState {
  readonly connected: boolean;
  readonly mapping: string;
  readonly axes: readonly number[];
  readonly buttons: readonly { readonly pressed: boolean; readonly value: number }[];
}

/** The names of a pad's buttons and axes in the order of the standard mapping. */
const BUTTONS = [
  "Pad.A", "Pad.B", "Pad.X", "Pad.Y", "Pad.LB", "Pad.RB", "Pad.LT", "Pad.RT", "Pad.View", "Pad.Menu",
  "Pad.LeftStick", "Pad.RightStick", "Pad.Up", "Pad.Down", "Pad.Left", "Pad.Right", "Pad.Home",
];
const AXES = ["Pad.LeftX", "Pad.LeftY", "Pad.RightX", "Pad.RightY"];

/** How far a stick must be pushed for somebody to be holding the pad. */
const STICK_ACTIVE = 0.4;

/** Samples every gamepad of the standard mapping, once a frame; of several pads
 * each key is as the one that pushes it farthest. Returns whether anybody holds
 * one. */
export class Gamepads {
  private connected = false;

  constructor(private readonly devices: () => Devices | undefined) {}

  poll(pads: readonly (GamepadState | null)[]): boolean {
    const devices = this.devices();
    const standard = pads.filter((pad): pad is GamepadState => pad !== null && pad.connected && pad.mapping === "standard");
    if (devices === undefined || (standard.length === 0 && !this.connected)) return false;
    this.connected = standard.length > 0;
    let active = false;
    const sample = (name: string, of: (pad: GamepadState) => number): void => {
      const value = strongest(standard, of);
      active ||= Math.abs(value) > STICK_ACTIVE;
      devices.sample(name, value);
    };
    AXES.forEach((name, i) => sample(name, (pad) => pad.axes[i] ?? 0));
    BUTTONS.forEach((name, i) => sample(name, (pad) => pressed(pad.buttons[i])));
    return active;
  }
}

function pressed(button: { pressed: boolean; value: number } | undefined): number {
  return button === undefined ? 0 : Math.max(button.value, button.pressed && button.value === 0 ? 1 : 0);
}

function strongest(pads: readonly GamepadState[], of: (pad: GamepadState) => number): number {
  let best = 0;
  for (const pad of pads) if (Math.abs(of(pad)) > Math.abs(best)) best = of(pad);
  return best;
}
