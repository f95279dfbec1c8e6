// The frames of a recording, fetched in chunks ahead of the time that is shown. Start
// at Tape.things.
import { between, decodeFrames, type Frame, type Thing } from "./frames";

const CHUNK = 240; // ticks
const AHEAD = 2; // chunks
const KEPT = 16; // chunks
const REACH = 60; // ticks in which a thing's next sample is looked for

/** Fetches the frames of the ticks from … to − 1. */
export type Fetch = (from: number, to: number) => Promise<ArrayBuffer>;

/** A recording that can be looked at anywhere. */
export class Tape {
  /** Why the last chunk did not come; empty where all did. */
  trouble = "";
  private readonly chunks = new Map<number, ReadonlyMap<number, Frame>>();
  private readonly coming = new Set<number>();

  /** ticks is the number of the last one. */
  constructor(private readonly tickRate: number, private readonly ticks: number, private readonly fetchFrames: Fetch) {}

  /** Makes sure that what is around a time comes, and says whether it is there. */
  ready(time: number): boolean {
    const here = this.chunkOf(this.tickAt(time));
    const last = this.chunkOf(this.ticks);
    for (let n = here; n <= Math.min(here + AHEAD, last); n++) this.want(n);
    if (here > 0) this.want(here - 1);
    const next = this.chunkOf(Math.min(this.tickAt(time) + REACH / 2, this.ticks));
    return this.chunks.has(here) && this.chunks.has(next);
  }

  /** Everything that was there at a time, where it was then. */
  things(time: number): Thing[] {
    const now = this.frameBefore(this.tickAt(time));
    if (now === undefined) return [];
    return [...now.things.values()].map((thing) => this.place(thing, now.tick, time));
  }

  /** Where one thing was at a time; undefined where it was not there. */
  thing(id: number, time: number): Thing | undefined {
    const now = this.frameBefore(this.tickAt(time));
    const found = now?.things.get(id);
    return now === undefined || found === undefined ? undefined : this.place(found, now.tick, time);
  }

  /** Finds the two samples around a time, from the one of a tick on. Stamps may be
   * behind their tick, so the tick alone does not tell. */
  private place(thing: Thing, tick: number, time: number): Thing {
    let before = thing;
    for (let t = tick; before.at > time && t > tick - REACH; t--) before = this.frame(t - 1)?.things.get(thing.id) ?? before;
    for (let t = tick + 1; t <= Math.min(tick + REACH, this.ticks); t++) {
      const frame = this.frame(t);
      if (frame === undefined) continue;
      const after = frame.things.get(thing.id);
      if (after === undefined) break;
      if (after.at > time) return between(before, after, time);
      before = after.at > before.at ? after : before;
    }
    return before;
  }

  private frameBefore(tick: number): Frame | undefined {
    for (let t = tick; t > tick - REACH && t >= 0; t--) {
      const frame = this.frame(t);
      if (frame !== undefined) return frame;
    }
    return undefined;
  }

  private frame(tick: number): Frame | undefined {
    return this.chunks.get(this.chunkOf(tick))?.get(tick);
  }

  private tickAt(time: number): number {
    return Math.max(0, Math.min(Math.floor(time * this.tickRate + 1e-6), this.ticks));
  }

  private chunkOf(tick: number): number {
    return Math.floor(tick / CHUNK);
  }

  private want(n: number): void {
    if (this.chunks.has(n) || this.coming.has(n)) return;
    this.coming.add(n);
    this.fetchFrames(n * CHUNK, (n + 1) * CHUNK)
      .then((answer) => {
        const frames = decodeFrames(answer, this.tickRate);
        this.chunks.set(n, new Map(frames.map((frame) => [frame.tick, frame])));
        this.forget(n);
        this.trouble = "";
        this.coming.delete(n);
      })
      .catch((error: unknown) => {
        this.trouble = error instanceof Error ? error.message : String(error);
        setTimeout(() => this.coming.delete(n), 2000); // then it is asked for again
      });
  }

  /** Drops what is farthest away. */
  private forget(from: number): void {
    while (this.chunks.size > KEPT) {
      const far = [...this.chunks.keys()].reduce((a, b) => (Math.abs(b - from) > Math.abs(a - from) ? b : a));
      this.chunks.delete(far);
    }
  }
}
