// Input of keyboard, mouse and gamepads on its way to the core. Keys have names; the core's
// bindings decide what a key does. Start at Devices.

/** The part of the core that Devices needs. */
export interface DeviceCore {
  /** Returns the number of the named key, 0 if there is none. */
  keyNumber(name: string): number;
  /** Returns whether the key is bound to an action. */
  keyBound(key: number): boolean;
  readonly controls: Samples;
}

/** The samples of a frame, oldest first; the core reads the first count and sets count to 0. */
export interface Samples {
  readonly samples: readonly { key: number; value: number }[];
  count: number;
}

/** The queue overflows only when no core has read it for seconds; old samples are then dropped. */
const MAX_QUEUED = 2048;

/** Collects input samples between two frames. */
export class Devices {
  private core: DeviceCore | undefined;
  private readonly numbers = new Map<string, number>();
  private readonly boundCache = new Map<string, boolean>();
  private readonly values = new Map<string, number>(); // of keys that are not 0
  private queue: number[] = []; // key, value, key, value …

  /** Sends samples to this core from now on, starting with the keys that are down. Without a core
   * only the keys that are down are remembered. */
  attach(core: DeviceCore | undefined): void {
    this.core = core;
    this.numbers.clear();
    this.bindingsChanged();
    this.queue = [];
    for (const [name, value] of this.values) this.push(name, value);
  }

  /** Must be called after the core's bindings changed. */
  bindingsChanged(): void {
    this.boundCache.clear();
  }

  /** Sets the value of a key, button, trigger or stick. Unknown names and unchanged values are
   * ignored. */
  sample(name: string, value: number): void {
    if ((this.values.get(name) ?? 0) === value) return;
    if (value === 0) this.values.delete(name);
    else this.values.set(name, value);
    this.push(name, value);
  }

  /** Adds mouse movement in counts. */
  move(name: string, counts: number): void {
    if (counts !== 0) this.push(name, counts);
  }

  /** Presses and releases a key at once, as a wheel step does. */
  tap(name: string): void {
    this.push(name, 1);
    this.push(name, 0);
  }

  /** Returns whether a key is down. */
  down(name: string): boolean {
    return this.values.has(name);
  }

  /** Returns whether a key is bound to an action. */
  bound(name: string): boolean {
    let bound = this.boundCache.get(name);
    if (bound === undefined) {
      bound = this.core?.keyBound(this.number(name)) === true;
      this.boundCache.set(name, bound);
    }
    return bound;
  }

  /** Releases all keys, or those whose names start with prefix. */
  release(prefix = ""): void {
    for (const name of [...this.values.keys()]) if (name.startsWith(prefix)) this.sample(name, 0);
  }

  /** Writes the queue into the core's samples, oldest first; what does not fit waits for the next
   * frame. */
  write(): void {
    const { core, queue } = this;
    if (core === undefined || queue.length === 0) return;
    const { samples } = core.controls;
    const count = Math.min(queue.length / 2, samples.length);
    for (let i = 0; i < count; i++) {
      const sample = samples[i];
      if (sample === undefined) break;
      sample.key = queue[2 * i] ?? 0;
      sample.value = queue[2 * i + 1] ?? 0;
    }
    core.controls.count = count;
    queue.splice(0, 2 * count);
  }

  private push(name: string, value: number): void {
    const key = this.number(name);
    if (key === 0) return;
    if (this.queue.length >= 2 * MAX_QUEUED) {
      this.queue = [];
      for (const [held, current] of this.values) if (held !== name) this.queue.push(this.number(held), current);
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

/** The fields of the browser's Gamepad that are read. */
export interface GamepadState {
  readonly connected: boolean;
  readonly mapping: string;
  readonly axes: readonly number[];
  readonly buttons: readonly { readonly pressed: boolean; readonly value: number }[];
}

/** Button and axis names in the order of the standard mapping. */
const BUTTONS = [
  "Pad.A", "Pad.B", "Pad.X", "Pad.Y", "Pad.LB", "Pad.RB", "Pad.LT", "Pad.RT", "Pad.View", "Pad.Menu",
  "Pad.LeftStick", "Pad.RightStick", "Pad.Up", "Pad.Down", "Pad.Left", "Pad.Right", "Pad.Home",
];
const AXES = ["Pad.LeftX", "Pad.LeftY", "Pad.RightX", "Pad.RightY"];

/** Stick deflection above which the gamepad counts as in use. */
const STICK_ACTIVE = 0.4;

/** Samples every gamepad of the standard mapping, once a frame. With several gamepads the largest
 * deflection of each control counts. */
export class Gamepads {
  /** Factor of the right stick. */
  lookFactor = 1;
  private sampled = false;

  constructor(private readonly devices: () => Devices | undefined) {}

  /** Returns whether any gamepad is in use. While the player uses touch, one that lies there is not sampled: the thumb's
   * stick is a gamepad's for the bindings. */
  poll(pads: readonly (GamepadState | null)[], touch = false): boolean {
    const devices = this.devices();
    if (devices === undefined) return false;
    const standard = pads.filter((pad): pad is GamepadState => pad !== null && pad.connected && pad.mapping === "standard");
    const active = standard.some(({ axes, buttons }) => axes.some((way) => Math.abs(way) > STICK_ACTIVE) || buttons.some((button) => pressed(button) > STICK_ACTIVE));
    const listens = active || (standard.length > 0 && !touch);
    if (!listens) {
      if (this.sampled) devices.release("Pad.");
      this.sampled = false;
      return false;
    }
    this.sampled = true;
    const sample = (name: string, of: (pad: GamepadState) => number): void => devices.sample(name, strongest(standard, of));
    AXES.forEach((name, i) => sample(name, (pad) => (i < 2 ? 1 : this.lookFactor) * (pad.axes[i] ?? 0)));
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
