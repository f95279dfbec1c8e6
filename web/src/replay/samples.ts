// Recorded samples as served by /replay/samples (docs/recording.md), and interpolation between them.
// Start at decodeTicks and interpolate.
import * as THREE from "three";
import { wrapAngle } from "@backstep/three/parts";
import type { Roots } from "../core";

/** An entity at one instant. Metres, m/s, radians, seconds of match time. */
export interface EntitySample {
  /** Players first, then other entities; FIRST_MOVER + i is the level's i-th body. */
  id: number;
  /** 0 is a character, otherwise one of the layout's KIND numbers. */
  kind: number;
  crouched: boolean;
  dead: boolean;
  asleep: boolean;
  mode: number;
  life: number;
  jumps: number;
  clip: number;
  position: THREE.Vector3;
  velocity: THREE.Vector3;
  yaw: number;
  pitch: number;
  rotation: THREE.Quaternion;
  userData: number;
  /** The moving base; 0 if none. */
  base: number;
  /** Time of the sample. */
  time: number;
  /** Distance walked, wrapped at 64 m, and the stance. */
  strideDistance: number;
  stance: Readonly<Stance>;
  up: THREE.Vector3;
  /** How long the clip has played. */
  clipTime: number;
}

/** The id of the level's first mover; movers are there once they were triggered. */
export const FIRST_MOVER = 2048;

type Stance = Roots["controls"]["recorded"][number]["stance"];

/** All entities of one tick. */
export interface RecordedTick {
  tick: number;
  entities: ReadonlyMap<number, EntitySample>;
}

const MAGIC = [0x42, 0x53, 0x52, 0x46, 3]; // "BSRF", version 3
const HEADER = 12;
const SAMPLE_SIZE = 100;
const STRIDE_WRAP = 64; // metres

/** Decodes an answer of /replay/samples. Throws if it is malformed or truncated. */
export function decodeTicks(answer: ArrayBuffer, tickRate: number): RecordedTick[] {
  const view = new DataView(answer);
  if (answer.byteLength < HEADER || MAGIC.some((b, i) => view.getUint8(i) !== b)) throw new Error("replay: not samples of version 3");
  const ticks: RecordedTick[] = [];
  let at = HEADER;
  for (let n = view.getUint32(8, true); n > 0; n--) {
    if (at + 8 > answer.byteLength) throw new Error(`replay: samples truncated at byte ${at}, in a header`);
    const tick = view.getUint32(at, true);
    const count = view.getUint32(at + 4, true);
    at += 8;
    if (at + count * SAMPLE_SIZE > answer.byteLength) throw new Error(`replay: samples truncated in tick ${tick}`);
    const entities = new Map<number, EntitySample>();
    for (let i = 0; i < count; i++, at += SAMPLE_SIZE) {
      const sample = decodeSample(view, at, tick / tickRate);
      entities.set(sample.id, sample);
    }
    ticks.push({ tick, entities });
  }
  return ticks;
}

function decodeSample(view: DataView, at: number, time: number): EntitySample {
  const f = (offset: number): number => view.getFloat32(at + offset, true);
  const flags = view.getUint8(at + 3);
  const vector = (offset: number): THREE.Vector3 => new THREE.Vector3(f(offset), f(offset + 4), f(offset + 8));
  const share = (offset: number): number => view.getUint8(at + offset) / 255;
  const rotation = new THREE.Quaternion(f(52), f(56), f(60), f(64));
  return {
    id: view.getUint16(at, true), kind: view.getUint8(at + 2),
    crouched: (flags & 1) !== 0, dead: (flags & 2) !== 0, asleep: (flags & 4) !== 0,
    mode: view.getUint8(at + 4), life: view.getUint8(at + 5), jumps: view.getUint8(at + 6), clip: view.getUint8(at + 7),
    position: vector(8), velocity: vector(20),
    yaw: f(32), pitch: f(36),
    rotation: rotation.length() === 0 ? rotation.identity() : rotation,
    userData: view.getUint16(at + 80, true), base: view.getUint16(at + 82, true),
    time: time + f(84), strideDistance: f(88), up: vector(40), clipTime: f(96),
    stance: { crouch: share(92), air: share(93), swim: share(94) },
  };
}

/** Returns whether b continues the path of a: the same life, no teleport, no death in between.
 * Otherwise nothing is interpolated between them. */
export function isContinuous(a: EntitySample, b: EntitySample): boolean {
  return a.life === b.life && a.jumps === b.jumps && a.dead === b.dead && a.kind === b.kind;
}

const MAX_GAP = 0.25; // seconds

/** Interpolates between two samples, a the earlier. Across a discontinuity or a long gap the
 * entity stays at a until b's time. */
export function interpolate(a: EntitySample, b: EntitySample, time: number): EntitySample {
  const dt = b.time - a.time;
  if (time >= b.time) return b;
  if (time <= a.time || dt <= 0 || dt > MAX_GAP || !isContinuous(a, b)) return a;
  const s = (time - a.time) / dt;
  const { lerp } = THREE.MathUtils;
  const position = new THREE.Vector3();
  for (const axis of ["x", "y", "z"] as const) {
    const [from, to] = [a.position[axis], b.position[axis]];
    // On a moving base velocities are relative to it.
    position[axis] = a.base !== 0 || b.base !== 0 ? lerp(from, to, s) : cubic(from, to, a.velocity[axis] * dt, b.velocity[axis] * dt, s);
  }
  const velocity = a.velocity.clone().lerp(b.velocity, s);
  const stance = { crouch: lerp(a.stance.crouch, b.stance.crouch, s), air: lerp(a.stance.air, b.stance.air, s), swim: lerp(a.stance.swim, b.stance.swim, s) };
  const strideDistance = THREE.MathUtils.euclideanModulo(a.strideDistance + strideBetween(a.strideDistance, b.strideDistance) * s, STRIDE_WRAP);
  const rotation = a.rotation.clone().slerp(b.rotation, s);
  const [yaw, pitch] = [a.yaw + wrapAngle(b.yaw - a.yaw) * s, a.pitch + wrapAngle(b.pitch - a.pitch) * s];
  return { ...a, time, position, velocity, yaw, pitch, rotation, stance, strideDistance, clipTime: a.clipTime + (time - a.time) };
}

/** Cubic Hermite interpolation with monotone slopes, so it neither overshoots nor runs backwards. */
function cubic(a: number, b: number, slopeA: number, slopeB: number, s: number): number {
  const [m, n] = [clampSlope(slopeA, b - a), clampSlope(slopeB, b - a)];
  const rest = 1 - s;
  return a + (b - a) * s * s * (3 - 2 * s) + s * rest * (m * rest - n * s);
}

/** Limits a slope to the sign of the secant and three times its steepness. */
function clampSlope(slope: number, secant: number): number {
  if (slope * secant <= 0) return 0;
  return secant > 0 ? Math.min(slope, 3 * secant) : Math.max(slope, 3 * secant);
}

/** Returns the shorter difference between two wrapped distances. */
function strideBetween(a: number, b: number): number {
  return b - a - STRIDE_WRAP * Math.round((b - a) / STRIDE_WRAP);
}
