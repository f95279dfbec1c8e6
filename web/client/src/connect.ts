// Joins a match. Start at connect.
import { loadCore, type Core } from "./core.js";
import { errorText } from "./errors.js";
import { checkVersions, fetchBytes, fetchJoinInfo, type JoinInfo, type Waiting } from "./join.js";
import { Notice, noticeFor } from "./notice.js";
import { moduleOf, Prepared } from "./prepare.js";
import type { AnyRoots } from "./roots.js";
import { Session, type Link } from "./session.js";
import type { TransportName } from "./transports.js";

/** Options of connect; each may be left out. */
export interface ConnectOptions<G extends AnyRoots = AnyRoots> {
  /** URL of the compiled core, a module that is compiled already, or what prepare has started. By default
   * game.wasm beside the page. */
  core?: URL | string | WebAssembly.Module | Prepared;
  /** The player's name, 1 to 24 printable characters. By default "Guest" and a number. */
  name?: string;
  /** Name of a match. By default any. */
  match?: string;
  /** Returns a connect token for a match, as the game's backend has issued it for this player: called before
   * each connection, since a token opens one, and not for a server that wants none or behind a front door. */
  token?: (join: JoinInfo) => string | Promise<string>;
  /** Called with the player's place while a front door lets it wait in the queue, 1 is the next. In the queue of a full
   * match the session has it (Session.queue). */
  onPlace?: (place: number) => void;
  /** Session.resumeKey of this player's session before the page was reloaded, empty if there was none: it
   * gets its seat and score back. A page that gives it does not leave the match when it goes away: its
   * player stands there for as long as the server waits for a lost connection. */
  resumeKey?: string;
  /** Returns what the player chooses as it joins, such as a team or a character: text of the game's own, at most 256
   * bytes. Called before each connection. The server's event Joined has it as Text. */
  joinOptions?: () => string;
  /** Ends joining, also in the queue, and later the session: for a page that the player may leave meanwhile. connect
   * then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Which transport to use. By default "auto": WebTransport, or else WebSocket. */
  transport?: "auto" | TransportName;
  /** Whether the page shows by itself why nothing can be played: in the queue, connection lost, refused, no
   * server. By default true; a page with words of its own gives false. The element has the class
   * backstep-notice. */
  notice?: boolean;
  /** Called when the state of the connection changes. */
  onLink?: (link: Link) => void;
  /** Called after every frame of the core, also those that it runs by itself in a hidden tab: the place
   * to read blocks of the game's own that say what happened in a frame. */
  onFrame?: (session: Session<G>) => void;
  /** Called with each new instance of the core, the first and those after a crash, before it joins: the
   * place to set up the game's own exports. */
  setUp?: (core: Core) => void;
  /** Sets the input of a frame in a hidden tab. By default everything is zero but yaw and pitch. */
  idle?: (input: G["input"]) => void;
  /** Returns the worker that runs socket.worker.js of this package. By default the one that lies beside
   * this module. */
  worker?: () => Worker;
}

let failed: Notice | undefined; // that of the last call of connect that was rejected

/** Finds a match on the server at url, loads the core and the level, and starts joining. Rejects if the
 * server does not answer, and with a VersionError if this page is older or newer than the core or the
 * server; later failures are reported by onLink and retried where possible. */
export async function connect<G extends AnyRoots = AnyRoots>(url: URL | string, options: ConnectOptions<G> = {}): Promise<Session<G>> {
  failed?.show(undefined);
  const notice = options.notice === false ? undefined : new Notice();
  try {
    return await join(url, options, notice);
  } catch (error) {
    const left = options.signal?.aborted === true;
    notice?.show(left ? undefined : noticeFor({ status: "ended", reason: errorText(error) }, 0));
    failed = notice;
    throw left ? options.signal?.reason : error;
  }
}

async function join<G extends AnyRoots>(url: URL | string, options: ConnectOptions<G>, notice: Notice | undefined): Promise<Session<G>> {
  const server = new URL(url, document.baseURI);
  const match = options.match ?? "";
  const onPlace = (place: number): void => {
    notice?.show(noticeFor({ status: "connecting", reason: "" }, place));
    options.onPlace?.(place);
  };
  const { signal } = options;
  const prepared = options.core instanceof Prepared ? options.core : undefined;
  const loading = options.core instanceof Prepared ? options.core.module : moduleOf(options.core, signal);
  const [module, { joinInfo, level }] = await Promise.all([loading, fetchMatch(server, match, { onPlace, signal }, prepared)]);
  const started = prepared?.take();
  const core = started ?? (await loadCore(module));
  checkVersions(joinInfo, core.read<AnyRoots["view"]>("view"));
  if (started === undefined || level !== prepared?.level) core.loadLevel(level);
  signal?.throwIfAborted();
  const worker = (): Worker => options.worker?.() ?? new Worker(new URL("./socket.worker.js", import.meta.url), { type: "module" });
  if (notice !== undefined) signal?.addEventListener("abort", () => notice.show(undefined), { once: true }); // also that of a session that has ended
  return new Session<G>({
    server, match, module, core, joinInfo, level, worker, signal,
    name: options.name ?? `Guest ${100 + Math.floor(Math.random() * 900)}`,
    transport: options.transport ?? "auto", resumeKey: options.resumeKey, token: options.token, joinOptions: options.joinOptions, onPlace, notice,
    setUp: options.setUp, onFrame: options.onFrame, onLink: options.onLink, idle: options.idle,
  });
}

async function fetchMatch(server: URL, match: string, waiting: Waiting, prepared: Prepared | undefined): Promise<{ joinInfo: JoinInfo; level: Uint8Array }> {
  const joinInfo = await fetchJoinInfo(server, match, waiting);
  return { joinInfo, level: prepared?.joinInfo.level === joinInfo.level ? prepared.level : await fetchBytes(joinInfo.world, waiting.signal) };
}
