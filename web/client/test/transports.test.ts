import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { datagramWritable, openTransport, type Endpoints, type TransportEvents } from "../src/transports.js";

const EVENTS: TransportEvents = { message: () => undefined, closed: () => undefined };
let server = 0;

/** Each test has a server of its own, since failures are remembered. */
function endpoints(prefer: Endpoints["prefer"] = "auto"): Endpoints {
  return { webtransport: `https://127.0.0.1:${++server}/play`, certHashes: [], websocket: "ws://127.0.0.1/ws", prefer };
}

/** What the fake WebTransport does: opens after so many ms, or fails. */
let opens: number | "fails" = 0;
const opened: string[] = [];

/** Ends the session of the last FakeWebTransport with a reason. */
let endSession: (reason: string) => void = () => undefined;

class FakeWebTransport {
  readonly ready: Promise<void>;
  readonly closed = new Promise<{ reason: string }>((resolve) => (endSession = (reason) => resolve({ reason })));
  readonly datagrams = { readable: new ReadableStream(), createWritable: () => new WritableStream() };

  constructor(url: string) {
    opened.push(url);
    this.ready = opens === "fails" ? Promise.reject(new Error("no UDP")) : new Promise((resolve) => setTimeout(resolve, opens as number));
  }

  createBidirectionalStream = (): Promise<unknown> =>
    Promise.resolve({ readable: new ReadableStream(), writable: new WritableStream({ write: () => Promise.reject(new Error("Connection lost")) }) });
  close = (): void => void opened.push("closed");
}

class FakeWebSocket {
  onopen: () => void = () => undefined;
  constructor(url: string) {
    opened.push(url);
    setTimeout(() => this.onopen(), 10);
  }
  close(): void {
    opened.push("socket closed");
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebTransport", FakeWebTransport);
  vi.stubGlobal("WebSocket", FakeWebSocket);
  vi.stubGlobal("isSecureContext", true);
  opened.length = 0;
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function open(to: Endpoints): Promise<[name: string, reason: string]> {
  const result = openTransport(to, EVENTS);
  await vi.advanceTimersByTimeAsync(8000);
  const { name, reason } = await result;
  return [name, reason];
}

test("WebTransport is used where it opens", async () => {
  opens = 40;
  expect(await open(endpoints())).toEqual(["webtransport", ""]);
  expect(opened).toHaveLength(1);
});

test("where WebTransport fails, WebSocket is used, and WebTransport is not tried again at once", async () => {
  opens = "fails";
  const to = endpoints();
  expect(await open(to)).toEqual(["websocket", "WebTransport failed: no UDP"]);
  opens = 0;
  opened.length = 0;
  expect(await open(to)).toEqual(["websocket", "WebTransport failed: no UDP"]);
  expect(opened).toEqual([to.websocket]);
  await vi.advanceTimersByTimeAsync(5 * 60_000);
  expect(await open(to)).toEqual(["webtransport", ""]);
});

test("where WebTransport is silent, WebSocket starts after 1.5 s and wins, and the loser is closed", async () => {
  opens = 3000;
  expect(await open(endpoints())).toEqual(["websocket", "WebTransport did not open within 1.5 s"]);
  expect(opened.at(-1)).toBe("closed");
});

test("where it failed in the last day WebSocket starts after 0.3 s, and WebTransport still wins where it works again", async () => {
  opens = 1000;
  const result = openTransport({ ...endpoints(), failedLately: true }, EVENTS);
  await vi.advanceTimersByTimeAsync(320);
  expect(await result).toMatchObject({ name: "websocket", failed: true, reason: "WebTransport did not open within 0.3 s" });
  opens = 40;
  const again = openTransport({ ...endpoints(), failedLately: true }, EVENTS);
  await vi.advanceTimersByTimeAsync(320);
  expect(await again).toMatchObject({ name: "webtransport", failed: false });
});

/** Returns why a session ended whose write failed, and that ended with a reason 0.3 s later if there is one. */
async function endAfterFailedWrite(reason = ""): Promise<string[]> {
  opens = 0;
  const reasons: string[] = [];
  const result = openTransport(endpoints(), { ...EVENTS, closed: (why) => void reasons.push(why) });
  await vi.advanceTimersByTimeAsync(10);
  (await result).send(1, new Uint8Array([1]));
  await vi.advanceTimersByTimeAsync(300);
  if (reason !== "") endSession(reason);
  await vi.advanceTimersByTimeAsync(5000);
  return reasons;
}

test("a write that fails just before the session ends does not hide the server's reason", async () => {
  expect(await endAfterFailedWrite("the server is stopping")).toEqual(["the server is stopping"]);
});

test("a write that fails without the end of a session is a lost connection", async () => {
  expect(await endAfterFailedWrite()).toEqual(["Connection lost"]);
});

test("a page without WebTransport, or not in a secure context, says so", async () => {
  vi.stubGlobal("isSecureContext", false);
  expect((await open(endpoints()))[1]).toContain("insecure context");
  vi.stubGlobal("isSecureContext", true);
  vi.stubGlobal("WebTransport", undefined);
  expect(await open(endpoints())).toEqual(["websocket", "this browser has no WebTransport"]);
});

test("only the transport that the page asks for is tried", async () => {
  opens = 0;
  expect((await open(endpoints("websocket")))[0]).toBe("websocket");
  expect(opened).toEqual(["ws://127.0.0.1/ws"]);
  vi.stubGlobal("WebTransport", undefined);
  await expect(openTransport(endpoints("webtransport"), EVENTS)).rejects.toThrow("no WebTransport");
});

test("datagrams are written by createWritable as in Safari, or by a writable as in Chromium", () => {
  const [old, current] = [new WritableStream<Uint8Array>(), new WritableStream<Uint8Array>()];
  expect(datagramWritable({ writable: old })).toBe(old);
  expect(datagramWritable({ createWritable: () => current })).toBe(current);
  expect(datagramWritable({ writable: old, createWritable: () => current })).toBe(current);
  expect(() => datagramWritable({})).toThrow("cannot write datagrams");
});
