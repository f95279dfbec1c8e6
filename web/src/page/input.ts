// Input devices on their way to the core, which applies the key bindings. Start at ArenaInput.
import type { Core } from "@backstep/client";
import type { Block, Roots } from "../core";
import { Devices, type DeviceCore, type Samples } from "./devices";

/** The devices and bindings of a match. They outlive an instance of the core: set up the next one with
 * the same bindings. */
export class ArenaInput {
  /** Keyboard, mouse and gamepad state; the page reports every change here. */
  readonly devices = new Devices();
  /** The default key bindings, as text. */
  defaultBindings = "";
  private bindings = "";
  private core: Core | undefined;

  /** Prepares an instance of the core; from now on it receives the input. */
  readonly setUp = (core: Core): void => {
    this.core = core;
    core.call("bind_defaults");
    this.defaultBindings = this.text(core);
    if (this.bindings !== "") core.call("bind", core.put(this.bindings));
    this.devices.attach(deviceCore(core));
  };

  /** Replaces the key bindings. Returns the error in text, or an empty string; after an error the
   * old bindings stay. */
  bind(text: string): string {
    const { core } = this;
    if (core === undefined) return "";
    const failed = core.call("bind", core.put(text)) !== 0;
    if (!failed) this.bindings = text;
    this.devices.bindingsChanged();
    return failed ? this.text(core) : "";
  }

  /** Returns the first key bound to an action of the game; empty if there is none. */
  keyOf(action: string): string {
    const { core } = this;
    if (core === undefined) return "";
    core.call("key_of", core.put(action));
    return this.text(core);
  }

  private text(core: Core): string {
    return core.read<Block>("arena").text;
  }
}

function deviceCore(core: Core): DeviceCore {
  const controls: Samples = core.read<Roots["controls"]>("controls");
  return {
    keyNumber: (name) => core.call("key_number", core.put(name)),
    keyBound: (key) => core.call("key_bound", key) !== 0,
    controls,
  };
}
