// The values that a page shares with the core, by their names. Start at Roots.
import type { Core } from "./core.js";
import type { Root } from "./layout.js";
import type { Cell } from "./values.js";

/** What every core has: the generated type Roots of a game extends it. */
export interface AnyRoots {
  readonly view: AnyView;
  readonly input: object;
}

/** What the view of every game has (Go: browser.View); the generated type says what is in it. */
interface AnyView {
  readonly protocol: number;
  readonly format: number;
  readonly phase: string;
  readonly closed: string;
  readonly queue: number;
  readonly id: number;
  readonly resumeKey: string;
  readonly placed: boolean;
  readonly self: unknown;
  readonly position: unknown;
  readonly eye: unknown;
  readonly remotes: readonly unknown[];
  readonly entities: readonly unknown[];
  readonly movers: readonly unknown[];
  readonly projectiles: readonly unknown[];
  readonly shots: readonly unknown[];
  readonly events: readonly unknown[];
  readonly corrections: readonly unknown[];
  readonly stats: unknown;
}

/** Accessors of all roots of a core. They stay the same objects when another instance takes the place
 * of a failed one. */
export class Roots<G extends AnyRoots> {
  /** All of them by their names. */
  readonly all: G;
  private readonly cells = new Map<string, Cell>();
  private readonly values: Record<string, unknown> = {};
  private core: Core;

  constructor(core: Core) {
    this.core = core;
    this.attach(core);
    this.all = this.values as unknown as G;
  }

  /** Reads from this core from now on. */
  attach(core: Core): void {
    this.core = core;
    for (const name of core.names) {
      const { type, at } = core.root(name);
      let cell = this.cells.get(name);
      if (cell === undefined) this.cells.set(name, (cell = type.cell()));
      this.values[name] = cell.read(core.memory, at);
    }
  }

  get view(): G["view"] {
    return this.values["view"] as G["view"];
  }

  get input(): G["input"] {
    return this.values["input"] as G["input"];
  }

  /** Writes a whole input: fields that it does not have are zero. */
  setInput(input: object): void {
    const root = this.clear();
    root.type.write?.(this.core.memory, root.at, input, "input");
  }

  /** Writes the input of a player that does nothing: set decides, or else all is zero but the angles
   * yaw and pitch, so that a character of a hidden tab does not turn. */
  idle(set: ((input: G["input"]) => void) | undefined): void {
    if (set !== undefined) return set(this.input);
    const angles = anglesOf(this.input);
    this.setInput(angles);
  }

  private clear(): Root {
    const root = this.core.root("input");
    this.core.memory.bytes.fill(0, root.at, root.at + root.type.size);
    return root;
  }
}

/** Returns the fields yaw and pitch of an input and of the structs in it. */
function anglesOf(input: object): Record<string, unknown> {
  const angles: Record<string, unknown> = {};
  for (const name in input) {
    const value: unknown = (input as Record<string, unknown>)[name];
    if (name === "yaw" || name === "pitch") angles[name] = value;
    else if (typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value)) angles[name] = anglesOf(value);
  }
  return angles;
}
