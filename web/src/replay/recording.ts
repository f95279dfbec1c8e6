// The samples of a recording, downloaded in chunks ahead of the playback. Start at
// Recording.entities.
import { errorText } from "@backstep/client";
import { decodeTicks, interpolate, type EntitySample, type RecordedTick } from "./samples";

const CHUNK = 240; // ticks
const PREFETCH = 2; // chunks
const MAX_CHUNKS = 16; // chunks
const SEARCH_TICKS = 60; // ticks searched for an entity's next sample

/** Downloads the ticks from … to − 1. */
type FetchTicks = (from: number, to: number) => Promise<ArrayBuffer>;

/** A recording with random access. */
export class Recording {
  /** Why the last download failed; empty if it did not. */
  error = "";
  private readonly chunks = new Map<number, ReadonlyMap<number, RecordedTick>>();
  private readonly loading = new Set<number>();

  /** ticks is the number of the last tick. */
  constructor(private readonly tickRate: number, private readonly ticks: number, private readonly fetchTicks: FetchTicks) {}

  /** Loads the chunks around a time and returns whether they are available. */
  ready(time: number): boolean {
    const here = this.chunkOf(this.tickAt(time));
    const last = this.chunkOf(this.ticks);
    for (let n = here; n <= Math.min(here + PREFETCH, last); n++) this.load(n);
    if (here > 0) this.load(here - 1);
    const next = this.chunkOf(Math.min(this.tickAt(time) + SEARCH_TICKS / 2, this.ticks));
    return this.chunks.has(here) && this.chunks.has(next);
  }

  /** Returns all entities at a time, interpolated. */
  entities(time: number): EntitySample[] {
    const now = this.tickBefore(this.tickAt(time));
    if (now === undefined) return [];
    return [...now.entities.values()].map((sample) => this.sampleAt(sample, now.tick, time));
  }

  /** Returns one entity at a time; undefined if it did not exist. */
  entity(id: number, time: number): EntitySample | undefined {
    const now = this.tickBefore(this.tickAt(time));
    const found = now?.entities.get(id);
    return now === undefined || found === undefined ? undefined : this.sampleAt(found, now.tick, time);
  }

  /** Finds the samples before and after a time, starting at a tick, and interpolates. A sample
   * may be older than its tick, so the tick alone does not decide. */
  private sampleAt(sample: EntitySample, tick: number, time: number): EntitySample {
    let before = sample;
    for (let t = tick; before.time > time && t > tick - SEARCH_TICKS; t--) before = this.tick(t - 1)?.entities.get(sample.id) ?? before;
    for (let t = tick + 1; t <= Math.min(tick + SEARCH_TICKS, this.ticks); t++) {
      const recorded = this.tick(t);
      if (recorded === undefined) continue;
      const after = recorded.entities.get(sample.id);
      if (after === undefined) break;
      if (after.time > time) return interpolate(before, after, time);
      before = after.time > before.time ? after : before;
    }
    return before;
  }

  private tickBefore(tick: number): RecordedTick | undefined {
    for (let t = tick; t > tick - SEARCH_TICKS && t >= 0; t--) {
      const recorded = this.tick(t);
      if (recorded !== undefined) return recorded;
    }
    return undefined;
  }

  private tick(tick: number): RecordedTick | undefined {
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
    this.fetchTicks(n * CHUNK, (n + 1) * CHUNK)
      .then((answer) => {
        const ticks = decodeTicks(answer, this.tickRate);
        this.chunks.set(n, new Map(ticks.map((recorded) => [recorded.tick, recorded])));
        this.evict(n);
        this.error = "";
        this.loading.delete(n);
      })
      .catch((error: unknown) => {
        this.error = errorText(error);
        setTimeout(() => this.loading.delete(n), 2000); // retry later
      });
  }

  /** Drops the chunks that are farthest away. */
  private evict(from: number): void {
    while (this.chunks.size > MAX_CHUNKS) {
      const far = [...this.chunks.keys()].reduce((a, b) => (Math.abs(b - from) > Math.abs(a - from) ? b : a));
      this.chunks.delete(far);
    }
  }
}
