// One instance of a game's client core, Go compiled to WebAssembly (package client/browser). It has
// no socket and no clock: times and bytes are passed in. Start at loadCore.
import { errorText, VersionError } from "./errors.js";
import { LAYOUT_VERSION, parseLayout, type Root } from "./layout.js";
import { Memory } from "./memory.js";
import { Wasi } from "./wasi.js";

/** The exports of package client/browser; its documentation describes them. */
interface Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  abi_version(): number;
  layout(): number;
  layout_length(): number;
  inbox(length: number): number;
  level_load(length: number): number;
  hello(length: number, now: number): number;
  receive(channel: number, length: number, at: number): number;
  frame(now: number): void;
  tell(length: number): number;
  set_input_delay(milliseconds: number): void;
  leave(): void;
  lost(): void;
  movers_at(at: number): void;
  triangles(mover: number): number;
  volumes(): number;
  triangles_length(): number;
  sweep(x: number, y: number, z: number, dx: number, dy: number, dz: number, radius: number): number;
}

/** A place or a way in metres. */
export interface Point {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** A region of the level: the box around it, metres, and what it does. */
export interface LevelVolume {
  readonly min: Point;
  readonly max: Point;
  readonly kind: (typeof VOLUMES)[number];
}

const VOLUMES = ["other", "water", "kill", "launch"] as const;

/** Numbers of a triangle in what Core.triangles returns. */
export const TRIANGLE_SIZE = 11;

/** What the package itself reads of the view (Go: browser.View). */
interface CoreView {
  readonly error: string;
  readonly packets: readonly { readonly channel: number | string; readonly bytes: Uint8Array }[];
}

/** Downloads and compiles a core, while it arrives if the server names its type application/wasm. The signal ends
 * the download. */
export async function compileCore(url: URL | string, signal?: AbortSignal): Promise<WebAssembly.Module> {
  const reply = await fetch(url, { signal: signal ?? null });
  if (!reply.ok) throw new Error(`${String(url)}: status ${reply.status}`);
  const streams = typeof WebAssembly.compileStreaming === "function" && (reply.headers.get("content-type") ?? "").startsWith("application/wasm");
  try {
    return streams ? await WebAssembly.compileStreaming(reply) : await WebAssembly.compile(await reply.arrayBuffer());
  } catch (error) {
    throw new Error(`${String(url)} is not a WebAssembly module: ${errorText(error)}`);
  }
}

/** Instantiates a compiled core. Throws a VersionError if this package cannot read its layout. */
export async function loadCore(module: WebAssembly.Module): Promise<Core> {
  const wasi = new Wasi();
  const instance = await WebAssembly.instantiate(module, wasi.imports(module));
  const exports = instance.exports as unknown as Exports;
  if (exports.memory === undefined || exports.abi_version === undefined) throw new Error("core: this is no core of package client/browser");
  wasi.attach(exports.memory);
  exports._initialize?.();
  const version = exports.abi_version();
  if (version !== LAYOUT_VERSION) throw new VersionError("core", `layout ${LAYOUT_VERSION}`, `layout ${version}`);
  return new Core(exports, wasi.output);
}

/** A running core. Every method may throw CoreExit or WebAssembly.RuntimeError after a Go panic; the
 * instance is then dead. Times are microseconds of one monotonic clock. */
export class Core {
  /** The instance's memory. */
  readonly memory: Memory;
  private readonly roots: ReadonlyMap<string, Root>;
  private readonly view: CoreView;

  constructor(
    private readonly exports: Exports,
    /** The last lines printed by the core; after a panic, the reason. */
    readonly output: readonly string[],
  ) {
    this.memory = new Memory(exports.memory);
    const at = exports.layout();
    const length = exports.layout_length();
    this.memory.refresh();
    this.roots = parseLayout(this.memory.text(at, length));
    this.view = this.root("view").type.cell().read(this.memory, this.root("view").at) as CoreView;
  }

  /** Returns the place and type of a value that the page reads by name. Throws if there is none. */
  root(name: string): Root {
    const root = this.roots.get(name);
    if (root === undefined) throw new Error(`core: no value is called ${name}; there are ${[...this.roots.keys()].join(", ")}`);
    return root;
  }

  /** Returns the value of a root, as a new accessor. */
  read<T>(name: string): T {
    const { type, at } = this.root(name);
    return type.cell().read(this.memory, at) as T;
  }

  /** Returns the names of the roots. */
  get names(): string[] {
    return [...this.roots.keys()];
  }

  /** Loads the packed level. Throws if the core refuses it. */
  loadLevel(level: Uint8Array): void {
    this.check("level", this.exports.level_load(this.put(level)));
  }

  /** Joins under a name, or comes back with a resume key; level is the hash of the loaded level, match
   * the name of the match, token a connect token or empty, options the game's join options or empty. */
  hello(name: string, resume: string, level: string, match: string, token: string, options: string, now: number): void {
    this.check("hello", this.exports.hello(this.put([name, resume, level, match, token, options].join("\0")), now));
  }

  /** Passes in one message that arrived at the given time. The core counts and drops malformed
   * messages. */
  receive(channel: number, message: Uint8Array, at: number): void {
    this.exports.receive(channel, this.put(message), at);
    this.memory.refresh();
  }

  /** Runs one frame: reads the input and fills the view. */
  frame(now: number): void {
    this.exports.frame(now);
    this.memory.refresh();
  }

  /** The packets that the last frame has to send. */
  get packets(): CoreView["packets"] {
    return this.view.packets;
  }

  /** Sends a message to the game on the server. Throws if it is too long or there is no session. */
  tell(message: Uint8Array): void {
    this.check("tell", this.exports.tell(this.put(message)));
  }

  /** Requests an input delay in milliseconds, 0 to 250. */
  setInputDelay(milliseconds: number): void {
    this.exports.set_input_delay(milliseconds);
  }

  /** Queues a goodbye; the next frame's packets contain it. */
  leave(): void {
    this.exports.leave();
  }

  /** Reports that the connection is gone. The view's phase is "ended" afterwards if the server had refused the
   * player. */
  lost(): void {
    this.exports.lost();
    this.memory.refresh();
  }

  /** Sets the view's movers to those of the level at a match time in microseconds, for a page that
   * shows a recording. */
  moversAt(at: number): void {
    this.exports.movers_at(at);
    this.memory.refresh();
  }

  /** Returns a copy of the triangles of the level, to draw it: of 0 what stands still, of i + 1
   * those of the view's movers[i], in the space of its pose. Each is TRIANGLE_SIZE numbers: three corners
   * counter-clockwise seen from outside, the number of the shape, and whether it can be walked on: 0 as
   * its slope says, 1 always, 2 never. */
  triangles(mover: number): Float32Array<ArrayBuffer> {
    return this.numbers(this.exports.triangles(mover));
  }

  /** Returns the volumes of the level, to draw them. */
  volumes(): LevelVolume[] {
    const all = this.numbers(this.exports.volumes());
    const point = (at: number): Point => ({ x: all[at]!, y: all[at + 1]!, z: all[at + 2]! });
    return Array.from({ length: all.length / 7 }, (_, i) => ({ min: point(7 * i), max: point(7 * i + 3), kind: VOLUMES[all[7 * i + 6]!] ?? "other" }));
  }

  /** Copies what the core has just made, and lets it go. */
  private numbers(at: number): Float32Array<ArrayBuffer> {
    const length = this.exports.triangles_length();
    const found = new Float32Array(this.exports.memory.buffer, at, length).slice();
    this.exports.triangles(-1);
    this.memory.refresh();
    return found;
  }

  /** Moves a ball through the level and its movers; returns the share of the way to the first
   * touch, 0 to 1. */
  sweep(from: Point, delta: Point, radius: number): number {
    return this.exports.sweep(from.x, from.y, from.z, delta.x, delta.y, delta.z, radius);
  }

  /** Calls an export of the game's own. Throws if the core has none of that name. */
  call(name: string, ...parameters: number[]): number {
    const run = (this.exports as unknown as Record<string, unknown>)[name];
    if (typeof run !== "function") throw new Error(`core: no export is called ${name}`);
    const result: unknown = run(...parameters);
    this.memory.refresh();
    return typeof result === "number" ? result : 0;
  }

  /** Writes bytes or text into the core's inbox, where exports read what they are given; returns the
   * length in bytes. Throws if the core has no room for so much. */
  put(content: Uint8Array | string): number {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    const at = this.exports.inbox(bytes.length);
    this.memory.refresh();
    if (at === 0) throw new Error(`core: ${bytes.length} bytes are more than it takes`);
    this.memory.bytes.set(bytes, at);
    return bytes.length;
  }

  private check(what: string, failed: number): void {
    this.memory.refresh();
    if (failed !== 0) throw new Error(`core: ${what}: ${this.view.error}`);
  }
}
