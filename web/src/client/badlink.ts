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
export interface Surroundings {
  now(): number;
  later(ms: number, run: () => void): void;
  chance(): number;
}

const REAL: Surroundings = {
  now: () => performance.now(),
  later: (ms, run) => void setTimeout(run, ms),
  chance: () => Math.random(),
};

/** One direction of a connection. */
export class BadLink {
  lag: Readonly<Lag> = NO_LAG;
  private streamFree = 0;
  private readonly streamQueue: (() => void)[] = [];

  constructor(private readonly around: Surroundings = REAL) {}

  /** Calls deliver now, later, or never. The stream keeps its order. */
  pass(channel: number, deliver: () => void): void {
    const { latency, jitter, loss } = this.lag;
    const stream = channel === CHANNEL_STREAM;
    if (!stream && loss > 0 && this.around.chance() < loss) return;
    const now = this.around.now();
    let due = now + latency + jitter * this.around.chance();
    if (stream) {
      due = Math.max(due, this.streamFree);
      this.streamFree = due;
    }
    if (due <= now && (!stream || this.streamQueue.length === 0)) return deliver();
    if (!stream) return this.around.later(due - now, deliver);
    this.streamQueue.push(deliver); // timers may swap by a millisecond, the queue does not
    this.around.later(due - now, () => this.streamQueue.shift()?.());
  }
}
