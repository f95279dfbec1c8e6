// Simulated lag: delays, jitters and drops messages, so that a player can feel prediction and lag
// compensation at work.
import { STREAM } from "./transports.js";

/** Lag added in each direction; all zero adds nothing. */
export interface Lag {
  /** Delay of every message, milliseconds. */
  latency: number;
  /** Largest additional random delay of a message, milliseconds. */
  jitter: number;
  /** Share of datagrams dropped, 0 to 1. Stream messages are never dropped. */
  loss: number;
}

/** No simulated lag. */
export const NO_LAG: Readonly<Lag> = { latency: 0, jitter: 0, loss: 0 };

/** Clock, timers and random numbers; tests replace them. */
export interface Environment {
  now(): number;
  schedule(ms: number, run: () => void): void;
  random(): number;
}

const REAL: Environment = {
  now: () => performance.now(),
  schedule: (ms, run) => void setTimeout(run, ms),
  random: () => Math.random(),
};

/** One direction of a connection. */
export class SimulatedLink {
  lag: Readonly<Lag> = NO_LAG;
  private streamDue = 0;
  private readonly streamQueue: (() => void)[] = [];

  constructor(private readonly env: Environment = REAL) {}

  /** Calls deliver now, later, or never. Stream messages keep their order. */
  send(channel: number, deliver: () => void): void {
    const { latency, jitter, loss } = this.lag;
    const stream = channel === STREAM;
    if (!stream && loss > 0 && this.env.random() < loss) return;
    const now = this.env.now();
    let due = now + latency + jitter * this.env.random();
    if (stream) {
      due = Math.max(due, this.streamDue);
      this.streamDue = due;
    }
    if (due <= now && (!stream || this.streamQueue.length === 0)) return deliver();
    if (!stream) return this.env.schedule(due - now, deliver);
    this.streamQueue.push(deliver); // timers may fire out of order, the queue does not
    this.env.schedule(due - now, () => this.streamQueue.shift()?.());
  }
}
