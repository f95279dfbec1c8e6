// What the page and its socket worker say to each other.
import type { Lag } from "./badlink";
import type { Endpoints, TransportName } from "./roads";

/** From the page to the worker. `connection` counts attempts: what the worker
 * says about an older one is stale. */
export type ToWorker =
  | { kind: "connect"; connection: number; endpoints: Endpoints }
  | { kind: "send"; connection: number; packets: ArrayBuffer }
  | { kind: "lag"; lag: Lag }
  | { kind: "heartbeat"; on: boolean }
  | { kind: "drop"; reason: string };

/** From the worker to the page. `arrived` is milliseconds since 1970. */
export type FromWorker =
  | { kind: "open"; connection: number; transport: TransportName; reason: string }
  | { kind: "message"; connection: number; channel: number; bytes: ArrayBuffer; arrived: number }
  | { kind: "closed"; connection: number; reason: string }
  | { kind: "heartbeat" };
