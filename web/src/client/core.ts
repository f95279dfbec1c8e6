// One instance of the client core (Go, compiled to WebAssembly) and the views on
// its memory. No socket, no clock: times and bytes are handed in. Start at
// loadCore.
import { decodeEvents, type GameEvent } from "./events";
import * as L from "./layout";
import { writeStrings } from "./packets";
import { Wasi } from "./wasi";

/** What the instance exports; client/wasm/main.go says what each does. */
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
  watch(on: number): void;
  delay_input(milliseconds: number): void;
  trace(on: number): void;
  shots(on: number): void;
  reason(number: number): number;
  poses(): number;
  pose(count: number): void;
  machines(at: number): void;
  samples(): number;
  key_number(length: number): number;
  key_bound(key: number): number;
  key_of(length: number): number;
  bind(length: number): number;
  bind_defaults(): number;
}

/** Compiles the core at url. */
export async function compileCore(url: URL): Promise<WebAssembly.Module> {
  const reply = await fetch(url);
  if (!reply.ok) throw new Error(`core: ${url.pathname} answers ${reply.status}`);
  return WebAssembly.compile(await reply.arrayBuffer());
}

/** Starts an instance of a compiled core. Throws where it speaks another
 * version of the layout than this page. */
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

/** A running core. Any method may throw CoreExit or WebAssembly.RuntimeError:
 * that is how a Go panic ends. Then the instance is dead and a new one is needed. Times are microseconds of one steady clock. */
export class Core {
  /** The state block; see layout.ts. Another array after the memory grew, so
   * read it from here each time. */
  state: Float64Array = new Float64Array(0);
  /** The input block, for the page to write before each frame. */
  input: Float64Array = new Float64Array(0);
  /** The sample block; Devices writes it. */
  samples: Float64Array = new Float64Array(0);
  /** The pose block, for who shows a recording; pose reads it. */
  poses: Float64Array = new Float64Array(0);
  private bytes: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  private readonly inboxAt: number;
  private readonly outboxAt: number;
  private readonly eventsAt: number;

  constructor(
    private readonly exports: Exports,
    /** What the core printed last; after a panic, why. */
    readonly output: readonly string[],
  ) {
    this.inboxAt = exports.inbox();
    this.outboxAt = exports.outbox();
    this.eventsAt = exports.events();
    this.refreshViews();
  }

  /** Takes the packed level. Throws what the core found wrong with it. */
  loadLevel(level: Uint8Array): void {
    const at = this.exports.level_reserve(level.length);
    this.refreshViews();
    if (at === 0) throw new Error(`core: a level of ${level.length} bytes is too long`);
    this.bytes.set(level, at);
    this.check("the level", this.exports.level_load(level.length));
  }

  /** Asks to join under a name, or with a resume key to come back; level is the
   * hash of the level that was loaded. */
  hello(name: string, resume: string, level: string, now: number): void {
    const inbox = this.bytes.subarray(this.inboxAt, this.inboxAt + L.INBOX_BYTES);
    this.check("hello", this.exports.hello(writeStrings(inbox, [name, resume, level]), now));
  }

  /** Hands in one message that arrived at the given time. Bad ones are counted
   * by the core and otherwise ignored. */
  receive(channel: number, message: Uint8Array, at: number): void {
    if (message.length > L.INBOX_BYTES) return;
    this.bytes.set(message, this.inboxAt);
    this.exports.receive(channel, message.length, at);
    this.refreshViews();
  }

  /** Advances to now with what stands in the input block; state, packets and
   * events are those of this frame until the next call. Returns how many packets
   * wait. */
  frame(now: number): number {
    const packets = this.exports.frame(now);
    this.refreshViews();
    return packets;
  }

  /** A copy of the packets to send, for another thread. */
  packets(): ArrayBuffer {
    const end = this.outboxAt + this.exports.outbox_length();
    return this.bytes.slice(this.outboxAt, end).buffer;
  }

  /** Calls take with each event since the last frame. */
  events(take: (event: GameEvent) => void): void {
    const length = this.exports.events_length();
    if (length > 0) decodeEvents(this.bytes.slice(this.eventsAt, this.eventsAt + length), take);
  }

  /** Says that the connection is gone. */
  lost(now: number): void {
    this.exports.lost(now);
  }

  /** Says goodbye; the next frame's packets carry it. */
  leave(now: number): void {
    this.exports.leave(now);
  }

  /** Asks to fly about as a spectator, or to play again. */
  spectate(on: boolean): void {
    this.exports.watch(on ? 1 : 0);
  }

  /** Asks the server to hold moves back for so many milliseconds, 0 to 250. */
  setInputDelay(milliseconds: number): void {
    this.exports.delay_input(milliseconds);
  }

  /** Has each frame tell how others come to be drawn as they are, or no longer. */
  debugRemotes(on: boolean): void {
    this.exports.trace(on ? 1 : 0);
  }

  /** Has each frame tell how one of the player's last shots was judged, or no longer. */
  debugShots(on: boolean): void {
    this.exports.shots(on ? 1 : 0);
  }

  /** Why a shot was refused or did no damage, in words; empty for 0. */
  reasonText(code: number): string {
    return this.read(this.exports.reason(code));
  }

  /** Makes figures of the first count records of the pose block. */
  pose(count: number): void {
    this.exports.pose(count);
    this.refreshViews();
  }

  /** Writes where the level's moving bodies are at a match time, microseconds, for who
   * shows a recording. */
  poseBodies(at: number): void {
    this.exports.machines(at);
    this.refreshViews();
  }

  /** The number of the key of that name, 0 where there is none. */
  keyNumber(name: string): number {
    return this.exports.key_number(this.write(name));
  }

  /** Whether a key of that number is bound to anything. */
  keyBound(key: number): boolean {
    return this.exports.key_bound(key) !== 0;
  }

  /** The name of the key that is bound first to an action; empty where none is. */
  keyOf(action: string): string {
    return this.read(this.exports.key_of(this.write(action)));
  }

  /** Takes a text of bindings. Returns what is wrong with it, empty where nothing
   * is; then the former ones stay. */
  bind(text: string): string {
    const length = this.exports.bind(this.write(text));
    this.refreshViews();
    return this.read(length);
  }

  /** Takes the default bindings and returns their text. */
  bindDefaults(): string {
    const length = this.exports.bind_defaults();
    this.refreshViews();
    return this.read(length);
  }

  /** Puts text into the inbox, cut where it is full. */
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

  /** Makes the views anew where the memory has grown. */
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
