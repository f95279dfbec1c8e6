// The worker that owns the page's sockets: a slow frame delays no packet, and
// each arrival is stamped here. It also plays the bad network of the lag panel.
import { BadLink } from "./badlink";
import type { FromWorker, ToWorker } from "./messages";
import { eachPacket } from "./packets";
import { openRoad, type Directions, type Road } from "./roads";

const HEARTBEAT = 50;

const page = self as unknown as DedicatedWorkerGlobalScope;
const up = new BadLink();
const down = new BadLink();

let road: Road | undefined;
let current = 0;
let heartbeat: ReturnType<typeof setInterval> | undefined;

function say(message: FromWorker, transfer: Transferable[] = []): void {
  page.postMessage(message, transfer);
}

/** Hands one message to the page, stamped when the (simulated) network let go of
 * it. */
function arrive(connection: number, channel: number, bytes: Uint8Array): void {
  if (connection !== current) return;
  const whole = bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength;
  const buffer = (whole ? bytes.buffer : bytes.slice().buffer) as ArrayBuffer;
  const arrived = performance.timeOrigin + performance.now();
  say({ kind: "message", connection, channel, bytes: buffer, arrived }, [buffer]);
}

async function connect(connection: number, directions: Directions): Promise<void> {
  road?.close();
  road = undefined;
  current = connection;
  try {
    const opened = await openRoad(directions, {
      message: (channel, bytes) => down.pass(channel, () => arrive(connection, channel, bytes)),
      closed: (reason) => say({ kind: "closed", connection, reason }),
    });
    if (connection !== current) return opened.close();
    road = opened;
    say({ kind: "open", connection, road: opened.name, why: opened.why });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    say({ kind: "closed", connection, reason });
  }
}

function send(connection: number, packets: ArrayBuffer): void {
  const to = road;
  if (connection !== current || to === undefined) return;
  const bytes = new Uint8Array(packets);
  eachPacket(bytes, (channel, from, end) => {
    const packet = bytes.subarray(from, end);
    up.pass(channel, () => to.send(channel, packet));
  });
}

/** A hidden page gets no frames: then the worker's timer keeps the match going. */
function beat(on: boolean): void {
  clearInterval(heartbeat);
  heartbeat = on ? setInterval(() => say({ kind: "heartbeat" }), HEARTBEAT) : undefined;
}

/** Gives the connection up. */
function drop(reason: string): void {
  road?.close();
  road = undefined;
  say({ kind: "closed", connection: current, reason });
}

page.onmessage = (message: MessageEvent<ToWorker>) => {
  const order = message.data;
  switch (order.kind) {
    case "connect":
      return void connect(order.connection, order.directions);
    case "send":
      return send(order.connection, order.packets);
    case "lag":
      up.lag = order.lag;
      down.lag = order.lag;
      return;
    case "heartbeat":
      return beat(order.on);
    case "drop":
      return drop(order.reason);
  }
};
