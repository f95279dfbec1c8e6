// A second decoder of the protocol, written from docs/protocol.md without our code: the datagrams
// of both directions, in a match of sleds.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const lines = (name: string): any[] =>
  readFileSync(new URL(`../../testdata/conformance/${name}`, import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

const unhex = (text = ""): Uint8Array => Uint8Array.from(text.match(/../g) ?? [], (digits) => parseInt(digits, 16));

class Refused extends Error {}

const demand = (fine: boolean, why: string): void => {
  if (!fine) throw new Refused(why);
};

/** Section 1. */
class Bits {
  at = 0;
  constructor(private readonly bytes: Uint8Array) {}

  big(n: number): bigint {
    demand(this.at + n <= this.bytes.length * 8, "cut short");
    let v = 0n;
    for (let i = 0; i < n; i++, this.at++) v |= BigInt(((this.bytes[this.at >> 3] ?? 0) >> (this.at & 7)) & 1) << BigInt(i);
    return v;
  }
  uint(n: number): number {
    return Number(this.big(n));
  }
  bool(): boolean {
    return this.uint(1) === 1;
  }
  uvarint(): bigint {
    for (let v = 0n, group = 0; group < 16; group++) {
      const more = this.bool();
      const four = this.big(4);
      v |= four << BigInt(4 * group);
      if (!more) {
        demand(four !== 0n || group === 0, "a longer form");
        return v;
      }
    }
    throw new Refused("more than 16 groups");
  }
  varint(): bigint {
    const v = this.uvarint();
    return v & 1n ? -(v + 1n) / 2n : v / 2n;
  }
  ranged(lo: number, hi: number): number {
    let width = 0;
    while (2 ** width < hi - lo + 1) width++;
    const v = this.uint(width) + lo;
    demand(v <= hi, "out of range");
    return v;
  }
  /** A number in classes of 2^k, 2^(k+1) … */
  count(k: number): number {
    let n = 0;
    while (n < 12 && this.bool()) n++;
    if (n < 12) return this.uint(k + n) + 2 ** (k + n) - 2 ** k;
    const v = this.uint(40);
    demand(v + 2 ** k >= 2 ** (k + 12), "a longer form");
    return v;
  }
  residual(k: number): number {
    const u = this.count(k);
    return u % 2 === 0 ? u / 2 : -(u + 1) / 2;
  }
  /** A vector in units of its grid. */
  vec(): number[] {
    const size = this.uint(5);
    demand(size <= 29, "a wider vector");
    const v = [0, 0, 0].map(() => this.uint(size + 2) - 2 ** (size + 1));
    let wanted = 0;
    while (wanted < 29 && v.some((x) => Math.abs(x) >= 2 ** (wanted + 1))) wanted++;
    demand(size <= wanted, "a longer form");
    return v;
  }
  angle16(): number {
    return (this.uint(16) << 16) >> 16;
  }
  align(): void {
    demand(this.uint((8 - (this.at % 8)) % 8) === 0, "filling is not zero");
  }
  blob(max: number): string {
    const length = this.ranged(0, max);
    this.align();
    let digits = "";
    for (let i = 0; i < length; i++) digits += this.uint(8).toString(16).padStart(2, "0");
    return digits;
  }
  end(): void {
    demand(this.bytes.length * 8 - this.at < 8, "bytes left over");
    this.align();
  }
}

const mod = (a: number, m: number): number => ((a % m) + m) % m;

/** Returns the number nearest to near with the given low bits. */
const nearest = (low: number, near: number, width: number): number => {
  const d = mod(low - near, 2 ** width);
  return near + (d >= 2 ** (width - 1) ? d - 2 ** width : d);
};

type Sends = (n: number) => boolean;
interface Ack { newest: number; missing: number[]; hold: number }

/** Section 4. */
function ack(b: Bits, width: number, sent: number, sends: Sends): Ack | null {
  if (!b.bool()) return null;
  const newest = sent - mod(sent - b.uint(width), 2 ** width);
  demand(newest >= 1, "acknowledges what was not sent");
  const candidates: number[] = [];
  for (let n = newest - 1; n >= 1 && n >= newest - 64; n--) if (sends(n)) candidates.push(n);
  const missing: number[] = [];
  if (b.bool()) {
    const count = b.ranged(1, 11);
    const k = candidates.length;
    demand(count <= k, "more missing than there are");
    if (count < 11) {
      for (let r = count, least = 0; r > 0; r--) {
        const place = b.ranged(least, k - r);
        missing.push(candidates[place]!);
        least = place + 1;
      }
    } else {
      for (const n of candidates) if (!b.bool()) missing.push(n);
      demand(missing.length >= 11, "a longer form");
    }
  }
  return { newest, missing, hold: b.bool() ? b.uint(11) : -1 };
}

interface Move { number: number; stamp: number; duration: number; input: { push: number; shot?: object } }
interface Past { ticks: number; snapshots: number; newest: number; last: number; now: number; base?: Move | undefined }

function duration(b: Bits, before: number): number {
  if (b.bool()) return before;
  if (b.bool()) return before + (b.bool() ? 1 : -1);
  if (b.bool()) {
    const more = b.bool();
    const off = 2 + b.uint(5);
    return before + (more ? off : -off);
  }
  const whole = b.uint(12);
  demand(Math.abs(whole - before) >= 34, "a longer form");
  return whole;
}

function input(b: Bits, before: number): Move["input"] {
  let push = before;
  if (!b.bool()) {
    push = b.ranged(-1, 1);
    demand(push !== before, "a longer form");
  }
  if (!b.bool()) return { push };
  const shot: any = { weapon: b.ranged(0, 7), yaw: b.angle16(), pitch: b.angle16(), view: Number(b.uvarint()), newest: b.uint(32), mask: "0" };
  if (shot.newest !== 0) {
    const mask = b.big(64);
    demand(shot.newest > 64 || mask >> BigInt(shot.newest - 1) === 0n, "a tick below 1");
    shot.mask = String(mask);
  }
  const drawn = b.ranged(0, 3);
  if (drawn !== 0) shot.drawn = drawn;
  if (b.bool()) {
    const heals = { age: b.ranged(0, 149_999), back: b.ranged(0, 64), mask: "0" };
    demand(drawn !== 1 && drawn !== 2, "healed and smoothed");
    demand(heals.age < shot.view && heals.back < shot.newest, "healed before the match");
    const mask = b.big(64);
    demand(shot.newest - heals.back > 64 || mask >> BigInt(shot.newest - heals.back - 1) === 0n, "a tick below 1");
    heals.mask = String(mask);
    shot.heals = heals;
  }
  if (drawn === 1 || drawn === 2) arrivals(b, shot);
  shot.saw = met(b);
  if (b.bool()) {
    shot.sum = b.uint(16);
    demand(shot.sum !== 0, "a longer form");
  }
  return { push, shot };
}

/** The ticks and times at which snapshots were first drawn, for smoothed views. */
function arrivals(b: Bits, shot: any): void {
  if (!b.bool()) return;
  const [ticks, times] = [b.big(64), b.big(56)];
  const set = (mask: bigint) => mask.toString(2).replaceAll("0", "").length;
  demand(ticks !== 0n && set(ticks) <= 28 && set(ticks) === set(times), "ticks and instants of arrivals");
  demand(ticks.toString(2).length < shot.newest && times.toString(2).length <= Math.floor(shot.view / 8000) + 1, "an arrival before the match");
  shot.arrivals = { ticks: String(ticks), times: String(times) };
}

/** Section 5, from the epoch on. Undefined if the base is unknown. */
function moves(b: Bits, past: Past): any {
  const epoch = b.uint(6);
  let count = b.uint(4);
  if (count === 0) {
    count = b.uint(7);
    demand(count === 0 || (count >= 16 && count <= 120), "a count of moves");
  }
  if (count === 0) return { epoch, based: false, list: [] };
  const based = b.bool();
  const list: Move[] = [];
  let before: Move = { number: 0, stamp: 0, duration: 0, input: { push: 0 } };
  let between = 0;
  if (based) {
    const low = b.uint(10);
    between = Number(b.uvarint());
    demand(between <= 255, "too far from the base");
    if (past.base === undefined || past.base.number % 1024 !== low) return undefined;
    before = past.base;
  } else {
    const number = nearest(b.uint(16), past.last, 16);
    const stamp = nearest(b.uint(19), past.now, 19);
    const lasts = b.uint(12);
    demand(stamp >= 1 && lasts >= 1 && lasts <= 3125, "a first move");
    list.push({ number, stamp, duration: lasts, input: input(b, 0) });
    before = list[0]!;
  }
  while (list.length < count) {
    const lasts = duration(b, before.duration);
    demand(lasts >= 1 && lasts <= 3125, "a duration");
    const pause = b.bool() ? 0 : Number(b.varint() || NaN);
    demand(Math.abs(pause) <= 2 ** 35, "a pause");
    const stamp = before.stamp + between * before.duration + lasts + pause;
    demand(stamp > before.stamp, "a stamp");
    before = { number: before.number + 1 + between, stamp, duration: lasts, input: input(b, before.input.push) };
    between = 0;
    list.push(before);
  }
  const claim = { x: b.uint(10), y: b.uint(10), z: b.uint(10), check: b.uint(8) };
  return { epoch, based, ...(based ? { base: past.base!.number } : {}), list, claim };
}

function clientDatagram(bytes: Uint8Array, past: Past): any {
  const b = new Bits(bytes);
  demand(b.uint(3) === 1, "kind");
  const share = (n: number): number => Math.floor((n * past.snapshots) / past.ticks);
  const sequence = b.uint(10);
  const received = ack(b, 12, past.newest, (n) => share(n) !== share(n - 1));
  const section = b.bool() ? moves(b, past) : null;
  if (section !== undefined) b.end();
  return { sequence, received, moves: section };
}

type Grid = number[];
interface Sample {
  at: number; position: Grid; velocity: Grid; walked: number; yaw: number; pitch: number; mode: number; crouched: boolean; stance: Grid;
  kind: number; dead: boolean; life: number; teleport: number; base: number; was: number; since: number; lag: number;
  up: Grid; asleep: boolean; spin: Grid; turn: Grid; clip: number; extra: number; clipAt: number;
}
interface Entity extends Sample { id: number; reference: number; kinks: Sample[] }
interface Have { tick: number; entities: Partial<Entity>[] }
interface Vector { tick: number; ticks: number; have: Have[] }

const nothing: Sample = {
  at: 0, position: [0, 0, 0], velocity: [0, 0, 0], walked: 0, yaw: 0, pitch: 0, mode: 0, crouched: false, stance: [0, 0, 0], kind: 0, dead: false,
  life: 0, teleport: 0, base: 0, was: 0, since: 0, lag: 0, up: [0, 0, 0], asleep: false, spin: [0, 0, 0], turn: [0, 0, 0, 0],
  clip: 0, extra: 0, clipAt: 0,
};
const short = (n: number): number => (n << 16) >> 16;
const tickAt = (tick: number, ticks: number): number =>
  Math.floor((Math.floor((tick * 1e6 + Math.floor(ticks / 2)) / ticks) + 25) / 50);
const clamp = (v: number, most: number): number => Math.max(-most, Math.min(most, v));

/** Returns a sample of the files with all omitted fields filled in. */
function whole(of: Partial<Sample>): Sample {
  const names = Object.keys(nothing) as (keyof Sample)[];
  return Object.fromEntries(names.map((name) => [name, of[name] ?? nothing[name]])) as unknown as Sample;
}

/** A group must not repeat the reference. */
function differs(s: Sample, ref: Sample, names: (keyof Sample)[]): void {
  demand(names.some((name) => JSON.stringify(s[name]) !== JSON.stringify(ref[name])), "a longer form");
}

/** Returns the rotation of a body extrapolated from the reference. */
function spun(ref: Sample, s: Sample): Grid {
  const w = ref.spin.map((v, i) => v + s.spin[i]!);
  if (ref.turn.every((v) => v === 0) || w.every((v) => v === 0)) return ref.turn;
  const t = clamp((s.at - ref.at) * 50, 1e6) / 1e6;
  const h = w.map((v) => (v * t) / 4096);
  const n = Math.sqrt(h[0]! * h[0]! + h[1]! * h[1]! + h[2]! * h[2]! + 1);
  const times = (a: Grid, b: Grid): Grid => {
    const p = (i: number, j: number): number => a[i]! * b[j]!;
    return [
      p(3, 0) + p(0, 3) + p(1, 2) - p(2, 1), p(3, 1) - p(0, 2) + p(1, 3) + p(2, 0),
      p(3, 2) + p(0, 1) - p(1, 0) + p(2, 3), p(3, 3) - p(0, 0) - p(1, 1) - p(2, 2),
    ];
  };
  let r: Grid = [...h.map((v) => v / n), 1 / n];
  for (let i = 0; i < 4; i++) r = times(r, r);
  return times(r, ref.turn.map((v) => v / 4096)).map((v) => clamp(Math.floor(v * 4096 + 0.5), 8192));
}

/** Returns the distance walked from ref to s. */
function way(ref: Sample, s: Sample, d: number): number {
  const length = (x: number, z: number): number => Math.sqrt(x * x + z * z);
  const mid = (i: number): number => (3 * (s.position[i]! - ref.position[i]!)) / 2 - ((ref.velocity[i]! + s.velocity[i]!) * d) / 5000;
  const ends = length(ref.velocity[0]!, ref.velocity[2]!) + length(s.velocity[0]!, s.velocity[2]!);
  const n = Math.floor(Math.min(((ends * Math.abs(d)) / 1250 + 4 * length(mid(0), mid(2))) / 24, 2 ** 40) + 0.5);
  return d < 0 ? -n : n;
}

/** Section 6, the groups of a sample. */
function groups(b: Bits, at: number, ref: Sample, known: boolean): Sample {
  const s: Sample = { ...ref, at };
  const axes = (guess: Grid, k: number, up: number): Grid => {
    const v = guess.map((g, i) => g + b.residual(i === 1 ? up : k));
    demand(v.every((x) => x >= -(2 ** 30) && x < 2 ** 30), "too far");
    return v;
  };
  const others = b.bool();
  if (b.bool()) {
    const d = clamp(at - ref.at, 65536);
    const c = Math.min(32 - Math.clz32(Math.floor(Math.abs(d) / 1000)), 6);
    const [v, p, up] = known ? [2 + c, Math.max(c - 1, 0), 0] : [6, 12, 6];
    if (b.bool()) {
      s.velocity = axes(ref.velocity, v!, up!);
      differs(s, ref, ["velocity"]);
    }
    s.position = axes(ref.position.map((x, i) => x + Math.floor(((ref.velocity[i]! + s.velocity[i]!) * d + 1250) / 2500)), p!, up!);
    const off = b.residual(0);
    demand(off >= -8192 && off < 8192, "walked too far");
    s.walked = mod(ref.walked + (ref.walked === 0 ? 0 : way(ref, s, d)) + off, 16384);
    differs(s, ref, ["position", "velocity", "walked"]);
  }
  if (b.bool()) {
    s.yaw = short(ref.yaw + b.residual(9));
    s.pitch = short(ref.pitch + b.residual(7));
    differs(s, ref, ["yaw", "pitch"]);
  }
  if (others) seldom(b, s, ref);
  demand(s.since === 0 || (at >= s.since && at - s.since < 12000), "changed its base too long ago");
  return s;
}

function seldom(b: Bits, s: Sample, ref: Sample): void {
  const group = (names: (keyof Sample)[], read: () => Partial<Sample>): void => {
    if (!b.bool()) return;
    Object.assign(s, read());
    differs(s, ref, names);
  };
  group(["mode", "crouched"], () => ({ mode: b.uint(8), crouched: b.bool() }));
  group(["stance"], () => {
    const which = b.uint(2);
    const stance = ref.stance.map((v, i) => (which === 3 || which === i ? b.uint(4) : v));
    demand(which < 3 || stance.filter((v, i) => v !== ref.stance[i]).length > 1, "a longer form");
    return { stance };
  });
  group(["kind", "dead", "life", "teleport"], () => ({ kind: b.uint(8), dead: b.bool(), life: b.uint(8), teleport: b.uint(8) }));
  group(["base", "was", "since", "lag"], () => {
    const base = b.bool() ? b.ranged(1, 32767) : 0;
    if (!b.bool()) return { base, was: 0, since: 0, lag: 0 };
    const was = b.ranged(0, 32767);
    const since = s.at - b.ranged(0, 11999);
    demand(since > 0, "before the match");
    const lag = b.ranged(-200, 16183);
    return { base, was, since, lag };
  });
  group(["up"], () => {
    const up = b.bool() ? b.vec() : [0, 0, 0];
    return { up };
  });
  group(["asleep", "spin", "turn"], () => {
    s.asleep = b.bool();
    s.spin = ref.spin.map((v) => v + b.residual(5));
    const turn = spun(ref, s).map((v) => v + b.residual(5));
    return { turn };
  });
  group(["clip", "extra", "clipAt"], () => {
    const clip = b.uint(8);
    const extra = b.uint(16);
    return { clip, extra, clipAt: clip === 0 ? 0 : s.at - Number(b.varint()) };
  });
  differs(s, ref, Object.keys(nothing).filter((n) => !["at", "position", "velocity", "walked", "yaw", "pitch"].includes(n)) as (keyof Sample)[]);
}

/** Section 6, one part. */
function part(b: Bits, place: Vector): any {
  const number = b.bool() ? b.ranged(1, 15) : 0;
  const base = b.uint(6);
  const bent = b.bool();
  const step = (last: number): number => {
    const id = last + 1 + b.count(0);
    demand(id <= 1023, "an id");
    return id;
  };
  const gone: number[] = [];
  if (b.bool()) {
    while (b.bool()) gone.push(step(gone.at(-1) ?? 0));
    demand(gone.length > 0, "nothing gone");
  }
  const now = tickAt(place.tick, place.ticks);
  const entities: Entity[] = [];
  while (b.bool()) {
    const id = step(entities.at(-1)?.id ?? 0);
    const kinked = bent && b.bool();
    let reference = -1;
    let from: Have | undefined;
    const has = (h: Have): boolean => h.entities.some((e) => e.id === id);
    if (base > 0 && b.bool()) {
      reference = 0;
      from = place.have.filter((h) => h.tick <= place.tick - base && has(h)).at(-1);
    } else if (base > 0 && b.bool()) {
      reference = b.uint(6);
      from = place.have.find((h) => h.tick === place.tick - reference && has(h));
    }
    demand(reference < 0 || from !== undefined, "no such reference");
    const ref = from && whole(from.entities.find((e) => e.id === id)!);
    const usual = from && ref ? ref.at - tickAt(from.tick, place.ticks) : 0;
    const sample = groups(b, now + usual + b.residual(2), ref ?? { ...nothing, at: now }, ref !== undefined);
    const kinks: Sample[] = [];
    if (kinked) {
      for (let left = b.bool() ? 2 : 1, after = sample; left > 0; left--) {
        after = groups(b, after.at - b.ranged(1, 20000), after, true);
        kinks.push(after);
      }
    }
    entities.push({ ...sample, id, reference, kinks });
  }
  demand(!bent || entities.some((e) => e.kinks.length > 0), "no kinks");
  return { number, base, gone, entities, last: b.bool() };
}

const met = (b: Bits): any => {
  const kind = b.ranged(0, 2);
  return kind === 2 ? { kind, target: b.ranged(1, 1023), part: b.ranged(1, 31), tag: b.ranged(1, 7) } : { kind };
};

/** Section 6, damage to one target. */
function victim(b: Bits, r: any, first: boolean): any {
  const asMet = { target: r.met.target, life: r.life, tag: r.met.tag, count: 1, heads: r.met.tag === 2 ? 1 : 0 };
  let who: any = asMet;
  if (!first || r.met.kind !== 2 || !b.bool()) {
    who = { target: b.ranged(1, 1023), life: b.uint(8), tag: b.ranged(1, 7), count: b.ranged(1, 16) };
    who.heads = b.ranged(0, who.count);
    demand(!first || r.met.kind !== 2 || JSON.stringify(who) !== JSON.stringify(asMet), "a longer form");
  }
  const damage = Number(b.uvarint());
  demand(damage < 65536, "more damage than there is");
  return { ...who, damage, why: b.ranged(0, 3) };
}

/** Section 6, a shot's receipt. */
function receipt(b: Bits): any {
  const shot = Number(b.uvarint());
  demand(shot < 2 ** 32, "no such move");
  const r: any = { shot, shooter: b.ranged(0, 1023), weapon: b.ranged(0, 7), asked: Number(b.uvarint()) };
  r.granted = b.bool() ? r.asked : Number(b.uvarint());
  Object.assign(r, { verdict: b.ranged(0, 3), reason: b.ranged(0, 12) });
  Object.assign(r, { met: { kind: 0 }, life: 0, distance: 0, point: [0, 0, 0], agrees: false, tested: 0, sum: 0, victims: [] });
  if (r.verdict !== 1 && r.verdict !== 2) return r;
  r.met = met(b);
  r.life = r.met.kind === 2 ? b.uint(8) : 0;
  Object.assign(r, { distance: b.ranged(0, 4096 * 64), point: b.vec(), agrees: b.bool(), tested: b.ranged(0, 15) });
  if (r.tested > 0) r.sum = b.uint(16);
  for (let left = b.ranged(0, 8), first = true; left > 0; left--, first = false) r.victims.push(victim(b, r, first));
  demand(r.victims.length > 0 === (r.verdict === 2), "a hit of nobody");
  return r;
}

function sight(b: Bits): any {
  const g: any = { shooter: b.ranged(1, 128), weapon: b.ranged(0, 7) };
  const burst = b.bool();
  g.to = b.vec();
  if (burst) return Object.assign(g, { burst, from: [0, 0, 0] }, some("ago", b.ranged(0, 4095)));
  g.from = b.vec();
  if (b.bool()) g.more = Array.from({ length: b.ranged(1, 15) }, () => b.vec());
  return g;
}

const hurt = (b: Bits): any => ({
  by: b.ranged(1, 128),
  weapon: b.ranged(0, 7),
  tag: b.ranged(0, 7),
  damage: b.uint(16),
  from: b.vec(),
  ago: b.ranged(0, 4095),
});

/** Reads a field that JSON omits when it is 0. */
const some = (name: string, v: number): any => (v === 0 ? {} : { [name]: v });

/** Reads up to 16 of a kind into an array of numbers. */
function row(b: Bits, one: (b: Bits) => any): any[] {
  const length = b.ranged(0, 16);
  const first = length > 0 ? b.uint(16) : 0;
  return Array.from({ length }, (_, i) => ({ number: (first + i) % 65536, ...one(b) }));
}

/** Section 6, the notices. */
function news(b: Bits): any {
  const status = b.bool() ? b.blob(64) : undefined;
  const receipts = row(b, receipt);
  const sights = row(b, sight);
  const hurts = row(b, hurt);
  demand(status !== undefined || receipts.length + sights.length + hurts.length > 0, "news of nothing");
  return { status, receipts, sights, hurts };
}

/** Section 6. */
function serverDatagram(bytes: Uint8Array, context: any): any {
  const b = new Bits(bytes);
  demand(b.uint(3) === 2, "kind");
  const tick = b.uint(32);
  demand(tick > 0, "tick 0");
  const skipped = b.bool() ? b.ranged(1, 64) : undefined;
  const heard = ack(b, 10, context.sequence ?? 0, () => true);
  let verdict: any = null;
  if (b.bool()) {
    verdict = { number: b.uint(32) };
    if (b.bool()) {
      verdict.correction = { cause: b.ranged(0, 4), places: b.uint(8), epoch: b.uint(8) };
      verdict.correction.state = { x: Number(b.varint()), v: Number(b.varint()) };
    }
  }
  const told = b.bool() ? news(b) : null;
  const rest = part(b, { tick, ticks: context.ticks, have: context.have ?? [] });
  b.end();
  return { tick, skipped, heard, verdict, news: told, part: rest };
}

/** Returns a server datagram of the files with all omitted fields filled in. */
function full(down: any): any {
  const entities = down.part.entities.map((e: any) => ({ ...whole(e), id: e.id, reference: e.reference, kinks: (e.kinks ?? []).map(whole) }));
  return { ...down, part: { gone: [], ...down.part, entities } };
}

/** Section 5, checking a claim. */
function check(number: number, x: number, digest: number): number {
  const u = BigInt.asUintN;
  const mix = (h: bigint): bigint => {
    h = u(64, h + 0x9e3779b97f4a7c15n);
    h = u(64, (h ^ (h >> 30n)) * 0xbf58476d1ce4e5b9n);
    h = u(64, (h ^ (h >> 27n)) * 0x94d049bb133111ebn);
    return h ^ (h >> 31n);
  };
  let h = BigInt(number) * 65536n + BigInt(digest);
  for (const axis of [x, 0, 0]) h = mix(u(64, h + (BigInt(axis) >> 10n)));
  return Number(h & 255n);
}

const vectors = lines("messages.jsonl");

test.each(vectors.filter((v) => v.up && !v.context.past.game))("$name", (v) => {
  expect(clientDatagram(unhex(v.bytes), v.context.past)).toEqual(v.up);
});

test.each(vectors.filter((v) => v.down && !v.context.game))("$name", (v) => {
  expect(serverDatagram(unhex(v.bytes), v.context)).toEqual(full(v.down));
});

test("primitive codes", () => {
  const read: Record<string, (b: Bits, ...of: number[]) => unknown> = {
    uint: (b, n) => Number(b.big(n!)),
    uvarint: (b) => Number(b.uvarint()),
    varint: (b) => Number(b.varint()),
    ranged: (b, lo, hi) => b.ranged(lo!, hi!),
    angle16: (b) => b.angle16() * ((2 * Math.PI) / 65536),
    blob: (b, max) => new TextDecoder().decode(unhex(b.blob(max!))),
  };
  let done = 0;
  for (const v of lines("primitives.jsonl")) {
    const [, name, of] = /^(\w+)(?:\((.*)\))?$/.exec(v.code) ?? [];
    const reader = name === undefined ? undefined : read[name];
    if (reader === undefined) continue;
    const b = new Bits(unhex(v.bytes));
    b.uint(v.after);
    const parse = (): unknown => {
      const got = reader(b, ...(of ?? "").split(",").map(Number));
      b.end();
      return got;
    };
    done++;
    if (v.error !== undefined) expect(parse, v.code).toThrow(Refused);
    else expect(parse(), `${v.code} of ${v.value}`).toEqual(v.read ?? v.value);
  }
  expect(done).toBeGreaterThan(35);
});

test("datagrams that a server must refuse are refused", () => {
  const past: Past = { ticks: 60, snapshots: 30, newest: 60, last: 60, now: 25_000 };
  const bad = lines("answers.jsonl").filter((a) => a.to === "server" && a.channel === 0 && a.answer === "error" && a.peer === 1);
  expect(bad.length).toBeGreaterThan(8);
  for (const a of bad) {
    // Moves against a base are decoded only if the base is known; these are not.
    let got: unknown;
    try {
      got = clientDatagram(unhex(a.bytes), past).moves;
    } catch (error) {
      got = error;
    }
    expect(got === undefined || got instanceof Refused, `${a.name}: ${JSON.stringify(got)}`).toBe(true);
  }
});

test("the claims of a client match its moves until it is corrected", () => {
  const past: Past = { ticks: 60, snapshots: 30, newest: 0, last: 0, now: 0 };
  const made = new Map<number, Move>();
  let state = { x: 2 ** 25, v: 0 };
  let tested = 0;
  for (const e of lines("sled-session.jsonl")) {
    if (e.do === "tick") Object.assign(past, { now: e.at / 40, newest: Math.round((e.at * 60) / 1e6) & ~1 });
    if (e.do === "alter") break;
    if (e.end !== "client 1" || e.do !== "send" || e.channel === 1) continue;
    const bytes = unhex(e.bytes);
    for (past.base = undefined; ; ) {
      const got = clientDatagram(bytes, past);
      if (got.moves === undefined) {
        const base: number = past.base === undefined ? 1 : past.base.number + 1;
        demand(made.has(base), "a base that nobody made");
        past.base = made.get(base)!;
        continue;
      }
      for (const move of got.moves?.list ?? []) {
        if (made.has(move.number)) continue;
        expect(move.number).toBe(made.size + 1);
        made.set(move.number, move);
        past.last = move.number;
        state.v = Math.max(-4000, Math.min(4000, state.v + move.input.push * move.duration));
        state = { v: state.v, x: state.x + state.v * move.duration };
      }
      if (!got.moves?.claim) break;
      const u = Math.floor((state.x / 2 ** 24) * 256 + 0.5);
      expect(got.moves.claim).toEqual({ x: mod(u, 1024), y: 0, z: 0, check: check(made.size, u, mod(state.v, 65536)) });
      tested++;
      break;
    }
  }
  expect(tested).toBeGreaterThan(30);
});
