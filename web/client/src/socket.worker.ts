// The worker that owns the page's sockets, so that a slow frame delays no packet and arrival times
// are accurate. It also simulates the lag of the lag panel.
import { errorText } from "./errors.js";
import type { FromWorker, OutgoingPacket, ToWorker } from "./messages.js";
import { SimulatedLink } from "./simulatedlink.js";
import { openTransport, type Endpoints, type Transport } from "./transports.js";

const HEARTBEAT = 50;

const page = self as unknown as DedicatedWorkerGlobalScope;
const up = new SimulatedLink();
const down = new SimulatedLink();

let transport: Transport | undefined;
let current = 0;
let heartbeat: ReturnType<typeof setInterval> | undefined;

function post(message: FromWorker, transfer: Transferable[] = []): void {
  page.postMessage(message, transfer);
}

/** Passes a message to the page, stamped with the time at which the simulated link delivered it. */
function arrive(connection: number, channel: number, bytes: Uint8Array): void {
  if (connection !== current) return;
  const whole = bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength;
  const buffer = (whole ? bytes.buffer : bytes.slice().buffer) as ArrayBuffer;
  const arrived = performance.timeOrigin + performance.now();
  post({ kind: "message", connection, channel, bytes: buffer, arrived }, [buffer]);
}

async function connect(connection: number, endpoints: Endpoints): Promise<void> {
  transport?.close();
  transport = undefined;
  current = connection;
  try {
    const opened = await openTransport(endpoints, {
      message: (channel, bytes) => down.send(channel, () => arrive(connection, channel, bytes)),
      closed: (reason) => post({ kind: "closed", connection, reason }),
    });
    if (connection !== current) return opened.close();
    transport = opened;
    post({ kind: "open", connection, transport: opened.name, reason: opened.reason, failed: opened.failed });
  } catch (error) {
    post({ kind: "closed", connection, reason: errorText(error) });
  }
}

function send(connection: number, packets: readonly OutgoingPacket[]): void {
  const open = transport;
  if (connection !== current || open === undefined) return;
  for (const { channel, bytes } of packets) up.send(channel, () => open.send(channel, bytes));
}

/** Starts or stops a timer that drives the match while the tab is hidden and gets no animation
 * frames. */
function setHeartbeat(on: boolean): void {
  clearInterval(heartbeat);
  heartbeat = on ? setInterval(() => post({ kind: "heartbeat" }), HEARTBEAT) : undefined;
}

/** Closes the connection. */
function drop(reason: string): void {
  transport?.close();
  transport = undefined;
  post({ kind: "closed", connection: current, reason });
}

page.onmessage = (message: MessageEvent<ToWorker>) => {
  const request = message.data;
  switch (request.kind) {
    case "connect":
      return void connect(request.connection, request.endpoints);
    case "send":
      return send(request.connection, request.packets);
    case "lag":
      up.lag = request.lag;
      down.lag = request.lag;
      return;
    case "heartbeat":
      return setHeartbeat(request.on);
    case "drop":
      return drop(request.reason);
  }
};
