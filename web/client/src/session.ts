// The client end of a match: keeps the connection, runs the core, and recovers when either fails.
// Start at Session.frame; connect in connect.ts makes sessions.
import { copy } from "./accessors.js";
import { loadCore, type Core, type LevelVolume, type Point } from "./core.js";
import { errorText, VersionError } from "./errors.js";
import { checkVersions, fetchBytes, fetchJoinInfo, type JoinInfo } from "./join.js";
import type { FromWorker, ToWorker } from "./messages.js";
import { type Notice, noticeFor } from "./notice.js";
import { Roots, type AnyRoots } from "./roots.js";
import { NO_LAG, type Lag } from "./simulatedlink.js";
import { failedLately, keepFailure } from "./transportmemory.js";
import { DATAGRAM, type TransportName } from "./transports.js";
import { CoreExit } from "./wasi.js";

/** State of the connection. */
export interface Link {
  /** connecting: at first and again after a loss. lost: waits before it connects again. ended: for
   * good. */
  status: "connecting" | "open" | "lost" | "ended";
  /** The transport in use; empty until the first one opened. */
  transport: TransportName | "";
  /** Why WebTransport is not used, or why the connection is lost or ended; may be empty. */
  reason: string;
}

/** What a session is made of; connect supplies it. */
export interface SessionParts<G extends AnyRoots> {
  server: URL;
  name: string;
  match: string;
  transport: "auto" | TransportName;
  resumeKey: string | undefined;
  /** Starts the worker. */
  worker: () => Worker;
  module: WebAssembly.Module;
  core: Core;
  joinInfo: JoinInfo;
  level: Uint8Array;
  setUp: ((core: Core) => void) | undefined;
  onFrame: ((session: Session<G>) => void) | undefined;
  onLink: ((link: Link) => void) | undefined;
  idle: ((input: G["input"]) => void) | undefined;
  token: ((join: JoinInfo) => string | Promise<string>) | undefined;
  joinOptions: (() => string) | undefined;
  onPlace: ((place: number) => void) | undefined;
  /** Shows why nothing can be played; undefined on a page that does so itself. */
  notice: Notice | undefined;
  /** Closes the session. */
  signal: AbortSignal | undefined;
}

const RETRY_FIRST = 250;
const RETRY_MAX = 4000;
const SILENCE_TIMEOUT = 3000;
const QUEUE_TIMEOUT = 15_000; // where a place arrives every 5 s
const MAX_CRASHES = 5;
const CRASH_WINDOW = 60_000;
const GOODBYE = 200; // ms for the last packets to leave
const OTHER_LEVEL = "browser: the match plays another level"; // Go: instance.enter
const MAX_KEPT = 1000; // events of frames in a hidden tab

/** The lists of the view that say what happened in a frame. */
interface Happened<G extends AnyRoots> {
  events: G["view"]["events"];
  corrections: G["view"]["corrections"];
  shots: G["view"]["shots"];
}

/** The client end of a match. Call frame once per drawn frame, then read what to draw. What it returns
 * reads the core's memory: it is valid until the next frame, and copy keeps it for longer. */
export class Session<G extends AnyRoots = AnyRoots> {
  /** State of the connection. */
  link: Link = { status: "connecting", transport: "", reason: "" };
  /** Duration of the core's last frame, milliseconds. */
  frameTime = 0;
  /** Number of core restarts after a panic. */
  crashes = 0;
  /** Number of connections that were lost or did not open. */
  disconnects = 0;
  /** Where the match is and what to draw. */
  joinInfo: JoinInfo;
  private readonly values: Roots<G>;
  private core: Core;
  private level: Uint8Array;
  private readonly worker: Worker;

  private readonly gone = new AbortController(); // aborts when the session ends
  private connection = 0;
  private resume: string;
  private token = ""; // of the connection
  private retryDelay = RETRY_FIRST;
  private lostBy = ""; // why the connection was lost, until there is another
  private crashTimes: number[] = [];
  private restarting = false;
  private lastFrame = 0;
  private silentFor = 0; // ms since the last datagram
  private lastChecked = 0; // performance.now() of the last check
  private hidden: Happened<G> | undefined; // in frames of the hidden tab
  private happened: Happened<G> | undefined; // since the last frame of the page, if that is not what the view has
  private ran = false; // the core, in the last call of run
  private currentLag: Readonly<Lag> = NO_LAG;
  private currentInputDelay = 0;

  constructor(private readonly parts: SessionParts<G>) {
    this.core = parts.core;
    this.level = parts.level;
    this.joinInfo = parts.joinInfo;
    this.resume = parts.resumeKey ?? "";
    this.values = new Roots<G>(parts.core);
    parts.setUp?.(this.core); // which may throw, while there is nothing to take back
    this.worker = parts.worker();
    this.worker.onmessage = (message: MessageEvent<FromWorker>) => this.onWorkerMessage(message.data);
    this.worker.onerror = ({ message }: Partial<ErrorEvent>) => this.onWorkerError(message);
    document.addEventListener("visibilitychange", this.visibility);
    window.addEventListener("pagehide", this.pagehide);
    parts.signal?.addEventListener("abort", () => this.close(), { once: true, signal: this.gone.signal });
    this.visibility();
    this.openConnection();
  }

  // What to draw.

  /** All of the view (Go: browser.View). */
  get view(): G["view"] {
    return this.values.view;
  }

  /** Whether the player is in the match: it has a seat, and the server has placed it. */
  get playing(): boolean {
    return this.view.phase === "playing";
  }

  /** The player's place in the queue of a full match, 1 is the next; 0 if it does not wait. */
  get queue(): number {
    return this.view.queue;
  }

  /** The player's number; 0 before joining. */
  get id(): number {
    return this.view.id;
  }

  /** The player's own state as predicted; undefined until the server has placed the player. */
  get self(): G["view"]["self"] | undefined {
    return this.view.placed ? this.view.self : undefined;
  }

  /** Where the own character is drawn: its feet, metres. */
  get position(): G["view"]["position"] {
    return this.view.position;
  }

  /** Where the player looks from, metres. */
  get eye(): G["view"]["eye"] {
    return this.view.eye;
  }

  /** All other players. */
  get remotes(): G["view"]["remotes"] {
    return this.view.remotes;
  }

  /** All other entities, without the player's own projectiles. */
  get entities(): G["view"]["entities"] {
    return this.view.entities;
  }

  /** The level's movers, in the order of their nodes in its file. */
  get movers(): G["view"]["movers"] {
    return this.view.movers;
  }

  /** The player's own projectiles. */
  get projectiles(): G["view"]["projectiles"] {
    return this.view.projectiles;
  }

  /** What has happened since the last call of frame, oldest first; that of a hidden tab included. */
  get events(): G["view"]["events"] {
    return this.happened?.events ?? this.view.events;
  }

  /** The corrections of the player's moves that were applied since the last call of frame, oldest first; at
   * most 16 of one frame of the core. Since joining, stats.moves counts them by
   * cause: its corrections are mispredictions. When the server places the player, the cause is teleport. */
  get corrections(): G["view"]["corrections"] {
    return this.happened?.corrections ?? this.view.corrections;
  }

  /** The shots that the player fired since the last call of frame. */
  get shots(): G["view"]["shots"] {
    return this.happened?.shots ?? this.view.shots;
  }

  /** The figures of the network. */
  get stats(): G["view"]["stats"] {
    return this.view.stats;
  }

  /** The game's own values by their names (Go: browser.Extend), with view and input. */
  get roots(): G {
    return this.values.all;
  }

  /** Returns the triangles of the level, of 0 what stands still, of i + 1 those of movers[i]; see
   * Core.triangles. None while the core restarts. */
  triangles(mover: number): Float32Array<ArrayBuffer> {
    let found = new Float32Array();
    this.guard(() => (found = this.core.triangles(mover)));
    return found;
  }

  /** Returns the volumes of the level: water, what kills, what launches. */
  volumes(): LevelVolume[] {
    let found: LevelVolume[] = [];
    this.guard(() => (found = this.core.volumes()));
    return found;
  }

  /** Moves a ball with a radius through the level as it is in this frame; returns the share of the way to
   * the first touch, 0 to 1: for cameras that do not pass walls. */
  sweep(from: Point, delta: Point, radius: number): number {
    let share = 1;
    this.guard(() => (share = this.core.sweep(from, delta, radius)));
    return share;
  }

  /** The key by which the player gets its seat back after a reload; empty before it has one. */
  get resumeKey(): string {
    return this.resume;
  }

  // What to do.

  /** The command of the next frame. It keeps its values from frame to frame, unless frame is given
   * an input. */
  get input(): G["input"] {
    return this.values.input;
  }

  /** Advances the match to the present: predicts, sends and receives. With an input, fields that it
   * does not have are zero. Returns whether there is a player to draw. */
  frame(input?: Input<G["input"]>): boolean {
    if (input !== undefined) this.values.setInput(input);
    const goesOn = this.run();
    if (this.hidden !== undefined && this.ran) this.keep(this.hidden);
    this.happened = this.hidden ?? (this.ran ? undefined : nothing());
    this.hidden = undefined;
    return goesOn && this.view.placed;
  }

  /** Sends a message to the game on the server: bytes or text, at most 4096 bytes. It arrives, in
   * order. Returns false if it cannot be sent now, because the player has no seat: it has one from the event
   * "welcomed" on, which comes once for each connection, before the server places the player. */
  tell(message: Uint8Array | string): boolean {
    if ((!this.playing && this.view.phase !== "syncing") || this.link.status !== "open" || this.restarting) return false;
    const bytes = typeof message === "string" ? new TextEncoder().encode(message) : message;
    this.guard(() => this.core.tell(bytes));
    return !this.restarting;
  }

  /** Calls an export of the game's own, with text or bytes in the core's inbox if content is given: its
   * length is then the last parameter. Returns 0 while the core restarts. */
  call(name: string, parameters: readonly number[] = [], content?: Uint8Array | string): number {
    let result = 0;
    this.guard(() => {
      const length = content === undefined ? [] : [this.core.put(content)];
      result = this.core.call(name, ...parameters, ...length);
    });
    return result;
  }

  /** Simulated lag, applied in both directions from now on. */
  set lag(lag: Readonly<Lag>) {
    this.currentLag = { ...lag };
    this.post({ kind: "lag", lag: this.currentLag });
  }

  get lag(): Readonly<Lag> {
    return this.currentLag;
  }

  /** Input delay in milliseconds, 0 to 250: how long the server buffers this player's moves
   * before running them. More delay means fewer corrections on an uneven link; other players see
   * the actions that much later. */
  set inputDelay(milliseconds: number) {
    this.currentInputDelay = Math.min(Math.max(Math.round(milliseconds), 0), 250);
    this.guard(() => this.core.setInputDelay(this.currentInputDelay));
  }

  get inputDelay(): number {
    return this.currentInputDelay;
  }

  /** Leaves the match for good, and takes its notice down. */
  close(): void {
    if (this.link.status === "ended") return this.parts.notice?.show(undefined);
    this.guard(() => {
      this.core.leave();
      this.core.frame(++this.lastFrame);
      this.send();
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

  /** Runs one frame of the core. Returns whether it ran and the match goes on. */
  private run(): boolean {
    this.ran = false;
    if (this.restarting || this.link.status === "ended") return false;
    const start = performance.now();
    this.checkSilence(start);
    this.guard(() => {
      this.lastFrame = Math.max(this.lastFrame + 1, now());
      this.core.frame(this.lastFrame);
      this.send();
    });
    this.frameTime = performance.now() - start;
    if (this.restarting) return false;
    this.ran = true;
    this.resume = this.view.resumeKey || this.resume;
    tellPage(() => this.parts.onFrame?.(this));
    if (this.view.phase === "ended" && this.view.closed.startsWith(OTHER_LEVEL)) { // it has changed since the address was requested
      this.onLost("the next level begins");
      return false;
    }
    if (this.view.phase === "ended") {
      this.end(this.view.closed || "the server ended the session");
      return false; // the page goes on to show why
    }
    if (this.link.status === "open" && (this.view.phase !== "outside" || this.queue > 0)) { // the server has taken the player
      this.retryDelay = RETRY_FIRST;
      this.lostBy = "";
    }
    this.showNotice();
    return true;
  }

  /** Copies what happened in this frame, which the next one overwrites. */
  private keep(into: Happened<G>): void {
    const { events, corrections, shots } = this.view;
    for (const [list, more] of [[into.events, events], [into.corrections, corrections], [into.shots, shots]] as const) {
      (list as unknown[]).push(...copy(more));
      if (list.length > MAX_KEPT) (list as unknown[]).splice(0, list.length - MAX_KEPT);
    }
  }

  /** A TCP connection can stay open long after the server has stopped answering, so three silent
   * seconds count as a disconnect, in a queue fifteen. One frame adds at most 250 ms, because a suspended page could
   * not receive. */
  private checkSilence(time: number): void {
    this.silentFor += Math.min(time - this.lastChecked, 250);
    this.lastChecked = time;
    const most = this.queue > 0 ? QUEUE_TIMEOUT : SILENCE_TIMEOUT;
    if (this.link.status !== "open" || this.silentFor < most) return;
    this.silentFor = 0;
    this.post({ kind: "drop", reason: `no data for ${most / 1000} s` });
  }

  private send(): void {
    const packets = this.core.packets.map(({ channel, bytes }) => ({ channel: Number(channel), bytes: bytes.slice() as Uint8Array<ArrayBuffer> }));
    if (packets.length > 0) this.post({ kind: "send", connection: this.connection, packets }, packets.map((p) => p.bytes.buffer));
  }

  private post(message: ToWorker, transfer: Transferable[] = []): void {
    this.worker.postMessage(message, transfer);
  }

  private openConnection(): void {
    this.connection++;
    this.setLink({ ...this.link, status: "connecting" });
    this.token = this.joinInfo.token;
    if (this.joinInfo.tokens && this.token === "") void this.fetchToken(this.connection);
    else this.connect();
  }

  private connect(): void {
    const { webtransport, certHashes, websocket } = this.joinInfo;
    const endpoints = { webtransport, certHashes, websocket, prefer: this.parts.transport, failedLately: failedLately(webtransport) };
    this.post({ kind: "connect", connection: this.connection, endpoints });
  }

  /** Asks the game's backend for a connect token, then connects with it. A backend that does not answer is
   * asked again, as a server is. */
  private async fetchToken(connection: number): Promise<void> {
    if (this.parts.token === undefined) return this.end("this server wants a connect token: give connect the option token");
    try {
      this.token = await this.parts.token(this.joinInfo);
    } catch (error) {
      if (connection === this.connection) this.onLost(`the connect token: ${errorText(error)}`);
      return;
    }
    if (connection === this.connection && this.link.status === "connecting") this.connect();
  }

  private setLink(link: Link): void {
    this.link = link;
    this.showNotice();
    tellPage(() => this.parts.onLink?.(link));
  }

  /** A loss keeps its first reason: that the server does not answer afterwards says less. */
  private showNotice(): void {
    const { status, reason } = this.link;
    if (status === "lost") this.lostBy ||= reason;
    const lost = status !== "ended" && this.lostBy !== "";
    this.parts.notice?.show(noticeFor(lost ? { status: "lost", reason: this.lostBy } : { status, reason }, this.queue));
  }

  private onWorkerMessage(message: FromWorker): void {
    if (this.link.status === "ended") return;
    if (message.kind === "heartbeat") return this.hiddenFrame();
    if (message.connection !== this.connection) return;
    switch (message.kind) {
      case "open":
        if (message.failed || message.transport === "webtransport") keepFailure(this.joinInfo.webtransport, message.failed);
        return this.onOpen(message.transport, message.reason);
      case "message":
        return this.onMessage(message.channel, message.bytes, message.arrived);
      case "closed": // twice where the transport and the page find it at the same time
        if (this.link.status !== "lost") this.onLost(message.reason);
    }
  }

  /** A worker that has not opened anything yet does not run at all; the event of a file that is missing has no message. */
  private onWorkerError(message = ""): void {
    if (this.link.transport !== "") return;
    this.end(`socket.worker.js of @backstep/client does not run${message && `: ${message}`}: give connect the option worker`);
  }

  /** Runs a frame of a hidden tab, whose player stands still. */
  private hiddenFrame(): void {
    this.values.idle(this.parts.idle);
    this.run();
    if (this.ran) this.keep((this.hidden ??= nothing()));
  }

  private onOpen(transport: TransportName, reason: string): void {
    this.silentFor = 0;
    this.setLink({ status: "open", transport, reason });
    try {
      this.guard(() => this.core.hello(this.parts.name, this.resume, this.joinInfo.level, this.joinInfo.match, this.token, this.parts.joinOptions?.() ?? "", now()));
    } catch (error) {
      this.end(errorText(error)); // such as an invalid name: it would be refused again
    }
  }

  private onMessage(channel: number, bytes: ArrayBuffer, arrived: number): void {
    if (channel === DATAGRAM || this.queue > 0) this.silentFor = 0;
    const at = Math.min(Math.round((arrived - performance.timeOrigin) * 1000), now());
    this.guard(() => this.core.receive(channel, new Uint8Array(bytes), at));
  }

  /** Handles a lost connection: tells the core, then requests the address again and reconnects
   * with growing delay. */
  private onLost(reason: string): void {
    if (this.link.status === "ended") return; // the player left while a request was on its way
    this.disconnects++;
    this.guard(() => this.core.lost());
    if (this.view.phase === "ended") return this.end(this.view.closed); // a refusal that no frame has shown
    this.setLink({ ...this.link, status: "lost", reason });
    const wait = this.retryDelay;
    this.retryDelay = Math.min(2 * wait, RETRY_MAX);
    // Half of it is random, so that the players of a server that was started again do not come all at once.
    setTimeout(() => void this.reconnect(), wait / 2 + (wait / 2) * Math.random());
  }

  private async reconnect(): Promise<void> {
    if (this.link.status !== "lost") return;
    try {
      const { server, match, onPlace } = this.parts;
      const joinInfo = await fetchJoinInfo(server, match, { ticket: this.joinInfo.ticket, onPlace, signal: this.gone.signal });
      checkVersions(joinInfo, this.view);
      if (joinInfo.level !== this.joinInfo.level) {
        const level = await fetchBytes(joinInfo.world, this.gone.signal);
        if (this.gone.signal.aborted) return;
        this.level = level;
        this.guard(() => this.core.loadLevel(level));
      }
      this.joinInfo = joinInfo;
      this.openConnection();
    } catch (error) {
      if (error instanceof VersionError) this.end(error.message); // the server has been updated
      else this.onLost(errorText(error));
    }
  }

  private end(reason: string): void {
    if (this.link.status === "ended") return;
    document.removeEventListener("visibilitychange", this.visibility);
    window.removeEventListener("pagehide", this.pagehide);
    this.gone.abort();
    this.setLink({ ...this.link, status: "ended", reason });
    setTimeout(() => this.worker.terminate(), GOODBYE);
  }

  private readonly visibility = (): void => this.post({ kind: "heartbeat", on: document.hidden });
  private readonly pagehide = (): void => {
    if (this.parts.resumeKey !== undefined) return;
    this.close();
    // The browser's back button may show the page again as it was, with a picture that stands still.
    window.addEventListener("pageshow", () => this.setLink({ ...this.link, reason: "you left the match with this page" }), { once: true });
  };

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
    this.crashes++;
    console.error(error);
    const time = performance.now();
    this.crashTimes = [...this.crashTimes.filter((t) => time - t < CRASH_WINDOW), time];
    if (this.crashTimes.length > MAX_CRASHES) return this.end(`the core keeps failing: ${error.message}`);
    this.setLink({ ...this.link, status: "lost", reason: `${error.message}; restarting` });
    try {
      const core = await loadCore(this.parts.module);
      if (this.gone.signal.aborted) return;
      core.loadLevel(this.level);
      core.setInputDelay(this.currentInputDelay);
      this.core = core;
      this.values.attach(core);
      this.parts.setUp?.(core);
    } catch (failure) {
      return this.end(`the core does not start again: ${errorText(failure)}`);
    }
    this.restarting = false;
    this.openConnection();
  }
}

/** Returns lists in which nothing has happened. */
function nothing<G extends AnyRoots>(): Happened<G> {
  return { events: [], corrections: [], shots: [] };
}

/** Calls the page back. What it throws is an error of the page, as in a listener, and not of the session, which goes on. */
function tellPage(call: () => void): void {
  try {
    call();
  } catch (error) {
    reportError(error);
  }
}

/** An input of frame: some or all fields of the command. */
export type Input<T> = T extends object ? (T extends ArrayLike<unknown> ? T : { [K in keyof T]?: Input<T[K]> }) : T;

/** Returns whole microseconds since the page was loaded. */
function now(): number {
  return Math.round(performance.now() * 1000);
}

