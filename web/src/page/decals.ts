// Bullet holes and scorch marks on the level. Start at Decals.add.
import * as THREE from "three";
import { paintTexture, type Sweep } from "@backstep/three/parts";

/** How far before and behind a point its surface is looked for, metres. */
const DEPTH = 0.3;
/** Radius of the ball that feels for the surface, metres. */
const PROBE = 0.005;
/** The most that the probed places may be out of one plane, metres. */
const FLAT = 0.01;
const LIFE = 20; // seconds

type Kind = "hole" | "scorch";

/** A place on a surface and its normal. */
export interface Surface {
  point: THREE.Vector3;
  normal: THREE.Vector3;
}

/** Returns the surface at a point, coming along a direction of length 1; undefined where none is, or one that is not
 * flat for extent metres around. */
export function surfaceAt(sweep: Sweep, at: THREE.Vector3, direction: THREE.Vector3, extent: number): Surface | undefined {
  const aside = new THREE.Vector3(-direction.z, 0, direction.x);
  if (aside.lengthSq() < 0.01) aside.set(1, 0, 0);
  aside.setLength(extent);
  const across = new THREE.Vector3().crossVectors(direction, aside);
  const way = direction.clone().multiplyScalar(2 * DEPTH);
  const probe = (a: number, b: number): THREE.Vector3 | undefined => {
    const from = at.clone().addScaledVector(direction, -DEPTH).addScaledVector(aside, a).addScaledVector(across, b);
    const share = sweep(from, way, PROBE);
    return share > 0 && share < 1 ? from.addScaledVector(way, share) : undefined;
  };
  const [p, q, r, s] = [probe(1, 0), probe(-0.5, 0.87), probe(-0.5, -0.87), probe(0, 0)];
  if (p === undefined || q === undefined || r === undefined || s === undefined) return undefined;
  const normal = new THREE.Vector3().crossVectors(q.clone().sub(p), r.clone().sub(p)).normalize();
  if (normal.dot(direction) > 0) normal.negate();
  return Math.abs(normal.dot(s.clone().sub(p))) < FLAT ? { point: s, normal } : undefined;
}

interface Decal extends Surface {
  left: number; // seconds
  size: number;
  turn: number;
}

/** Marks of one kind; a new one takes the place of the oldest. */
export class Decals {
  readonly mesh: THREE.InstancedMesh;
  private readonly all: Decal[] = [];
  private next = 0;
  private checked = 0;
  private readonly dummy = new THREE.Object3D();

  constructor(kind: Kind, private readonly most: number, private readonly sweep: Sweep) {
    const map = paintTexture(64, kind === "hole" ? paintHole : paintScorch);
    const material = new THREE.MeshBasicMaterial({ map, transparent: true, depthWrite: false, polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -2 });
    this.mesh = new THREE.InstancedMesh(new THREE.PlaneGeometry(1, 1), material, most);
    this.mesh.frustumCulled = false;
    this.mesh.visible = false;
  }

  /** How many there are. */
  get count(): number {
    return this.all.filter(({ left }) => left > 0).length;
  }

  /** Marks the flat surface at a point, coming along a direction of length 1; size in metres. Returns whether there
   * is one. */
  add(at: THREE.Vector3, direction: THREE.Vector3, size: number): boolean {
    const surface = surfaceAt(this.sweep, at, direction, size / 2);
    if (surface === undefined) return false;
    this.all[this.next] = { ...surface, left: LIFE, size, turn: Math.random() * Math.PI };
    this.next = (this.next + 1) % this.most;
    return true;
  }

  /** Advances by dt seconds. One mark a frame is checked: a door or a lift takes its surface away. */
  advance(dt: number): void {
    if (this.all.length === 0) return;
    for (const decal of this.all) decal.left -= dt;
    this.checked = (this.checked + 1) % this.all.length;
    const { point, normal, left } = this.all[this.checked]!;
    if (left > 0 && this.sweep(point.clone().addScaledVector(normal, 0.05), normal.clone().multiplyScalar(-0.1), PROBE) === 1) this.all[this.checked]!.left = 0;
    this.place();
  }

  private place(): void {
    let count = 0;
    for (const { point, normal, left, size, turn } of this.all) {
      if (left <= 0) continue;
      this.dummy.position.copy(point);
      this.dummy.lookAt(this.dummy.position.clone().add(normal));
      this.dummy.rotateZ(turn);
      this.dummy.scale.setScalar(size * Math.min(1, left));
      this.dummy.updateMatrix();
      this.mesh.setMatrixAt(count++, this.dummy.matrix);
    }
    this.mesh.count = count;
    this.mesh.visible = count > 0;
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}

function paintHole(on: CanvasRenderingContext2D, size: number): void {
  const middle = size / 2;
  const shade = on.createRadialGradient(middle, middle, 0, middle, middle, middle);
  for (const [at, colour] of [[0, "rgba(8,8,10,1)"], [0.3, "rgba(14,14,16,0.95)"], [0.42, "rgba(150,145,138,0.8)"], [0.6, "rgba(70,66,62,0.35)"], [1, "rgba(60,58,54,0)"]] as const) shade.addColorStop(at, colour);
  on.fillStyle = shade;
  on.fillRect(0, 0, size, size);
}

function paintScorch(on: CanvasRenderingContext2D, size: number): void {
  const middle = size / 2;
  for (let ray = 0; ray < 40; ray++) {
    const angle = 2.4 * ray; // radians, the golden angle: evenly and without a pattern
    const length = middle * (0.6 + 0.4 * Math.abs(Math.sin(7 * ray)));
    const shade = on.createRadialGradient(middle, middle, 0, middle, middle, length);
    shade.addColorStop(0, "rgba(10,9,8,0.16)");
    shade.addColorStop(1, "rgba(10,9,8,0)");
    on.fillStyle = shade;
    on.beginPath();
    on.moveTo(middle, middle);
    on.arc(middle, middle, length, angle, angle + 0.9);
    on.fill();
  }
}
