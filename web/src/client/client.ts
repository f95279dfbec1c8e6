// A player's end of a match in a browser: finds the match, keeps the connection,
// runs the core, and comes back by itself when either dies. Start at connect.
import { NO_LAG, type Lag } from "./badlink";
import { compileCore, Core, loadCore } from "./core";
import { Devices } from "./devices";
import type { GameEvent } from "./events";
import { fetchBytes, fetchJoinInfo, type JoinInfo, type JoinOptions } from "./join";
import { CHANNEL_DATAGRAM, INPUT_BUTTONS, INPUT_FORWARD, INPUT_RIGHT } from "./layout";
import type { FromWorker, ToWorker } from "./messages";
import type { TransportName } from "./roads";
import { CoreExit } from "./wasi";

/** How to connect. */
export interface ConnectOptions extends JoinOptions {
  /** The server's address; usually the page's own. */
  server: URL;
  /** Where the compiled core lies. */
  core: URL;
  /** Which transport to try; "auto": WebTransport, else WebSocket. */
  transport: "auto" | TransportName;
  /** Called with each event, in order, from within frame. */
  onEvent: (event: GameEvent) => void;
  /** Called when the connection changes, with a sentence to show. */
  onLink?: (link: Link) => void;
}

/** What the connection is doing. */
export interface Link {
  status: "connecting" | "open" | "lost" | "ended";
  /** Which transport carries it; empty until the first one opened. */
  transport: TransportName | "";
  /** Why it is not WebTransport, or why it is lost or ended; may be empty. */
  reason: string;
}

const RETRY_FIRST = 250;
const RETRY_MAX = 4000;
const SILENCE_TIMEOUT = 3000;
const MAX_CRASHES = 5;
const CRASH_WINDOW = 60_000;

/** Finds a match, loads the core and its level, and begins to join. Rejects
 * where the server is not there or the core cannot be had; later troubles are
 * told through onLink and mended where that is possible. */
export async function connect(options: ConnectOptions): Promise<Client> {
  const [module, invitation] = await Promise.all([compileCore(options.core), fetchJoinInfo(options.server, options)]);
  const level = await fetchBytes(new URL(`/levels/${invitation.level}`, options.server));
  const core = await loadCore(module);
  core.loadLevel(level);
  return new Client(options, module, core, level, invitation);
}

/** A player's end of a match. Call frame once for each picture, then read state. */
export class Client {
  /** What the connection is doing. */
  link: Link = { status: "connecting", transport: "", reason: "" };
  /** How long the core's last frame took, milliseconds. */
  frameTime = 0;
  /** Times the core was rebuilt after a panic. */
  crashes = 0;
  /** Times the connection was lost, or did not open. */
  disconnects = 0;
  /** What the player's hands do; sample it whenever they do. */
  readonly devices = new Devices();
  /** The text of bindings that a player begins with. */
  readonly defaultBindings: string;
  private bindings: string;
  private readonly worker: Worker;
  private readonly onCoreEvent: (event: GameEvent) => void;
  private connection = 0;
  private resume = "";
  private retryDelay = RETRY_FIRST;
  private crashTimes: number[] = [];
  private restarting = false;
  private lastFrame = 0;
  private silentFor = 0; // milliseconds in which nothing was heard
  private lastChecked = 0; // performance.now() of the last frame

  constructor(
    private readonly options: ConnectOptions,
    private readonly module: WebAssembly.Module,
    private core: Core,
    private level: Uint8Array,
    /** Where the match is and what to draw. */
    public joinInfo: JoinInfo,
  ) {
    this.onCoreEvent = (event) => this.onEvent(event);
    this.worker = new Worker(new URL("./socket.worker.ts", import.meta.url), { type: "module" });
    this.worker.onmessage = (message: MessageEvent<FromWorker>) => this.onWorkerMessage(message.data);
    document.addEventListener("visibilitychange", this.visibility);
    window.addEventListener("pagehide", this.pagehide);
    this.defaultBindings = this.bindings = core.bindDefaults();
    this.devices.attach(core);
    this.openConnection();
  }

  /** The name of the key that is bound first to an action of the game; empty where
   * none is. */
  keyOf(action: string): string {
    return this.restarting ? "" : this.core.keyOf(action);
  }

  /** Binds keys by a text, until told otherwise. Returns what is wrong with it,
   * empty where nothing is; then the former bindings stay. */
  bind(text: string): string {
    const wrong = this.restarting ? "the core is starting anew: try again" : this.core.bind(text);
    if (wrong === "") this.bindings = text;
    this.devices.bindingsChanged();
    return wrong;
  }

  /** The state block; see layout.ts. Read it anew after each frame. */
  get state(): Float64Array {
    return this.core.state;
  }

  /** The input block; write it before each frame. */
  get input(): Float64Array {
    return this.core.input;
  }

  /** Runs the match up to now: reads the input block, predicts, sends, and calls
   * onEvent. The state block then holds what to draw. Returns whether it ran. */
  frame(): boolean {
    if (this.restarting || this.link.status === "ended") return false;
    const begin = performance.now();
    this.checkSilence(begin);
    this.guard(() => {
      this.lastFrame = Math.max(this.lastFrame + 1, now());
      this.devices.write();
      const packets = this.core.frame(this.lastFrame);
      if (packets > 0) this.send();
      this.core.events(this.onCoreEvent);
    });
    this.frameTime = performance.now() - begin;
    return !this.restarting;
  }

  /** A server that says nothing for three seconds is as good as gone, whatever
   * the connection believes. A frame counts as a quarter of a second at most: a
   * page that stood still has not listened. */
  private checkSilence(at: number): void {
    this.silentFor += Math.min(at - this.lastChecked, 250);
    this.lastChecked = at;
    if (this.link.status !== "open" || this.silentFor < SILENCE_TIMEOUT) return;
    this.silentFor = 0;
    this.post({ kind: "drop", reason: "nothing was heard for three seconds" });
  }

  /** Adds delay and loss each way from now on. */
  set lag(lag: Readonly<Lag>) {
    this.currentLag = { ...lag };
    this.post({ kind: "lag", lag: this.currentLag });
  }

  get lag(): Readonly<Lag> {
    return this.currentLag;
  }

  private currentLag: Readonly<Lag> = NO_LAG;

  /** For how many milliseconds the server is asked to hold this player's moves back, 0
   * to 250, so that late ones arrive in time: fewer corrections, for acting that much
   * later in the eyes of others. */
  set inputDelay(milliseconds: number) {
    this.currentInputDelay = Math.min(Math.max(Math.round(milliseconds), 0), 250);
    if (!this.restarting) this.guard(() => this.core.setInputDelay(this.currentInputDelay));
  }

  get inputDelay(): number {
    return this.currentInputDelay;
  }

  private currentInputDelay = 0;

  /** Asks the server to let the player fly about as a spectator, or, with false, to
   * play again. */
  spectate(on: boolean): void {
    if (this.link.status === "open" && !this.restarting) this.guard(() => this.core.spectate(on));
  }

  /** Has each frame tell how others come to be drawn as they are (TraceView), or no
   * longer. */
  debugRemotes(on: boolean): void {
    this.remotesDebugged = on;
    if (!this.restarting) this.guard(() => this.core.debugRemotes(on));
  }

  private remotesDebugged = false;

  /** Has each frame tell how one of the player's last shots was judged (ProofView), or no
   * longer. */
  debugShots(on: boolean): void {
    this.shotsDebugged = on;
    if (!this.restarting) this.guard(() => this.core.debugShots(on));
  }

  private shotsDebugged = false;

  /** Why a shot was refused or did no damage, in words; empty for 0. */
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

  /** Loses the connection on purpose, to see it mended. */
  dropConnection(): void {
    this.post({ kind: "drop", reason: "dropped on purpose" });
  }

  /** Fails as if the core had panicked, to see it replaced. */
  failCore(): void {
    this.guard(() => {
      throw new CoreExit(2, ["panic: asked for"]);
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
    const directions = { webtransport, certHashes, websocket, prefer: this.options.transport };
    this.setLink({ status: "connecting", transport: this.link.transport, reason: this.link.reason });
    this.post({ kind: "connect", connection: this.connection, endpoints: directions });
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

  /** A frame for a page that nobody sees: the hands are off. */
  private hiddenFrame(): void {
    const { input } = this.core;
    this.devices.release();
    input[INPUT_FORWARD] = input[INPUT_RIGHT] = input[INPUT_BUTTONS] = 0;
    this.frame();
  }

  private onOpen(road: TransportName, why: string): void {
    this.retryDelay = RETRY_FIRST;
    this.silentFor = 0;
    this.setLink({ status: "open", transport: road, reason: why });
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

  /** The connection died: tell the core, ask the way again, come back. */
  private onLost(reason: string): void {
    this.disconnects++;
    this.setLink({ status: "lost", transport: this.link.transport, reason: reason });
    this.guard(() => this.core.lost(now()));
    const wait = this.retryDelay;
    this.retryDelay = Math.min(2 * wait, RETRY_MAX);
    setTimeout(() => void this.reconnect(), wait);
  }

  private async reconnect(): Promise<void> {
    if (this.link.status !== "lost") return;
    try {
      const invitation = await fetchJoinInfo(this.options.server, this.options);
      if (invitation.level !== this.joinInfo.level) {
        const level = await fetchBytes(new URL(`/levels/${invitation.level}`, this.options.server));
        this.level = level;
        this.guard(() => this.core.loadLevel(level));
      }
      this.joinInfo = invitation;
      this.openConnection();
    } catch (error) {
      this.onLost(error instanceof Error ? error.message : String(error));
    }
  }

  private onEvent(event: GameEvent): void {
    if (event.kind === "resume") this.resume = event.key;
    this.options.onEvent(event);
    if (event.kind === "closed") this.end(event.reason);
  }

  private end(reason: string): void {
    document.removeEventListener("visibilitychange", this.visibility);
    window.removeEventListener("pagehide", this.pagehide);
    this.setLink({ status: "ended", transport: this.link.transport, reason: reason });
    setTimeout(() => this.worker.terminate(), 200); // the goodbye is still on its way
  }

  private readonly visibility = (): void => this.post({ kind: "heartbeat", on: document.hidden });
  private readonly pagehide = (): void => this.leave();

  /** Runs what may panic in the core. A panic kills the instance, so a new one
   * takes its place and joins by the resume key. */
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
    const at = performance.now();
    this.crashTimes = [...this.crashTimes.filter((t) => at - t < CRASH_WINDOW), at];
    if (this.crashTimes.length > MAX_CRASHES) return this.end(`the core keeps failing: ${error.message}`);
    this.setLink({ ...this.link, status: "lost", reason: `${error.message}; starting it anew` });
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

/** Microseconds since the page began, whole. */
function now(): number {
  return Math.round(performance.now() * 1000);
}
