// Recorded frames as the server of a recording answers them (docs/recording.md), and
// where things are between two of them. Start at decodeFrames and between.

/** A thing at one instant. Metres, m/s, radians, seconds of match time. */
export interface Thing {
  /** Players 1 to 128, things 129 to 1023. */
  id: number;
  /** 0 a character, else one of the layout's KIND numbers. */
  kind: number;
  crouched: boolean;
  dead: boolean;
  asleep: boolean;
  mode: number;
  life: number;
  jumps: number;
  clip: number;
  position: Triple;
  velocity: Triple;
  yaw: number;
  pitch: number;
  /** How it is turned, as a quaternion x, y, z, w. */
  turn: Quad;
  extra: number;
  /** The moving body that it rides on; 0: none. */
  base: number;
  /** When it was so. */
  at: number;
  /** The way over the ground, 0 to 64 m, and the stance: low, air, swim, 0 to 1 each. */
  walked: number;
  stance: Triple;
  up: Triple;
  /** For how long the clip has played. */
  played: number;
}

export type Triple = [number, number, number];
export type Quad = [number, number, number, number];

/** What was where in one tick. */
export interface Frame {
  tick: number;
  things: ReadonlyMap<number, Thing>;
}

const MAGIC = [0x42, 0x53, 0x52, 0x46, 2]; // "BSRF", version 2
const HEAD = 12;
const THING = 100;
const ROUND = 64; // metres after which the way begins anew

/** Reads an answer of /replay/frames. Throws where it is none, or ends too early. */
export function decodeFrames(answer: ArrayBuffer, tickRate: number): Frame[] {
  const view = new DataView(answer);
  if (answer.byteLength < HEAD || MAGIC.some((b, i) => view.getUint8(i) !== b)) throw new Error("replay: these are no frames of version 2");
  const frames: Frame[] = [];
  let at = HEAD;
  for (let n = view.getUint32(8, true); n > 0; n--) {
    if (at + 8 > answer.byteLength) throw new Error(`replay: the frames end at byte ${at}, in a head`);
    const tick = view.getUint32(at, true);
    const count = view.getUint32(at + 4, true);
    at += 8;
    if (at + count * THING > answer.byteLength) throw new Error(`replay: the frames end in tick ${tick}`);
    const things = new Map<number, Thing>();
    for (let i = 0; i < count; i++, at += THING) {
      const thing = decodeThing(view, at, tick / tickRate);
      things.set(thing.id, thing);
    }
    frames.push({ tick, things });
  }
  return frames;
}

function decodeThing(view: DataView, at: number, time: number): Thing {
  const f = (offset: number): number => view.getFloat32(at + offset, true);
  const flags = view.getUint8(at + 3);
  const turn: Quad = [f(52), f(56), f(60), f(64)];
  return {
    id: view.getUint16(at, true), kind: view.getUint8(at + 2),
    crouched: (flags & 1) !== 0, dead: (flags & 2) !== 0, asleep: (flags & 4) !== 0,
    mode: view.getUint8(at + 4), life: view.getUint8(at + 5), jumps: view.getUint8(at + 6), clip: view.getUint8(at + 7),
    position: [f(8), f(12), f(16)], velocity: [f(20), f(24), f(28)],
    yaw: f(32), pitch: f(36),
    turn: turn.every((v) => v === 0) ? [0, 0, 0, 1] : turn,
    extra: view.getUint16(at + 80, true), base: view.getUint16(at + 82, true),
    at: time + f(84), walked: f(88), up: [f(40), f(44), f(48)], played: f(96),
    stance: [view.getUint8(at + 92) / 255, view.getUint8(at + 93) / 255, view.getUint8(at + 94) / 255],
  };
}

/** Whether the way from a to the later b is one path: the same life, no jump, no death
 * in between. Only then is anything drawn between the two. */
export function continues(a: Thing, b: Thing): boolean {
  return a.life === b.life && a.jumps === b.jumps && a.dead === b.dead && a.kind === b.kind;
}

const LONGEST_GAP = 0.25;

/** Where a thing is at a time between two of its samples, a the earlier. Across a jump,
 * and where too much is missing, it stays at a until b's time. */
export function between(a: Thing, b: Thing, time: number): Thing {
  const dt = b.at - a.at;
  if (time >= b.at) return b;
  if (time <= a.at || dt <= 0 || dt > LONGEST_GAP || !continues(a, b)) return a;
  const s = (time - a.at) / dt;
  const position = a.position.map((from, i) => {
    const to = b.position[i] ?? from;
    if (a.base !== 0 || b.base !== 0) return from + (to - from) * s; // velocities are without the base's
    return cubic(from, to, (a.velocity[i] ?? 0) * dt, (b.velocity[i] ?? 0) * dt, s);
  }) as Triple;
  const velocity = a.velocity.map((v, i) => v + ((b.velocity[i] ?? v) - v) * s) as Triple;
  const stance = a.stance.map((v, i) => v + ((b.stance[i] ?? v) - v) * s) as Triple;
  const walked = (((a.walked + walk(a.walked, b.walked) * s) % ROUND) + ROUND) % ROUND;
  return { ...a, position, velocity, stance, walked, played: a.played + (time - a.at), yaw: angle(a.yaw, b.yaw, s), pitch: angle(a.pitch, b.pitch, s), turn: turned(a.turn, b.turn, s), at: time };
}

/** A cubic between two values with the slopes there, as far as those neither overshoot
 * nor run backwards. */
function cubic(a: number, b: number, slopeA: number, slopeB: number, s: number): number {
  const [m, n] = [tame(slopeA, b - a), tame(slopeB, b - a)];
  const rest = 1 - s;
  return a + (b - a) * s * s * (3 - 2 * s) + s * rest * (m * rest - n * s);
}

/** A slope with the sign of the secant, three times as steep at most. */
function tame(slope: number, secant: number): number {
  if (slope * secant <= 0) return 0;
  return secant > 0 ? Math.min(slope, 3 * secant) : Math.max(slope, 3 * secant);
}

/** From one place of a way that begins anew to another, the shorter way. */
function walk(a: number, b: number): number {
  return b - a - ROUND * Math.round((b - a) / ROUND);
}

/** From one angle to another, the shorter way. */
function angle(a: number, b: number, s: number): number {
  const d = b - a - 2 * Math.PI * Math.round((b - a) / (2 * Math.PI));
  return a + d * s;
}

function turned(a: Quad, b: Quad, s: number): Quad {
  const sign = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -1 : 1;
  const q = a.map((v, i) => v + (sign * (b[i] ?? 0) - v) * s) as Quad;
  const length = Math.hypot(...q);
  return length > 0 ? (q.map((v) => v / length) as Quad) : a;
}
