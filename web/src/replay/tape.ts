// The frames of a recording, fetched in chunks ahead of the time that is shown. Start
// at Tape.things.
import { interpolate, decodeTicks, type RecordedTick, type EntitySample } from "./frames";

const CHUNK = 240; // ticks
const PREFETCH = 2; // chunks
const MAX_CHUNKS = 16; // chunks
const SEARCH_TICKS = 60; // ticks in which a thing's next sample is looked for

/** Fetches the frames of the ticks from … to − 1. */
export type FetchTicks = (from: number, to: number) => Promise<ArrayBuffer>;

/** A recording that can be looked at anywhere. */
export class Recording {
  /** Why the last chunk did not come; empty where all did. */
  error = "";
  private readonly chunks = new Map<number, ReadonlyMap<number, RecordedTick>>();
  private readonly loading = new Set<number>();

  /** ticks is the number of the last one. */
  constructor(private readonly tickRate: number, private readonly ticks: number, private readonly fetchFrames: FetchTicks) {}

  /** Makes sure that what is around a time comes, and says whether it is there. */
  ready(time: number): boolean {
    const here = this.chunkOf(this.tickAt(time));
    const last = this.chunkOf(this.ticks);
    for (let n = here; n <= Math.min(here + PREFETCH, last); n++) this.load(n);
    if (here > 0) this.load(here - 1);
    const next = this.chunkOf(Math.min(this.tickAt(time) + SEARCH_TICKS / 2, this.ticks));
    return this.chunks.has(here) && this.chunks.has(next);
  }

  /** Everything that was there at a time, where it was then. */
  entities(time: number): EntitySample[] {
    const now = this.frameBefore(this.tickAt(time));
    if (now === undefined) return [];
    return [...now.entities.values()].map((thing) => this.sampleAt(thing, now.tick, time));
  }

  /** Where one thing was at a time; undefined where it was not there. */
  entity(id: number, time: number): EntitySample | undefined {
    const now = this.frameBefore(this.tickAt(time));
    const found = now?.entities.get(id);
    return now === undefined || found === undefined ? undefined : this.sampleAt(found, now.tick, time);
  }

  /** Finds the two samples around a time, from the one of a tick on. Stamps may be
   * behind their tick, so the tick alone does not tell. */
  private sampleAt(thing: EntitySample, tick: number, time: number): EntitySample {
    let before = thing;
    for (let t = tick; before.time > time && t > tick - SEARCH_TICKS; t--) before = this.frame(t - 1)?.entities.get(thing.id) ?? before;
    for (let t = tick + 1; t <= Math.min(tick + SEARCH_TICKS, this.ticks); t++) {
      const frame = this.frame(t);
      if (frame === undefined) continue;
      const after = frame.entities.get(thing.id);
      if (after === undefined) break;
      if (after.time > time) return interpolate(before, after, time);
      before = after.time > before.time ? after : before;
    }
    return before;
  }

  private frameBefore(tick: number): RecordedTick | undefined {
    for (let t = tick; t > tick - SEARCH_TICKS && t >= 0; t--) {
      const frame = this.frame(t);
      if (frame !== undefined) return frame;
    }
    return undefined;
  }

  private frame(tick: number): RecordedTick | undefined {
    return this.chunks.get(this.chunkOf(tick))?.get(tick);
  }

  private tickAt(time: number): number {
    return Math.max(0, Math.min(Math.floor(time * this.tickRate + 1e-6), this.ticks));
  }

  private chunkOf(tick: number): number {
    return Math.floor(tick / CHUNK);
  }

  private load(n: number): void {
    if (this.chunks.has(n) || this.loading.has(n)) return;
    this.loading.add(n);
    this.fetchFrames(n * CHUNK, (n + 1) * CHUNK)
      .then((answer) => {
        const frames = decodeTicks(answer, this.tickRate);
        this.chunks.set(n, new Map(frames.map((frame) => [frame.tick, frame])));
        this.evict(n);
        this.error = "";
        this.loading.delete(n);
      })
      .catch((error: unknown) => {
        this.error = error instanceof Error ? error.message : String(error);
        setTimeout(() => this.loading.delete(n), 2000); // then it is asked for again
      });
  }

  /** Drops what is farthest away. */
  private evict(from: number): void {
    while (this.chunks.size > MAX_CHUNKS) {
      const far = [...this.chunks.keys()].reduce((a, b) => (Math.abs(b - from) > Math.abs(a - from) ? b : a));
      this.chunks.delete(far);
    }
  }
}
