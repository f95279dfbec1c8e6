// A bad network on purpose: what passes a BadLink comes late, uneven, or not at
// all, so that a player can feel what prediction and rewinding make of it.
import { CHANNEL_STREAM } from "./layout";

/** What a link adds, each way. Zero everywhere adds nothing. */
export interface Lag {
  /** Delay of every message, milliseconds. */
  latency: number;
  /** Largest further delay, milliseconds; each message draws its own. */
  jitter: number;
  /** Share of datagrams that vanish, 0 to 1. The stream only gets slower. */
  loss: number;
}

/** No lag at all. */
export const NO_LAG: Readonly<Lag> = { latency: 0, jitter: 0, loss: 0 };

/** Where a BadLink finds time and chance; tests hand in their own. */
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

  /** Calls deliver now, later, or never. The stream keeps its order. */
  send(channel: number, deliver: () => void): void {
    const { latency, jitter, loss } = this.lag;
    const stream = channel === CHANNEL_STREAM;
    if (!stream && loss > 0 && this.env.random() < loss) return;
    const now = this.env.now();
    let due = now + latency + jitter * this.env.random();
    if (stream) {
      due = Math.max(due, this.streamDue);
      this.streamDue = due;
    }
    if (due <= now && (!stream || this.streamQueue.length === 0)) return deliver();
    if (!stream) return this.env.schedule(due - now, deliver);
    this.streamQueue.push(deliver); // timers may swap by a millisecond, the queue does not
    this.env.schedule(due - now, () => this.streamQueue.shift()?.());
  }
}
