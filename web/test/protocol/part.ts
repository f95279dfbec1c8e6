/** The part of a snapshot and the samples in it: docs/protocol.md, section 6. */
import { Bits, demand, isSet, mod, type Fields } from "./bits";

/** What a client has of a snapshot. */
export interface Snapshot { tick: number; entities?: Fields[] }

/** Is called with each earlier snapshot that a part refers to, and the entity in it. */
export type Used = (tick: number, entity?: Fields) => void;

/** What is known where a part is read. */
interface Place {
  tick: number;
  tickRate: number;
  snapshots: Snapshot[];
  used: Used | undefined;
}

/** A sample in whole numbers; instants in 50 µs of match time. */
interface Sample {
  at: number; position: number[]; velocity: number[]; strideDistance: number; yaw: number; pitch: number;
  mode: number; crouched: boolean; stance: number[]; kind: number; dead: boolean; life: number; teleport: number;
  base: number; previousBase: number; baseChangedAt: number; lag: number; up: number[];
  asleep: boolean; angularVelocity: number[]; rotation: number[]; clip: number; userData: number; clipAt: number;
}
type Name = keyof Sample;

const zero = (): Sample => ({
  at: 0, position: [0, 0, 0], velocity: [0, 0, 0], strideDistance: 0, yaw: 0, pitch: 0,
  mode: 0, crouched: false, stance: [0, 0, 0], kind: 0, dead: false, life: 0, teleport: 0,
  base: 0, previousBase: 0, baseChangedAt: 0, lag: 0, up: [0, 0, 0],
  asleep: false, angularVelocity: [0, 0, 0], rotation: [0, 0, 0, 0], clip: 0, userData: 0, clipAt: 0,
});

/** A sample with all fields, and no others. */
export function whole(of: Fields): Sample {
  const s: Fields = zero();
  for (const name of Object.keys(s)) s[name] = of[name] ?? s[name];
  return s as Sample;
}

const clamp = (v: number, most: number): number => Math.max(-most, Math.min(most, v));

/** A tick's time in 50 µs. */
export const tickAt = (tick: number, rate: number): number => Math.floor((Math.floor((tick * 1e6 + Math.floor(rate / 2)) / rate) + 25) / 50);

export function part(b: Bits, v: Fields, c: Place): void {
  if (b.flag("later", (v["number"] ?? 0) > 0)) b.ranged(v, "number", 1, 15);
  b.uint(v, "baseline", 6);
  if (v["baseline"] > 0) {
    const baseline = c.snapshots.find((s) => s.tick === c.tick - v["baseline"]);
    demand(baseline !== undefined, "no such baseline");
    c.used?.(baseline!.tick);
  }
  const keyframes = b.flag("hasKeyframes", (v["entities"] ?? []).some((e: Fields) => (e["keyframes"] ?? []).length > 0));
  const removed: number[] = (v["removed"] ??= []);
  if (b.flag("removed", removed.length > 0)) {
    for (let i = 0; b.flag("more", i < removed.length); i++) removed[i] = step(b, removed[i] ?? 0, removed[i - 1] ?? 0);
    demand(removed.length > 0, "nothing removed");
  }
  const entities: Fields[] = (v["entities"] ??= []);
  const now = tickAt(c.tick, c.tickRate);
  for (let i = 0; b.flag("entity", i < entities.length); i++) {
    const e = (entities[i] ??= {});
    e["id"] = step(b, e["id"] ?? 0, entities[i - 1]?.["id"] ?? 0);
    const has = keyframes && b.flag("keyframed", (e["keyframes"] ?? []).length > 0);
    const from = reference(b, e, v["baseline"], c);
    const ref = from && whole(from.entity);
    const usual = ref ? ref.at - tickAt(from!.tick, c.tickRate) : 0;
    const at = b.note("at", () => now + usual + b.residual(2, (e["at"] ?? 0) - now - usual));
    demand(Math.abs(at - now) <= 2 ** 36, "a stamp");
    const s = groups(b, whole(e), at, ref ?? { ...zero(), at: now }, ref !== undefined);
    Object.assign(e, s);
    if (has) keyframesOf(b, e, s);
  }
  demand(!keyframes || entities.some((e) => (e["keyframes"] ?? []).length > 0), "no keyframes");
  b.bool(v, "last");
}

/** An id, by its distance from the one before. */
const step = (b: Bits, id: number, last: number): number => {
  id = b.note("id", () => last + 1 + b.count(0, id - last - 1));
  demand(id <= 2047, "an id");
  return id;
};

/** The sample that an entity is coded against. */
function reference(b: Bits, e: Fields, baseline: number, c: Place): { tick: number; entity: Fields } | undefined {
  const entityOf = (s: Snapshot): Fields | undefined => s.entities?.find((other) => other["id"] === e["id"]);
  const find = (s: Snapshot | undefined): { tick: number; entity: Fields } => {
    const entity = s && entityOf(s);
    demand(entity !== undefined, "no such reference");
    c.used?.(s!.tick, entity);
    return { tick: s!.tick, entity: entity! };
  };
  const back = b.writing ? (e["reference"] ?? 0) : -1;
  if (baseline === 0) {
    e["reference"] = -1;
    return undefined;
  }
  if (b.flag("newest reference", back === 0)) {
    e["reference"] = 0;
    return find(c.snapshots.filter((s) => s.tick <= c.tick - baseline && c.tick - s.tick <= 63 && entityOf(s)).at(-1));
  }
  if (!b.flag("some reference", back > 0)) {
    e["reference"] = -1;
    return undefined;
  }
  b.uint(e, "reference", 6);
  return find(c.snapshots.find((s) => s.tick === c.tick - e["reference"]));
}

/** Where the entity was between its last sample and this one, latest first. */
function keyframesOf(b: Bits, e: Fields, after: Sample): void {
  const list: Fields[] = (e["keyframes"] ??= []);
  const count = b.flag("two", list.length > 1) ? 2 : 1;
  for (let i = 0; i < count; i++) {
    const k = whole((list[i] ??= {}));
    const at = after.at - b.note("before", () => b.within(1, 20000, after.at - k.at));
    after = groups(b, k, at, after, true);
    Object.assign(list[i]!, after);
  }
}

/** The groups of a sample against a reference. */
export function groups(b: Bits, v: Sample, at: number, ref: Sample, known: boolean): Sample {
  const s: Sample = b.writing ? { ...v } : { ...ref };
  s.at = at;
  const differ = (names: Name[]): boolean => names.some((name) => JSON.stringify(s[name]) !== JSON.stringify(ref[name]));
  const group = (title: string, names: Name[], pack: () => void): void => {
    if (!b.flag(title, differ(names))) return;
    pack();
    demand(differ(names), "a longer form");
  };
  const rare: [string, Name[], () => void][] = [
    ["mode", ["mode", "crouched"], () => (b.uint(s, "mode", 8), b.bool(s, "crouched"))],
    ["stance", ["stance"], stance],
    ["self", ["kind", "dead", "life", "teleport"], () => (b.uint(s, "kind", 8), b.bool(s, "dead"), b.uint(s, "life", 8), b.uint(s, "teleport", 8))],
    ["base", ["base", "previousBase", "baseChangedAt", "lag"], base],
    ["up", ["up"], up],
    ["body", ["asleep", "angularVelocity", "rotation"], body],
    ["extra", ["clip", "userData", "clipAt"], extra],
  ];
  const others = b.flag("others", differ(rare.flatMap(([, names]) => names)));
  group("place", ["position", "velocity", "strideDistance"], place);
  group("look", ["yaw", "pitch"], look);
  if (others) {
    for (const [title, names, pack] of rare) group(title, names, pack);
    demand(differ(rare.flatMap(([, names]) => names)), "a longer form");
  }
  demand(s.baseChangedAt === 0 || (at >= s.baseChangedAt && at - s.baseChangedAt < 12000), "changed its base too long ago");
  return s;

  /** A vector against a guess, Y in an order of its own. */
  function axes(name: "position" | "velocity" | "angularVelocity", guess: number[], k: number, y: number): void {
    s[name] = b.note(name, () => guess.map((g, i) => g + b.residual(i === 1 ? y : k, s[name][i]! - g)));
    demand(s[name].every((x) => x >= -(2 ** 30) && x < 2 ** 30), "too far");
  }
  /** What looked along its velocity does so again. */
  function look(): void {
    const [was, is] = [direction(ref.velocity), direction(s.velocity)];
    for (const [name, order] of [["yaw", 6], ["pitch", 4]] as const) {
      const ahead = was !== undefined && is !== undefined && Math.abs(wrap(ref[name] - was[name])) <= 32;
      const guess = ahead ? is[name] : ref[name];
      s[name] = b.note(name, () => {
        const d = b.residual(ahead ? 2 : order, wrap(s[name] - guess));
        demand(d === wrap(d), "turned too far");
        return wrap(guess + d);
      });
    }
  }
  function place(): void {
    const d = clamp(at - ref.at, 65536);
    const c = Math.min(32 - Math.clz32(Math.floor(Math.abs(d) / 1000)), 6);
    const [v, p, u] = known ? [2 + c, Math.max(c - 1, 0), 0] : [6, 12, 6];
    group("velocity", ["velocity"], () => axes("velocity", ref.velocity, v!, u!));
    axes("position", ref.position.map((x, i) => x + Math.floor(((ref.velocity[i]! + s.velocity[i]!) * d + 1250) / 2500)), p!, u!);
    const guess = ref.strideDistance + (ref.strideDistance === 0 ? 0 : stride(ref, s, d));
    s.strideDistance = b.note("strideDistance", () => {
      const off = b.residual(0, mod(s.strideDistance - guess + 8192, 16384) - 8192);
      demand(off >= -8192 && off < 8192, "walked too far");
      return mod(guess + off, 16384);
    });
  }
  function stance(): void {
    const changed = [0, 1, 2].filter((i) => s.stance[i] !== ref.stance[i]);
    const which = b.note("which", () => b.number(2, changed.length > 1 ? 3 : (changed[0] ?? 3)));
    s.stance = ref.stance.map((was, i) => (which === 3 || which === i ? b.note("stance", () => b.number(4, s.stance[i]!)) : was));
    demand(which < 3 || s.stance.filter((x, i) => x !== ref.stance[i]).length > 1, "a longer form");
  }
  function base(): void {
    if (b.flag("some base", s.base !== 0)) b.ranged(s, "base", 1, 32767);
    else s.base = 0;
    if (!b.flag("changed", s.baseChangedAt !== 0)) {
      Object.assign(s, { previousBase: 0, baseChangedAt: 0, lag: 0 });
      return;
    }
    b.ranged(s, "previousBase", 0, 32767);
    s.baseChangedAt = at - b.note("ago", () => b.within(0, 11999, at - s.baseChangedAt));
    b.ranged(s, "lag", -200, 16183);
    demand(s.baseChangedAt > 0, "before the match");
  }
  function up(): void {
    if (b.flag("some up", isSet(s.up))) {
      b.vec(s, "up");
      const square = s.up.reduce((sum, x) => sum + x * x, 0);
      demand(square > 0 && square <= 1.5 * 1024 * 1024, "up");
    } else {
      s.up = [0, 0, 0];
    }
  }
  function body(): void {
    b.bool(s, "asleep");
    axes("angularVelocity", ref.angularVelocity, 5, 5);
    const guess = spun(ref, s);
    s.rotation = b.note("rotation", () => guess.map((g, i) => g + b.residual(5, s.rotation[i]! - g)));
    if (!isSet(s.rotation)) return;
    const square = s.rotation.reduce((sum, x) => sum + (x * x) / (4096 * 4096), 0);
    demand(s.rotation.every((x) => Math.abs(x) <= 8192) && Math.abs(square - 1) <= 0.01, "a rotation");
  }
  function extra(): void {
    b.uint(s, "clip", 8);
    b.uint(s, "userData", 16);
    if (s.clip === 0) s.clipAt = 0;
    else s.clipAt = at - b.note("clipAt", () => Number(b.signed(BigInt(at - s.clipAt))));
    demand(Math.abs(at - s.clipAt) <= 2 ** 36 || s.clip === 0, "a clip");
  }
}

/** An angle within half a turn, in 1/8192 turn. */
function wrap(n: number): number {
  return mod(n + 4096, 8192) - 4096;
}

/** The yaw and pitch of a velocity, unless it is slow. */
function direction([x, y, z]: number[]): { yaw: number; pitch: number } | undefined {
  const square = x! * x! + z! * z!;
  const steps = (angle: number): number => wrap(Math.floor((angle * 8192) / (2 * Math.PI) + 0.5));
  return square < 32 * 32 ? undefined : { yaw: steps(Math.atan2(-x!, -z!)), pitch: steps(Math.atan2(y!, Math.sqrt(square))) };
}

/** How far a walker came on the way from ref to s, in 1/256 m. */
function stride(ref: Sample, s: Sample, d: number): number {
  const length = (x: number, z: number): number => Math.sqrt(x * x + z * z);
  const mid = (i: number): number => (3 * (s.position[i]! - ref.position[i]!)) / 2 - ((ref.velocity[i]! + s.velocity[i]!) * d) / 5000;
  const ends = length(ref.velocity[0]!, ref.velocity[2]!) + length(s.velocity[0]!, s.velocity[2]!);
  const n = Math.floor(Math.min(((ends * Math.abs(d)) / 1250 + 4 * length(mid(0), mid(2))) / 24, 2 ** 40) + 0.5);
  return d < 0 ? -n : n;
}

/** How a body that goes on spinning would be turned. */
function spun(ref: Sample, s: Sample): number[] {
  const w = ref.angularVelocity.map((v, i) => v + s.angularVelocity[i]!);
  if (!isSet(ref.rotation) || !isSet(w)) return ref.rotation;
  const t = clamp((s.at - ref.at) * 50, 1e6) / 1e6;
  const h = w.map((v) => (v * t) / 4096);
  const n = Math.sqrt(h[0]! * h[0]! + h[1]! * h[1]! + h[2]! * h[2]! + 1);
  const times = (a: number[], c: number[]): number[] => {
    const p = (i: number, j: number): number => a[i]! * c[j]!;
    return [
      p(3, 0) + p(0, 3) + p(1, 2) - p(2, 1), p(3, 1) - p(0, 2) + p(1, 3) + p(2, 0),
      p(3, 2) + p(0, 1) - p(1, 0) + p(2, 3), p(3, 3) - p(0, 0) - p(1, 1) - p(2, 2),
    ];
  };
  let r = [...h.map((v) => v / n), 1 / n];
  for (let i = 0; i < 4; i++) r = times(r, r);
  return times(r, ref.rotation.map((v) => v / 4096)).map((v) => clamp(Math.floor(v * 4096 + 0.5), 8192));
}
