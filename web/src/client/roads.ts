// The two roads from a browser to a match: WebTransport (QUIC datagrams, so a
// lost packet delays nothing) and WebSocket (TCP, so it does). Start at openRoad.
import { Deframer, frame } from "./framing";
import { CHANNEL_DATAGRAM, CHANNEL_STREAM } from "./layout";

/** The name of a road. */
export type TransportName = "webtransport" | "websocket";

/** Where a match can be reached, as /api/join says. */
export interface Endpoints {
  /** Full https URL; empty where the server has no WebTransport. */
  webtransport: string;
  /** SHA-256 of certificates to accept besides the usual ones, in hex. */
  certHashes: string[];
  /** Full ws or wss URL. */
  websocket: string;
  /** Which road to try: both in turn, or one only. */
  prefer: "auto" | TransportName;
}

/** An open connection. */
export interface Transport {
  readonly name: TransportName;
  /** Why it is not WebTransport; empty when it is. */
  readonly why: string;
  /** Sends one message; a datagram is dropped where the road is full. */
  send(channel: number, bytes: Uint8Array<ArrayBuffer>): void;
  close(): void;
}

/** What an open road tells its owner. */
export interface TransportEvents {
  message(channel: number, bytes: Uint8Array): void;
  /** The road is gone; said once, and not after close(). */
  closed(reason: string): void;
}

const OPEN_TIMEOUT = 4000;
const MAX_SOCKET_BACKLOG = 1 << 16;

/** Opens the best road there is: WebTransport, else WebSocket with the reason in
 * `why`. Rejects where none opens within four seconds each. */
export async function openTransport(to: Endpoints, events: TransportEvents): Promise<Transport> {
  if (to.prefer === "websocket") return openWebSocket(to.websocket, "asked for by ?transport=websocket", events);
  const missing = whyNoWebTransport(to);
  if (missing === "") {
    try {
      return await openWebTransport(to, events);
    } catch (error) {
      if (to.prefer === "webtransport") throw error;
      return openWebSocket(to.websocket, `WebTransport failed: ${messageOf(error)}`, events);
    }
  }
  if (to.prefer === "webtransport") throw new Error(`roads: ${missing}`);
  return openWebSocket(to.websocket, missing, events);
}

function whyNoWebTransport(to: Endpoints): string {
  if (!globalThis.isSecureContext) return "insecure context: WebTransport needs https or 127.0.0.1";
  if (typeof WebTransport === "undefined") return "this browser has no WebTransport";
  if (to.webtransport === "") return "the server offers no WebTransport";
  return "";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Waits for promise, but not for ever. */
async function withTimeout<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took more than ${OPEN_TIMEOUT / 1000} s`)), OPEN_TIMEOUT);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A datagram that means nothing: the server asks whether anything passes. */
function isProbe(bytes: Uint8Array): boolean {
  return bytes.length === 0 || (bytes.length === 1 && bytes[0] === 0);
}

/** Some browsers have one way to write datagrams, some the other. */
interface Datagrams {
  readable: ReadableStream<Uint8Array>;
  writable?: WritableStream<Uint8Array>;
  createWritable?: () => WritableStream<Uint8Array>;
  outgoingMaxAge: number | null;
  incomingHighWaterMark: number;
}

async function openWebTransport(to: Endpoints, events: TransportEvents): Promise<Transport> {
  const transport = new WebTransport(to.webtransport, {
    congestionControl: "low-latency",
    serverCertificateHashes: to.certHashes.map((hex) => ({ algorithm: "sha-256", value: fromHex(hex) })),
  });
  transport.closed.catch(() => undefined);
  try {
    await withTimeout(transport.ready, "the handshake");
    const stream = await withTimeout(transport.createBidirectionalStream(), "the stream");
    return new WebTransportSession(transport, stream, events);
  } catch (error) {
    transport.close();
    throw error;
  }
}

class WebTransportSession implements Transport {
  readonly name = "webtransport";
  readonly why = "";
  private closed = false;
  private readonly datagrams: WritableStreamDefaultWriter<Uint8Array>;
  private readonly stream: WritableStreamDefaultWriter<Uint8Array>;

  constructor(
    private readonly transport: WebTransport,
    stream: WebTransportBidirectionalStream,
    private readonly events: TransportEvents,
  ) {
    const datagrams = transport.datagrams as unknown as Datagrams;
    const writable = datagrams.createWritable?.() ?? datagrams.writable;
    if (writable === undefined) throw new Error("roads: no way to write datagrams");
    datagrams.outgoingMaxAge = 100;
    datagrams.incomingHighWaterMark = 64; // a busy moment of this worker loses none
    this.datagrams = writable.getWriter();
    this.stream = stream.writable.getWriter();
    this.datagrams.closed.catch(() => undefined);
    this.stream.closed.catch(() => undefined);
    transport.closed.then(
      (info) => this.fail(info.reason || "the server closed the connection"),
      (error: unknown) => this.fail(messageOf(error)),
    );
    void this.read(datagrams.readable, (bytes) => {
      if (!isProbe(bytes)) this.events.message(CHANNEL_DATAGRAM, bytes);
    });
    const deframer = new Deframer();
    void this.read(stream.readable as ReadableStream<Uint8Array>, (bytes) => {
      for (const message of deframer.push(bytes)) this.events.message(CHANNEL_STREAM, message);
    });
  }

  send(channel: number, bytes: Uint8Array<ArrayBuffer>): void {
    if (this.closed) return;
    if (channel === CHANNEL_STREAM) {
      this.stream.write(frame(bytes)).catch((error: unknown) => this.fail(messageOf(error)));
    } else if ((this.datagrams.desiredSize ?? 0) > 0) {
      this.datagrams.write(bytes).catch(() => undefined);
    }
  }

  close(): void {
    this.closed = true;
    this.transport.close();
  }

  private async read(from: ReadableStream<Uint8Array>, take: (bytes: Uint8Array) => void): Promise<void> {
    const reader = from.getReader();
    try {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return this.fail("the server closed the stream");
        if (!this.closed) take(value);
      }
    } catch (error) {
      this.fail(messageOf(error));
    }
  }

  private fail(reason: string): void {
    if (this.closed) return;
    this.close();
    this.events.closed(reason);
  }
}

async function openWebSocket(url: string, why: string, events: TransportEvents): Promise<Transport> {
  if (url === "") throw new Error(`roads: ${why}, and the server offers no WebSocket`);
  const socket = new WebSocket(url);
  socket.binaryType = "arraybuffer";
  try {
    await withTimeout(
      new Promise<void>((resolve, reject) => {
        socket.onopen = () => resolve();
        socket.onerror = () => reject(new Error("the WebSocket did not open"));
      }),
      "the WebSocket",
    );
  } catch (error) {
    socket.close();
    throw error;
  }
  return new WebSocketSession(socket, why, events);
}

class WebSocketSession implements Transport {
  readonly name = "websocket";
  private closed = false;

  constructor(
    private readonly socket: WebSocket,
    readonly why: string,
    private readonly events: TransportEvents,
  ) {
    socket.onmessage = (message: MessageEvent<unknown>) => this.onMessage(message.data);
    socket.onerror = () => this.end("the WebSocket failed");
    socket.onclose = (close) => this.end(close.reason || `the WebSocket closed (${close.code})`);
  }

  send(channel: number, bytes: Uint8Array<ArrayBuffer>): void {
    const full = this.socket.bufferedAmount > MAX_SOCKET_BACKLOG;
    if (this.closed || (channel === CHANNEL_DATAGRAM && full)) return;
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

  private end(reason: string): void {
    if (this.closed) return;
    this.close();
    this.events.closed(reason);
  }
}

/** Returns the bytes that pairs of hex digits stand for. Throws on anything else. */
export function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  if (!/^([0-9a-f]{2})*$/i.test(hex)) throw new Error(`roads: not hex: ${hex.slice(0, 80)}`);
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}
