// The join request: one JSON document from a server, or from a front door, which lets the player wait in a queue
// and then names the server.
import { errorText, VersionError } from "./errors.js";

/** The answer to GET /api/join. */
export interface JoinInfo {
  match: string;
  /** Name of this start of the server, for a connect token; empty if it does not tell. */
  server: string;
  /** Whether the server wants a connect token. */
  tokens: boolean;
  /** https URL for WebTransport; empty if the server has none. */
  webtransport: string;
  /** SHA-256 hashes of the server's certificates, hex. */
  certHashes: string[];
  /** ws or wss URL, absolute. */
  websocket: string;
  /** Hash of the packed level. */
  level: string;
  /** Absolute URL of the packed level. */
  world: string;
  /** Absolute URL of the level's model; empty if there is none. */
  model: string;
  /** The version of the server's program. */
  version: string;
  /** The version of the server's protocol; 0 if it does not tell. */
  protocol: number;
  /** A hash of how the match's game packs its commands and states; 0 if the server does not say it. */
  format: number;
  /** The connect token that a front door gave, for one connection; empty without a front door. */
  token: string;
  /** Names the player to the front door, which sends it back to its match after a lost connection. A secret;
   * empty without a front door. */
  ticket: string;
}

/** How a player waits at a front door. */
export interface Waiting {
  /** Takes no seat: for a page that loads the level before its visitor plays. By default false. */
  preview?: boolean | undefined;
  /** JoinInfo.ticket of before; by default none. */
  ticket?: string | undefined;
  /** Called with the player's place in the queue, 1 is the next, whenever it changes. */
  onPlace?: ((place: number) => void) | undefined;
  /** Ends the request, and the waiting in the queue. */
  signal?: AbortSignal | undefined;
}

const LINE_PAUSE = 100; // ms between two requests to a front door, which holds each for some seconds
/** How long a request may take, ms: a server that has lost its power takes it and never answers. A front door holds it
 * for less. */
const JOIN_TIMEOUT = 6000;
/** For how long a player in the queue asks again in vain, ms, and the pause before that: the front door keeps its place for
 * ten seconds. */
const LINE_PATIENCE = 8000;
const LINE_RETRY = 500;

/** Requests a match from the server at base; an empty name means any. Waits as long as a front door lets the
 * player wait in the queue. Throws if the server does not answer or the answer is malformed. */
export async function fetchJoinInfo(base: URL, match = "", waiting: Waiting = {}): Promise<JoinInfo> {
  for (let ticket = waiting.ticket ?? "", before = 0, answered = 0; ; ) {
    let answer: Record<string, unknown>;
    try {
      answer = await fetchAnswer(base, match, ticket, waiting);
    } catch (error) {
      if (before === 0 || waiting.signal?.aborted === true || performance.now() - answered > LINE_PATIENCE) throw error;
      await after(LINE_RETRY);
      continue;
    }
    answered = performance.now();
    const place = number(answer, "place");
    if (place === 0) return parseJoinInfo(answer, base);
    if (place !== before) waiting.onPlace?.(place);
    before = place;
    ticket = text(answer, "ticket");
    await after(LINE_PAUSE);
  }
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function fetchAnswer(base: URL, match: string, ticket: string, { signal, preview }: Waiting): Promise<Record<string, unknown>> {
  const url = new URL("/api/join", base);
  if (match !== "") url.searchParams.set("match", match);
  if (ticket !== "") url.searchParams.set("ticket", ticket);
  if (preview === true) url.searchParams.set("preview", "1");
  signal?.throwIfAborted();
  const given = new AbortController(); // AbortSignal.any is missing in older browsers
  const giveUp = (): void => given.abort(signal?.reason);
  const timer = setTimeout(() => given.abort(new Error(`no answer within ${JOIN_TIMEOUT / 1000} s`)), JOIN_TIMEOUT);
  signal?.addEventListener("abort", giveUp);
  try {
    return await readAnswer(url, given.signal);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", giveUp);
  }
}

async function readAnswer(url: URL, signal: AbortSignal): Promise<Record<string, unknown>> {
  const reply = await fetch(url, { cache: "no-store", signal }).catch((error: unknown) => {
    throw new Error(`join: no answer from ${url.origin}${otherOrigin(url)}: ${errorText(error)}`, { cause: error });
  });
  if (!reply.ok) throw new Error(`join: status ${reply.status} ${(await reply.text()).slice(0, 200)}`);
  const type = reply.headers.get("content-type") ?? "";
  if (!type.includes("json")) throw new Error(`join: ${url.origin}${url.pathname} answers with ${type || "no type"}, not JSON: is this a Backstep server?`);
  return fieldsOf(await reply.json());
}

/** What may be the cause if a server of another host than the page's does not answer: a browser hides the refusal of a
 * page that the server does not allow. */
function otherOrigin(url: URL): string {
  const host = globalThis.location?.hostname ?? "";
  return host === "" || host === url.hostname ? "" : `, which is down, or does not allow pages of ${host} (its flag --origin)`;
}

function fieldsOf(answer: unknown): Record<string, unknown> {
  if (typeof answer !== "object" || answer === null) throw new Error("join: the answer is not an object");
  return answer as Record<string, unknown>;
}

/** Validates an answer field by field and makes its URLs absolute. */
export function parseJoinInfo(answer: unknown, asked: URL): JoinInfo {
  const fields = fieldsOf(answer);
  const base = new URL(text(fields, "address") || "/", asked); // a front door names another server
  const hashes = fields["cert_hashes"] ?? [];
  if (!Array.isArray(hashes) || !hashes.every((h) => typeof h === "string")) {
    throw new Error("join: cert_hashes is not a list of strings");
  }
  const level = text(fields, "level");
  if (level === "") throw new Error("join: the match has no level: give the server one (Go: session.ServerConfig.LevelHash)");
  if (!/^[0-9a-zA-Z_-]{1,128}$/.test(level)) throw new Error(`join: level is not a hash: ${level.slice(0, 80)}`);
  const model = text(fields, "model");
  return {
    match: text(fields, "match"),
    server: text(fields, "server"),
    tokens: fields["tokens"] === true,
    webtransport: text(fields, "webtransport"),
    certHashes: hashes as string[],
    websocket: socketURL(text(fields, "websocket"), base),
    level,
    world: new URL(text(fields, "world") || `/levels/${level}`, base).href,
    model: model === "" ? "" : new URL(model, base).href,
    version: text(fields, "version"),
    protocol: number(fields, "protocol"),
    format: number(fields, "format"),
    token: text(fields, "token"),
    ticket: text(fields, "ticket"),
  };
}

/** Throws a VersionError if the server speaks another protocol than a core, or its game packs its commands
 * and states otherwise: then the page is an old one. A server that does not say it is 0. */
export function checkVersions(server: Pick<JoinInfo, "protocol" | "format">, core: { protocol: number; format: number }): void {
  const hex = (format: number): string => `game format ${format.toString(16).padStart(8, "0")}`;
  if (server.protocol !== 0 && server.protocol !== core.protocol) throw new VersionError("server", `protocol ${core.protocol}`, `protocol ${server.protocol}`);
  if (server.format !== 0 && server.format !== core.format) throw new VersionError("server", hex(core.format), hex(server.format));
}

function number(fields: Record<string, unknown>, name: string): number {
  const value = fields[name];
  return typeof value === "number" ? value : 0;
}

function text(fields: Record<string, unknown>, name: string): string {
  const value = fields[name] ?? "";
  if (typeof value !== "string") throw new Error(`join: ${name} is not a string`);
  return value;
}

function socketURL(address: string, base: URL): string {
  if (address === "") return "";
  const url = new URL(address, base);
  if (url.protocol === "http:") url.protocol = "ws:";
  if (url.protocol === "https:") url.protocol = "wss:";
  return url.href;
}

/** Downloads a file. Throws if the status is not OK. The signal ends the download. */
export async function fetchBytes(url: URL | string, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  const reply = await fetch(url, { signal: signal ?? null });
  if (!reply.ok) throw new Error(`${String(url)}: status ${reply.status}`);
  return new Uint8Array(await reply.arrayBuffer());
}
