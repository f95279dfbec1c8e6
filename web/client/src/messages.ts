// Messages between the page and its socket worker.
import type { Lag } from "./simulatedlink.js";
import type { Endpoints, TransportName } from "./transports.js";

/** One message to send. */
export interface OutgoingPacket {
  channel: number;
  bytes: Uint8Array<ArrayBuffer>;
}

/** From the page to the worker. `connection` counts attempts; messages about an older one are
 * stale. */
export type ToWorker =
  | { kind: "connect"; connection: number; endpoints: Endpoints }
  | { kind: "send"; connection: number; packets: OutgoingPacket[] }
  | { kind: "lag"; lag: Lag }
  | { kind: "heartbeat"; on: boolean }
  | { kind: "drop"; reason: string };

/** From the worker to the page. `arrived` is milliseconds since 1970. */
export type FromWorker =
  | { kind: "open"; connection: number; transport: TransportName; reason: string; failed: boolean }
  | { kind: "message"; connection: number; channel: number; bytes: ArrayBuffer; arrived: number }
  | { kind: "closed"; connection: number; reason: string }
  | { kind: "heartbeat" };
