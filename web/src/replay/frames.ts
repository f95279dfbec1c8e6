// Recorded frames as the server of a recording answers them (docs/recording.md), and
// where things are between two of them. Start at decodeFrames and between.

/** A thing at one instant. Metres, m/s, radians, seconds of match time. */
export interface EntitySample {
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
  position: Vec3;
  velocity: Vec3;
  yaw: number;
  pitch: number;
  /** How it is turned, as a quaternion x, y, z, w. */
  rotation: Quaternion;
  userData: number;
  /** The moving body that it rides on; 0: none. */
  base: number;
  /** When it was so. */
  time: number;
  /** The way over the ground, 0 to 64 m, and the stance: low, air, swim, 0 to 1 each. */
  strideDistance: number;
  stance: Vec3;
  up: Vec3;
  /** For how long the clip has played. */
  clipTime: number;
}

export type Vec3 = [number, number, number];
export type Quaternion = [number, number, number, number];

/** What was where in one tick. */
export interface RecordedTick {
  tick: number;
  entities: ReadonlyMap<number, EntitySample>;
}

const MAGIC = [0x42, 0x53, 0x52, 0x46, 2]; // "BSRF", version 2
const HEADER = 12;
const SAMPLE_SIZE = 100;
const STRIDE_WRAP = 64; // metres after which the way begins anew

/** Reads an answer of /replay/frames. Throws where it is none, or ends too early. */
export function decodeTicks(answer: ArrayBuffer, tickRate: number): RecordedTick[] {
  const view = new DataView(answer);
  if (answer.byteLength < HEADER || MAGIC.some((b, i) => view.getUint8(i) !== b)) throw new Error("replay: these are no frames of version 2");
  const frames: RecordedTick[] = [];
  let at = HEADER;
  for (let n = view.getUint32(8, true); n > 0; n--) {
    if (at + 8 > answer.byteLength) throw new Error(`replay: the frames end at byte ${at}, in a head`);
    const tick = view.getUint32(at, true);
    const count = view.getUint32(at + 4, true);
    at += 8;
    if (at + count * SAMPLE_SIZE > answer.byteLength) throw new Error(`replay: the frames end in tick ${tick}`);
    const things = new Map<number, EntitySample>();
    for (let i = 0; i < count; i++, at += SAMPLE_SIZE) {
      const thing = decodeSample(view, at, tick / tickRate);
      things.set(thing.id, thing);
    }
    frames.push({ tick, entities: things });
  }
  return frames;
}

function decodeSample(view: DataView, at: number, time: number): EntitySample {
  const f = (offset: number): number => view.getFloat32(at + offset, true);
  const flags = view.getUint8(at + 3);
  const turn: Quaternion = [f(52), f(56), f(60), f(64)];
  return {
    id: view.getUint16(at, true), kind: view.getUint8(at + 2),
    crouched: (flags & 1) !== 0, dead: (flags & 2) !== 0, asleep: (flags & 4) !== 0,
    mode: view.getUint8(at + 4), life: view.getUint8(at + 5), jumps: view.getUint8(at + 6), clip: view.getUint8(at + 7),
    position: [f(8), f(12), f(16)], velocity: [f(20), f(24), f(28)],
    yaw: f(32), pitch: f(36),
    rotation: turn.every((v) => v === 0) ? [0, 0, 0, 1] : turn,
    userData: view.getUint16(at + 80, true), base: view.getUint16(at + 82, true),
    time: time + f(84), strideDistance: f(88), up: [f(40), f(44), f(48)], clipTime: f(96),
    stance: [view.getUint8(at + 92) / 255, view.getUint8(at + 93) / 255, view.getUint8(at + 94) / 255],
  };
}

/** Whether the way from a to the later b is one path: the same life, no jump, no death
 * in between. Only then is anything drawn between the two. */
export function isContinuous(a: EntitySample, b: EntitySample): boolean {
  return a.life === b.life && a.jumps === b.jumps && a.dead === b.dead && a.kind === b.kind;
}

const MAX_GAP = 0.25;

/** Where a thing is at a time between two of its samples, a the earlier. Across a jump,
 * and where too much is missing, it stays at a until b's time. */
export function interpolate(a: EntitySample, b: EntitySample, time: number): EntitySample {
  const dt = b.time - a.time;
  if (time >= b.time) return b;
  if (time <= a.time || dt <= 0 || dt > MAX_GAP || !isContinuous(a, b)) return a;
  const s = (time - a.time) / dt;
  const position = a.position.map((from, i) => {
    const to = b.position[i] ?? from;
    if (a.base !== 0 || b.base !== 0) return from + (to - from) * s; // velocities are without the base's
    return cubic(from, to, (a.velocity[i] ?? 0) * dt, (b.velocity[i] ?? 0) * dt, s);
  }) as Vec3;
  const velocity = a.velocity.map((v, i) => v + ((b.velocity[i] ?? v) - v) * s) as Vec3;
  const stance = a.stance.map((v, i) => v + ((b.stance[i] ?? v) - v) * s) as Vec3;
  const walked = (((a.strideDistance + strideBetween(a.strideDistance, b.strideDistance) * s) % STRIDE_WRAP) + STRIDE_WRAP) % STRIDE_WRAP;
  return { ...a, position, velocity, stance, strideDistance: walked, clipTime: a.clipTime + (time - a.time), yaw: lerpAngle(a.yaw, b.yaw, s), pitch: lerpAngle(a.pitch, b.pitch, s), rotation: nlerp(a.rotation, b.rotation, s), time: time };
}

/** A cubic between two values with the slopes there, as far as those neither overshoot
 * nor run backwards. */
function cubic(a: number, b: number, slopeA: number, slopeB: number, s: number): number {
  const [m, n] = [clampSlope(slopeA, b - a), clampSlope(slopeB, b - a)];
  const rest = 1 - s;
  return a + (b - a) * s * s * (3 - 2 * s) + s * rest * (m * rest - n * s);
}

/** A slope with the sign of the secant, three times as steep at most. */
function clampSlope(slope: number, secant: number): number {
  if (slope * secant <= 0) return 0;
  return secant > 0 ? Math.min(slope, 3 * secant) : Math.max(slope, 3 * secant);
}

/** From one place of a way that begins anew to another, the shorter way. */
function strideBetween(a: number, b: number): number {
  return b - a - STRIDE_WRAP * Math.round((b - a) / STRIDE_WRAP);
}

/** From one angle to another, the shorter way. */
function lerpAngle(a: number, b: number, s: number): number {
  const d = b - a - 2 * Math.PI * Math.round((b - a) / (2 * Math.PI));
  return a + d * s;
}

function nlerp(a: Quaternion, b: Quaternion, s: number): Quaternion {
  const sign = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -1 : 1;
  const q = a.map((v, i) => v + (sign * (b[i] ?? 0) - v) * s) as Quaternion;
  const length = Math.hypot(...q);
  return length > 0 ? (q.map((v) => v / length) as Quaternion) : a;
}
