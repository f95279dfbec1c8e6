// One instance of the client core (Go compiled to WebAssembly) and the views on its memory. It has
// no socket and no clock: times and bytes are passed in. Start at loadCore.
import { decodeEvents, type GameEvent } from "./events";
import { fetchBytes } from "./join";
import * as L from "./layout";
import { writeStrings } from "./packets";
import { Wasi } from "./wasi";

/** The exports of the instance, documented in client/wasm/main.go. */
interface Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  abi_version(): number;
  inbox(): number;
  outbox(): number;
  outbox_length(): number;
  input(): number;
  state(): number;
  events(): number;
  events_length(): number;
  level_reserve(length: number): number;
  level_load(length: number): number;
  hello(length: number, now: number): number;
  receive(channel: number, length: number, at: number): number;
  frame(now: number): number;
  lost(now: number): void;
  leave(now: number): void;
  spectate(on: number): void;
  set_input_delay(milliseconds: number): void;
  debug_remotes(on: number): void;
  debug_shots(on: number): void;
  reason_text(number: number): number;
  poses(): number;
  pose(count: number): void;
  pose_bodies(at: number): void;
  samples(): number;
  key_number(length: number): number;
  key_bound(key: number): number;
  key_of(length: number): number;
  bind(length: number): number;
  bind_defaults(): number;
}

/** Downloads and compiles the core. */
export async function compileCore(url: URL): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await fetchBytes(url));
}

/** Instantiates a compiled core. Throws if its layout version differs from this page's. */
export async function loadCore(module: WebAssembly.Module): Promise<Core> {
  const wasi = new Wasi();
  const instance = await WebAssembly.instantiate(module, wasi.imports(module));
  const exports = instance.exports as unknown as Exports;
  wasi.attach(exports.memory);
  exports._initialize();
  const version = exports.abi_version();
  if (version !== L.ABI_VERSION) throw new Error(`core: layout version ${version}, this page needs ${L.ABI_VERSION}`);
  return new Core(exports, wasi.output);
}

/** A running core. Every method may throw CoreExit or WebAssembly.RuntimeError after a Go panic;
 * the instance is then dead. Times are microseconds of one monotonic clock. */
export class Core {
  /** The state block (layout.ts). The array changes when the memory grows, so do not keep it. */
  state: Float64Array = new Float64Array(0);
  /** The input block; the page writes it before each frame. */
  input: Float64Array = new Float64Array(0);
  /** The sample block; Devices writes it. */
  samples: Float64Array = new Float64Array(0);
  /** The pose block of a replay; pose reads it. */
  poses: Float64Array = new Float64Array(0);
  private bytes: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  private readonly inboxAt: number;
  private readonly outboxAt: number;
  private readonly eventsAt: number;

  constructor(
    private readonly exports: Exports,
    /** The last lines printed by the core; after a panic, the reason. */
    readonly output: readonly string[],
  ) {
    this.inboxAt = exports.inbox();
    this.outboxAt = exports.outbox();
    this.eventsAt = exports.events();
    this.refreshViews();
  }

  /** Loads the packed level. Throws if the core rejects it. */
  loadLevel(level: Uint8Array): void {
    const at = this.exports.level_reserve(level.length);
    this.refreshViews();
    if (at === 0) throw new Error(`core: level of ${level.length} bytes is too large`);
    this.bytes.set(level, at);
    this.check("level", this.exports.level_load(level.length));
  }

  /** Joins under a name, or rejoins with a resume key; level is the hash of the loaded level. */
  hello(name: string, resume: string, level: string, now: number): void {
    const inbox = this.bytes.subarray(this.inboxAt, this.inboxAt + L.INBOX_BYTES);
    this.check("hello", this.exports.hello(writeStrings(inbox, [name, resume, level]), now));
  }

  /** Passes in one message that arrived at the given time. The core counts and drops malformed
   * messages. */
  receive(channel: number, message: Uint8Array, at: number): void {
    if (message.length > L.INBOX_BYTES) return;
    this.bytes.set(message, this.inboxAt);
    this.exports.receive(channel, message.length, at);
    this.refreshViews();
  }

  /** Advances to now with the input block; state, packets and events are those of this frame
   * until the next call. Returns the number of packets to send. */
  frame(now: number): number {
    const packets = this.exports.frame(now);
    this.refreshViews();
    return packets;
  }

  /** Returns a copy of the packets to send, for another thread. */
  packets(): ArrayBuffer {
    const end = this.outboxAt + this.exports.outbox_length();
    return this.bytes.slice(this.outboxAt, end).buffer;
  }

  /** Calls visit with each event of the last frame. */
  events(visit: (event: GameEvent) => void): void {
    const length = this.exports.events_length();
    if (length > 0) decodeEvents(this.bytes.slice(this.eventsAt, this.eventsAt + length), visit);
  }

  /** Reports that the connection is lost. */
  lost(now: number): void {
    this.exports.lost(now);
  }

  /** Queues a goodbye; the next frame's packets carry it. */
  leave(now: number): void {
    this.exports.leave(now);
  }

  /** Asks to become a spectator, or to play again. */
  spectate(on: boolean): void {
    this.exports.spectate(on ? 1 : 0);
  }

  /** Requests an input delay in milliseconds, 0 to 250. */
  setInputDelay(milliseconds: number): void {
    this.exports.set_input_delay(milliseconds);
  }

  /** Fills the remote debug records each frame, or stops. */
  debugRemotes(on: boolean): void {
    this.exports.debug_remotes(on ? 1 : 0);
  }

  /** Fills the shot debug record each frame, or stops. */
  debugShots(on: boolean): void {
    this.exports.debug_shots(on ? 1 : 0);
  }

  /** Returns why a shot was refused or did no damage; empty for code 0. */
  reasonText(code: number): string {
    return this.read(this.exports.reason_text(code));
  }

  /** Computes the skeletons of the first count records of the pose block. */
  pose(count: number): void {
    this.exports.pose(count);
    this.refreshViews();
  }

  /** Writes the poses of the level's moving bodies at a match time in microseconds, for a replay.
   */
  poseBodies(at: number): void {
    this.exports.pose_bodies(at);
    this.refreshViews();
  }

  /** Returns the number of the named key, 0 if there is none. */
  keyNumber(name: string): number {
    return this.exports.key_number(this.write(name));
  }

  /** Returns whether the key is bound to an action. */
  keyBound(key: number): boolean {
    return this.exports.key_bound(key) !== 0;
  }

  /** Returns the first key bound to an action; empty if there is none. */
  keyOf(action: string): string {
    return this.read(this.exports.key_of(this.write(action)));
  }

  /** Replaces the key bindings. Returns the error, or an empty string; after an error the old
   * bindings stay. */
  bind(text: string): string {
    const length = this.exports.bind(this.write(text));
    this.refreshViews();
    return this.read(length);
  }

  /** Applies the default bindings and returns their text. */
  bindDefaults(): string {
    const length = this.exports.bind_defaults();
    this.refreshViews();
    return this.read(length);
  }

  /** Writes text into the inbox, truncated to its size. */
  private write(text: string): number {
    return new TextEncoder().encodeInto(text, this.bytes.subarray(this.inboxAt, this.inboxAt + L.INBOX_BYTES)).written;
  }

  private read(length: number): string {
    return new TextDecoder().decode(this.bytes.slice(this.inboxAt, this.inboxAt + length));
  }

  private check(what: string, errorLength: number): void {
    this.refreshViews();
    if (errorLength === 0) return;
    throw new Error(`core: ${what}: ${this.read(errorLength)}`);
  }

  /** Renews the array views after the memory has grown. */
  private refreshViews(): void {
    const buffer = this.exports.memory.buffer as ArrayBuffer;
    if (this.bytes.buffer === buffer) return;
    this.bytes = new Uint8Array(buffer);
    this.state = new Float64Array(buffer, this.exports.state(), L.STATE_LENGTH);
    this.input = new Float64Array(buffer, this.exports.input(), L.INPUT_LENGTH);
    this.samples = new Float64Array(buffer, this.exports.samples(), L.SAMPLE_LENGTH);
    this.poses = new Float64Array(buffer, this.exports.poses(), L.POSE_LENGTH);
  }
}
