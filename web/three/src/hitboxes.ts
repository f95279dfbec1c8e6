// Outlines of hitboxes: spheres, capsules and boxes of any rotation. Start at drawHitbox.
import * as THREE from "three";
import type { Lines } from "./lines.js";
import type { Hitbox } from "./session.js";

const SEGMENTS = 16;
const DASHES = 4;

const a = new THREE.Vector3();
const b = new THREE.Vector3();
const axis = new THREE.Vector3();
const u = new THREE.Vector3();
const v = new THREE.Vector3();
const from = new THREE.Vector3();
const to = new THREE.Vector3();
const rotation = new THREE.Quaternion();

let dashed = false;

/** Adds the outline of a hitbox; dashed outlines leave another at the same place visible. */
export function drawHitbox(lines: Lines, hitbox: Hitbox, colour: THREE.Color, inDashes: boolean): void {
  dashed = inDashes;
  a.copy(hitbox.a);
  b.copy(hitbox.b);
  if (hitbox.shape === "box") return box(lines, hitbox, colour);
  axis.subVectors(b, a);
  if (hitbox.shape === "ball" || axis.lengthSq() < 1e-8) axis.set(0, 1, 0);
  axis.normalize();
  u.set(Math.abs(axis.y) < 0.9 ? 0 : 1, Math.abs(axis.y) < 0.9 ? 1 : 0, 0).cross(axis).normalize();
  v.crossVectors(axis, u);
  const r = hitbox.radius;
  arc(lines, a, u, v, r, 0, 2, colour);
  if (hitbox.shape === "ball") {
    arc(lines, a, u, axis, r, 0, 2, colour);
    arc(lines, a, v, axis, r, 0, 2, colour);
    return;
  }
  arc(lines, b, u, v, r, 0, 2, colour);
  for (const side of [u, v]) {
    arc(lines, b, side, axis, r, 0, 1, colour);
    arc(lines, a, side, axis, r, 1, 2, colour);
    for (const sign of [1, -1]) {
      from.copy(a).addScaledVector(side, sign * r);
      to.copy(b).addScaledVector(side, sign * r);
      edge(lines, colour);
    }
  }
}

/** Adds a line between the scratch vectors from and to. */
function edge(lines: Lines, colour: THREE.Color): void {
  if (!dashed) return lines.line(from.x, from.y, from.z, to.x, to.y, to.z, colour);
  for (let i = 0; i < DASHES; i++) {
    const [s, t] = [i / DASHES, (i + 0.5) / DASHES];
    const at = (a: number, b: number, share: number): number => a + (b - a) * share;
    lines.line(at(from.x, to.x, s), at(from.y, to.y, s), at(from.z, to.z, s), at(from.x, to.x, t), at(from.y, to.y, t), at(from.z, to.z, t), colour);
  }
}

/** Adds an arc in the plane of x and y; begin and end in half turns. */
function arc(lines: Lines, centre: THREE.Vector3, x: THREE.Vector3, y: THREE.Vector3, r: number, start: number, end: number, colour: THREE.Color): void {
  const pieces = Math.round((SEGMENTS * (end - start)) / 2);
  for (let i = 0; i <= pieces; i++) {
    const angle = Math.PI * (start + ((end - start) * i) / pieces);
    to.copy(centre).addScaledVector(x, r * Math.cos(angle)).addScaledVector(y, r * Math.sin(angle));
    if (i > 0 && !(dashed && i % 2 === 0)) lines.line(from.x, from.y, from.z, to.x, to.y, to.z, colour);
    from.copy(to);
  }
}

function box(lines: Lines, hitbox: Hitbox, colour: THREE.Color): void {
  rotation.copy(hitbox.rotation as THREE.Quaternion);
  const { x: hx, y: hy, z: hz } = hitbox.half;
  const corner = (i: number, into: THREE.Vector3): THREE.Vector3 =>
    into.set(i & 1 ? hx : -hx, i & 2 ? hy : -hy, i & 4 ? hz : -hz).applyQuaternion(rotation).add(a);
  for (let i = 0; i < 8; i++) {
    for (const bit of [1, 2, 4]) {
      if (i & bit) continue;
      corner(i, from);
      corner(i | bit, to);
      edge(lines, colour);
    }
  }
}
