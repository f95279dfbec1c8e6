// The two transports from a browser to a match: WebTransport (QUIC datagrams; a lost packet delays
// nothing) and WebSocket (TCP; a lost packet delays those behind it). Start at openTransport.
import { errorText } from "./errors.js";
import { Deframer, frame } from "./framing.js";

/** The channel of messages that may be lost, repeated and reordered (Go: session.Datagram). */
export const DATAGRAM = 0;
/** The channel of messages that arrive, in order (Go: session.Stream). */
export const STREAM = 1;

/** Name of a transport. */
export type TransportName = "webtransport" | "websocket";

/** Addresses of a match, from /api/join. */
export interface Endpoints {
  /** Full https URL; empty if the server has no WebTransport. */
  webtransport: string;
  /** SHA-256 hashes of additional certificates to accept, hex. */
  certHashes: string[];
  /** Full ws or wss URL. */
  websocket: string;
  /** Which transport to try: both in turn, or one only. */
  prefer: "auto" | TransportName;
  /** WebTransport has failed here in the last day: WebSocket tries almost at once. */
  failedLately?: boolean;
}

/** An open connection. */
export interface Transport {
  readonly name: TransportName;
  /** Why it is not WebTransport; empty if it is. */
  readonly reason: string;
  /** WebTransport was tried, and did not open in time. */
  readonly failed: boolean;
  /** Sends one message; a datagram is dropped if the send buffer is full. */
  send(channel: number, bytes: Uint8Array<ArrayBuffer>): void;
  close(): void;
}

/** Callbacks of an open transport. */
export interface TransportEvents {
  message(channel: number, bytes: Uint8Array): void;
  /** Called once when the transport closes, but not after close(). */
  closed(reason: string): void;
}

const OPEN_TIMEOUT = 4000;
/** How long WebTransport tries alone, ms. Then WebSocket tries too, and the first to open is used. */
const HEAD_START = 1500;
/** And where it has failed in the last day: time enough where it works again. */
const SHORT_START = 300;
/** For how long WebTransport is not tried again where it has failed, ms. */
const FAILURE_KEPT = 5 * 60_000;
/** How many datagrams wait for a busy worker before the browser drops some. */
const MAX_INCOMING = 64;
/** How long a transport whose streams have ended or failed waits for the server's reason, ms. */
const REASON_TIME = 1000;
const MAX_SOCKET_BACKLOG = 1 << 16;

/** Where WebTransport failed, and when and why. */
const failures = new Map<string, { at: number; why: string }>();

/** Opens WebTransport, or else WebSocket with the reason in `reason`. Where WebTransport has failed, as
 * where a network blocks UDP, it is not tried again for five minutes, and for a day WebSocket waits less for
 * it. Rejects if neither opens within four seconds. */
export async function openTransport(to: Endpoints, events: TransportEvents): Promise<Transport> {
  if (to.prefer === "websocket") return openWebSocket(to.websocket, "requested by the page", events);
  const missing = whyNoWebTransport(to);
  if (to.prefer === "webtransport") {
    if (missing !== "") throw new Error(`transports: ${missing}`);
    return openWebTransport(to, events);
  }
  const failure = failures.get(to.webtransport);
  const reason = missing !== "" || failure === undefined || performance.now() - failure.at > FAILURE_KEPT ? missing : failure.why;
  if (reason !== "") return openWebSocket(to.websocket, reason, events);
  return openFirst(to, events);
}

/** Opens WebTransport; WebSocket too if that fails or takes longer than its head start. */
async function openFirst(to: Endpoints, events: TransportEvents): Promise<Transport> {
  const web = openWebTransport(to, events);
  const fail = (why: string): string => {
    failures.set(to.webtransport, { at: performance.now(), why });
    return why;
  };
  const start = to.failedLately === true ? SHORT_START : HEAD_START;
  try {
    const early = await Promise.race([web, after(start)]);
    if (early !== undefined) return early;
  } catch (error) {
    return openWebSocket(to.websocket, fail(`WebTransport failed: ${errorText(error)}`), events, true);
  }
  const slow = `WebTransport did not open within ${start / 1000} s`;
  const socket = openWebSocket(to.websocket, slow, events, true);
  const first = await Promise.any([web, socket]).catch(async () => socket); // if both fail, with the socket's error
  for (const other of [web, socket]) other.then((t) => t !== first && t.close(), () => undefined);
  if (first.name === "websocket") fail(slow);
  return first;
}

function after(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), ms));
}

function whyNoWebTransport(to: Endpoints): string {
  if (!globalThis.isSecureContext) return "insecure context: WebTransport needs https or 127.0.0.1";
  if (typeof WebTransport === "undefined") return "this browser has no WebTransport";
  if (to.webtransport === "") return "the server offers no WebTransport";
  return "";
}

/** Rejects if promise takes longer than OPEN_TIMEOUT. */
async function withTimeout<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took more than ${OPEN_TIMEOUT / 1000} s`)), OPEN_TIMEOUT);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns whether a datagram is a probe, by which the server tests whether datagrams arrive. */
function isProbe(bytes: Uint8Array): boolean {
  return bytes.length === 0 || (bytes.length === 1 && bytes[0] === 0);
}

/** Browsers differ: Safari has createWritable and incomingMaxBufferedDatagrams only, as the standard
 * has, Chromium and older Firefox a writable and incomingHighWaterMark only. */
interface Datagrams {
  readable: ReadableStream<Uint8Array>;
  writable?: WritableStream<Uint8Array>;
  createWritable?: () => WritableStream<Uint8Array>;
  outgoingMaxAge: number | null;
  incomingMaxBufferedDatagrams?: number;
  incomingHighWaterMark?: number;
}

/** Returns the stream that writes datagrams, whichever way the browser has. */
export function datagramWritable(datagrams: Pick<Datagrams, "writable" | "createWritable">): WritableStream<Uint8Array> {
  const writable = typeof datagrams.createWritable === "function" ? datagrams.createWritable() : datagrams.writable;
  if (writable === undefined) throw new Error("transports: this browser cannot write datagrams");
  return writable;
}

async function openWebTransport(to: Endpoints, events: TransportEvents): Promise<Transport> {
  const transport = new WebTransport(to.webtransport, {
    congestionControl: "low-latency",
    serverCertificateHashes: to.certHashes.map((hex) => ({ algorithm: "sha-256", value: fromHex(hex) })),
  });
  transport.closed.catch(() => undefined);
  try {
    await withTimeout(transport.ready, "handshake");
    const stream = await withTimeout(transport.createBidirectionalStream(), "opening the stream");
    return new WebTransportSession(transport, stream, events);
  } catch (error) {
    transport.close();
    throw error;
  }
}

class WebTransportSession implements Transport {
  readonly name = "webtransport";
  readonly reason = "";
  readonly failed = false;
  private closed = false;
  private readonly datagrams: WritableStreamDefaultWriter<Uint8Array>;
  private readonly stream: WritableStreamDefaultWriter<Uint8Array>;

  constructor(
    private readonly transport: WebTransport,
    stream: WebTransportBidirectionalStream,
    private readonly events: TransportEvents,
  ) {
    const datagrams = transport.datagrams as unknown as Datagrams;
    const writable = datagramWritable(datagrams);
    datagrams.outgoingMaxAge = 100;
    if (datagrams.incomingMaxBufferedDatagrams === undefined) datagrams.incomingHighWaterMark = MAX_INCOMING;
    else datagrams.incomingMaxBufferedDatagrams = MAX_INCOMING;
    this.datagrams = writable.getWriter();
    this.stream = stream.writable.getWriter();
    this.datagrams.closed.catch(() => undefined);
    this.stream.closed.catch(() => undefined);
    transport.closed.then(
      (info) => this.fail(info.reason || "the server closed the connection"),
      (error: unknown) => this.fail(errorText(error)),
    );
    void this.readAll(datagrams.readable, (bytes) => {
      if (!isProbe(bytes)) this.events.message(DATAGRAM, bytes);
    });
    const deframer = new Deframer();
    void this.readAll(stream.readable as ReadableStream<Uint8Array>, (bytes) => {
      for (const message of deframer.push(bytes)) this.events.message(STREAM, message);
    });
  }

  send(channel: number, bytes: Uint8Array<ArrayBuffer>): void {
    if (this.closed) return;
    if (channel === STREAM) {
      this.stream.write(frame(bytes)).catch((error: unknown) => this.failLater(errorText(error)));
    } else if ((this.datagrams.desiredSize ?? 0) > 0) {
      this.datagrams.write(bytes).catch(() => undefined);
    }
  }

  close(): void {
    this.closed = true;
    this.transport.close();
  }

  private async readAll(from: ReadableStream<Uint8Array>, received: (bytes: Uint8Array) => void): Promise<void> {
    const reader = from.getReader();
    try {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return this.failLater("the server closed the stream");
        if (!this.closed) received(value);
      }
    } catch (error) {
      this.failLater(errorText(error));
    }
  }

  /** Streams end, and writes fail, before the session ends, which has the server's reason: it gets a moment to come. */
  private failLater(reason: string): void {
    setTimeout(() => this.fail(reason), REASON_TIME);
  }

  private fail(reason: string): void {
    if (this.closed) return;
    this.close();
    this.events.closed(reason);
  }
}

async function openWebSocket(url: string, reason: string, events: TransportEvents, failed = false): Promise<Transport> {
  if (url === "") throw new Error(`transports: ${reason}, and the server offers no WebSocket`);
  const socket = new WebSocket(url);
  socket.binaryType = "arraybuffer";
  try {
    await withTimeout(
      new Promise<void>((resolve, reject) => {
        socket.onopen = () => resolve();
        socket.onerror = () => reject(new Error("the WebSocket did not open"));
      }),
      "opening the WebSocket",
    );
  } catch (error) {
    socket.close();
    throw error;
  }
  return new WebSocketSession(socket, reason, failed, events);
}

class WebSocketSession implements Transport {
  readonly name = "websocket";
  private closed = false;

  constructor(
    private readonly socket: WebSocket,
    readonly reason: string,
    readonly failed: boolean,
    private readonly events: TransportEvents,
  ) {
    socket.onmessage = (message: MessageEvent<unknown>) => this.onMessage(message.data);
    socket.onerror = () => this.fail("the WebSocket failed");
    socket.onclose = (close) => this.fail(close.reason || `the WebSocket closed (${close.code})`);
  }

  send(channel: number, bytes: Uint8Array<ArrayBuffer>): void {
    const full = this.socket.bufferedAmount > MAX_SOCKET_BACKLOG;
    if (this.closed || (channel === DATAGRAM && full)) return;
    const message = new Uint8Array(1 + bytes.length);
    message[0] = channel;
    message.set(bytes, 1);
    this.socket.send(message);
  }

  close(): void {
    this.closed = true;
    this.socket.close();
  }

  private onMessage(data: unknown): void {
    if (this.closed || !(data instanceof ArrayBuffer) || data.byteLength === 0) return;
    const bytes = new Uint8Array(data);
    this.events.message(bytes[0] ?? 0, bytes.subarray(1));
  }

  private fail(reason: string): void {
    if (this.closed) return;
    this.close();
    this.events.closed(reason);
  }
}

/** Decodes pairs of hex digits. Throws on anything else. */
export function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  if (!/^([0-9a-f]{2})*$/i.test(hex)) throw new Error(`transports: not hex: ${hex.slice(0, 80)}`);
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}
