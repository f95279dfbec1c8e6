// The client end of a match in a browser: finds the match, keeps the connection, runs the core, and
// recovers when the connection or the core fails. Start at connect.
import { compileCore, Core, loadCore } from "./core";
import { Devices } from "./devices";
import { errorText } from "./errors";
import type { GameEvent } from "./events";
import { fetchBytes, fetchJoinInfo, type JoinInfo, type JoinOptions } from "./join";
import { CHANNEL_DATAGRAM, INPUT_BUTTONS, INPUT_FORWARD, INPUT_RIGHT } from "./layout";
import type { FromWorker, ToWorker } from "./messages";
import { NO_LAG, type Lag } from "./simulatedlink";
import type { TransportName } from "./transports";
import { CoreExit } from "./wasi";

/** Options of connect. */
export interface ConnectOptions extends JoinOptions {
  /** The server's address, usually the page's own. */
  server: URL;
  /** URL of the compiled core. */
  core: URL;
  /** Which transport to try; "auto" tries WebTransport, then WebSocket. */
  transport: "auto" | TransportName;
  /** Called with each event, in order, from within frame. */
  onEvent: (event: GameEvent) => void;
  /** Called when the state of the connection changes. */
  onLink?: (link: Link) => void;
}

/** State of the connection. */
export interface Link {
  status: "connecting" | "open" | "lost" | "ended";
  /** The transport in use; empty until the first one opened. */
  transport: TransportName | "";
  /** Why WebTransport is not used, or why the connection is lost or ended; may be empty. */
  reason: string;
}

const RETRY_FIRST = 250;
const RETRY_MAX = 4000;
const SILENCE_TIMEOUT = 3000;
const MAX_CRASHES = 5;
const CRASH_WINDOW = 60_000;

/** Finds a match, loads the core and the level, and starts joining. Rejects if the server does
 * not answer or the core cannot be loaded; later failures are reported by onLink and retried
 * where possible. */
export async function connect(options: ConnectOptions): Promise<Client> {
  const [module, joinInfo] = await Promise.all([compileCore(options.core), fetchJoinInfo(options.server, options)]);
  const level = await fetchLevel(options.server, joinInfo);
  const core = await loadCore(module);
  core.loadLevel(level);
  return new Client(options, module, core, level, joinInfo);
}

function fetchLevel(server: URL, joinInfo: JoinInfo): Promise<Uint8Array> {
  return fetchBytes(new URL(`/levels/${joinInfo.level}`, server));
}

/** The client end of a match. Call frame once per drawn frame, then read the state block through
 * views. */
export class Client {
  /** State of the connection. */
  link: Link = { status: "connecting", transport: "", reason: "" };
  /** Duration of the core's last frame, milliseconds. */
  frameTime = 0;
  /** Number of core restarts after a panic. */
  crashes = 0;
  /** Number of connections that were lost or did not open. */
  disconnects = 0;
  /** Keyboard, mouse and gamepad state; the page reports every change here. */
  readonly devices = new Devices();
  /** The default key bindings, as text. */
  readonly defaultBindings: string;
  private bindings: string;
  private readonly worker: Worker;

  private connection = 0;
  private resume = "";
  private retryDelay = RETRY_FIRST;
  private crashTimes: number[] = [];
  private restarting = false;
  private lastFrame = 0;
  private silentFor = 0; // ms since the last datagram
  private lastChecked = 0; // performance.now() of the last check

  constructor(
    private readonly options: ConnectOptions,
    private readonly module: WebAssembly.Module,
    private core: Core,
    private level: Uint8Array,
    /** Where the match is and what to draw. */
    public joinInfo: JoinInfo,
  ) {

    this.worker = new Worker(new URL("./socket.worker.ts", import.meta.url), { type: "module" });
    this.worker.onmessage = (message: MessageEvent<FromWorker>) => this.onWorkerMessage(message.data);
    document.addEventListener("visibilitychange", this.visibility);
    window.addEventListener("pagehide", this.pagehide);
    this.defaultBindings = this.bindings = core.bindDefaults();
    this.devices.attach(core);
    this.openConnection();
  }

  /** Returns the first key bound to an action of the game; empty if there is none. */
  keyOf(action: string): string {
    return this.restarting ? "" : this.core.keyOf(action);
  }

  /** Replaces the key bindings. Returns the error in text, or an empty string; after an error the
   * old bindings stay. */
  bind(text: string): string {
    const error = this.restarting ? "the core is restarting, try again" : this.core.bind(text);
    if (error === "") this.bindings = text;
    this.devices.bindingsChanged();
    return error;
  }

  /** The state block (layout.ts). Read the property after every frame: the array changes when the
   * core's memory grows. */
  get state(): Float64Array {
    return this.core.state;
  }

  /** The input block; write it before each frame. */
  get input(): Float64Array {
    return this.core.input;
  }

  /** Advances the match to the present: reads the input block, predicts, sends, and calls
   * onEvent. The state block then holds what to draw. Returns whether the core ran. */
  frame(): boolean {
    if (this.restarting || this.link.status === "ended") return false;
    const start = performance.now();
    this.checkSilence(start);
    this.guard(() => {
      this.lastFrame = Math.max(this.lastFrame + 1, now());
      this.devices.write();
      const packets = this.core.frame(this.lastFrame);
      if (packets > 0) this.send();
      this.core.events(this.onEvent);
    });
    this.frameTime = performance.now() - start;
    return !this.restarting;
  }

  /** A TCP connection can stay open long after the server has stopped answering, so three silent
   * seconds count as a disconnect. One frame adds at most 250 ms, because a suspended page could
   * not receive. */
  private checkSilence(time: number): void {
    this.silentFor += Math.min(time - this.lastChecked, 250);
    this.lastChecked = time;
    if (this.link.status !== "open" || this.silentFor < SILENCE_TIMEOUT) return;
    this.silentFor = 0;
    this.post({ kind: "drop", reason: "no data for 3 s" });
  }

  /** Simulated lag, applied in both directions from now on. */
  set lag(lag: Readonly<Lag>) {
    this.currentLag = { ...lag };
    this.post({ kind: "lag", lag: this.currentLag });
  }

  get lag(): Readonly<Lag> {
    return this.currentLag;
  }

  private currentLag: Readonly<Lag> = NO_LAG;

  /** Input delay in milliseconds, 0 to 250: how long the server buffers this player's moves
   * before running them. More delay means fewer corrections on an uneven link; other players see
   * the actions that much later. */
  set inputDelay(milliseconds: number) {
    this.currentInputDelay = Math.min(Math.max(Math.round(milliseconds), 0), 250);
    if (!this.restarting) this.guard(() => this.core.setInputDelay(this.currentInputDelay));
  }

  get inputDelay(): number {
    return this.currentInputDelay;
  }

  private currentInputDelay = 0;

  /** Asks the server to make the player a spectator, or with false, to let the player play again.
   */
  spectate(on: boolean): void {
    if (this.link.status === "open" && !this.restarting) this.guard(() => this.core.spectate(on));
  }

  /** Fills RemoteDebugView each frame, or stops. */
  debugRemotes(on: boolean): void {
    this.remotesDebugged = on;
    if (!this.restarting) this.guard(() => this.core.debugRemotes(on));
  }

  private remotesDebugged = false;

  /** Fills ShotDebugView each frame, or stops. */
  debugShots(on: boolean): void {
    this.shotsDebugged = on;
    if (!this.restarting) this.guard(() => this.core.debugShots(on));
  }

  private shotsDebugged = false;

  /** Returns why a shot was refused or did no damage; empty for code 0. */
  reasonText(code: number): string {
    return this.restarting ? "" : this.core.reasonText(code);
  }

  /** Leaves the match for good. */
  leave(): void {
    if (this.link.status === "ended") return;
    this.guard(() => {
      this.core.leave(this.lastFrame);
      if (this.core.frame(this.lastFrame + 1) > 0) this.send();
    });
    this.end("left");
  }

  /** Closes the connection, to test the reconnect. */
  dropConnection(): void {
    this.post({ kind: "drop", reason: "dropped by request" });
  }

  /** Fails as if the core had panicked, to test the restart. */
  failCore(): void {
    this.guard(() => {
      throw new CoreExit(2, ["panic: requested"]);
    });
  }

  private send(): void {
    const packets = this.core.packets();
    this.post({ kind: "send", connection: this.connection, packets }, [packets]);
  }

  private post(message: ToWorker, transfer: Transferable[] = []): void {
    this.worker.postMessage(message, transfer);
  }

  private openConnection(): void {
    this.connection++;
    const { webtransport, certHashes, websocket } = this.joinInfo;
    const endpoints = { webtransport, certHashes, websocket, prefer: this.options.transport };
    this.setLink({ ...this.link, status: "connecting" });
    this.post({ kind: "connect", connection: this.connection, endpoints });
  }

  private setLink(link: Link): void {
    this.link = link;
    this.options.onLink?.(link);
  }

  private onWorkerMessage(message: FromWorker): void {
    if (this.link.status === "ended") return;
    if (message.kind === "heartbeat") return this.hiddenFrame();
    if (message.connection !== this.connection) return;
    switch (message.kind) {
      case "open":
        return this.onOpen(message.transport, message.reason);
      case "message":
        return this.onMessage(message.channel, message.bytes, message.arrived);
      case "closed":
        return this.onLost(message.reason);
    }
  }

  /** Runs a frame of a hidden tab with neutral input. */
  private hiddenFrame(): void {
    const { input } = this.core;
    this.devices.release();
    input[INPUT_FORWARD] = input[INPUT_RIGHT] = input[INPUT_BUTTONS] = 0;
    this.frame();
  }

  private onOpen(transport: TransportName, reason: string): void {
    this.retryDelay = RETRY_FIRST;
    this.silentFor = 0;
    this.setLink({ status: "open", transport, reason });
    this.sendHello();
  }

  private sendHello(): void {
    this.guard(() => this.core.hello(this.options.name, this.resume, this.joinInfo.level, now()));
  }

  private onMessage(channel: number, bytes: ArrayBuffer, arrived: number): void {
    if (this.restarting) return;
    if (channel === CHANNEL_DATAGRAM) this.silentFor = 0;
    const at = Math.min(Math.round((arrived - performance.timeOrigin) * 1000), now());
    this.guard(() => this.core.receive(channel, new Uint8Array(bytes), at));
  }

  /** Handles a lost connection: tells the core, then requests the address again and reconnects
   * with growing delay. */
  private onLost(reason: string): void {
    this.disconnects++;
    this.setLink({ ...this.link, status: "lost", reason });
    this.guard(() => this.core.lost(now()));
    const wait = this.retryDelay;
    this.retryDelay = Math.min(2 * wait, RETRY_MAX);
    setTimeout(() => void this.reconnect(), wait);
  }

  private async reconnect(): Promise<void> {
    if (this.link.status !== "lost") return;
    try {
      const joinInfo = await fetchJoinInfo(this.options.server, this.options);
      if (joinInfo.level !== this.joinInfo.level) {
        const level = await fetchLevel(this.options.server, joinInfo);
        this.level = level;
        this.guard(() => this.core.loadLevel(level));
      }
      this.joinInfo = joinInfo;
      this.openConnection();
    } catch (error) {
      this.onLost(errorText(error));
    }
  }

  private readonly onEvent = (event: GameEvent): void => {
    if (event.kind === "resume") this.resume = event.key;
    this.options.onEvent(event);
    if (event.kind === "closed") this.end(event.reason);
  };

  private end(reason: string): void {
    document.removeEventListener("visibilitychange", this.visibility);
    window.removeEventListener("pagehide", this.pagehide);
    this.setLink({ ...this.link, status: "ended", reason });
    setTimeout(() => this.worker.terminate(), 200); // lets the goodbye out
  }

  private readonly visibility = (): void => this.post({ kind: "heartbeat", on: document.hidden });
  private readonly pagehide = (): void => this.leave();

  /** Runs code that may panic in the core. A panic kills the instance, so a new one takes its
   * place and rejoins with the resume key. */
  private guard(run: () => void): void {
    if (this.restarting) return;
    try {
      run();
    } catch (error) {
      if (!(error instanceof CoreExit) && !(error instanceof WebAssembly.RuntimeError)) throw error;
      void this.restartCore(error instanceof CoreExit ? error : new CoreExit(2, this.core.output));
    }
  }

  private async restartCore(error: Error): Promise<void> {
    this.restarting = true;
    this.devices.attach(undefined);
    this.crashes++;
    console.error(error);
    const time = performance.now();
    this.crashTimes = [...this.crashTimes.filter((t) => time - t < CRASH_WINDOW), time];
    if (this.crashTimes.length > MAX_CRASHES) return this.end(`the core keeps failing: ${error.message}`);
    this.setLink({ ...this.link, status: "lost", reason: `${error.message}; restarting` });
    const core = await loadCore(this.module);
    core.loadLevel(this.level);
    core.bind(this.bindings);
    core.setInputDelay(this.currentInputDelay);
    core.debugRemotes(this.remotesDebugged);
    core.debugShots(this.shotsDebugged);
    this.core = core;
    this.devices.attach(core);
    this.restarting = false;
    this.openConnection();
  }
}

/** Returns whole microseconds since the page was loaded. */
function now(): number {
  return Math.round(performance.now() * 1000);
}
