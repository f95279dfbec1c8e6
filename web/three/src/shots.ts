// What is seen of shots: a bright trace of each that is gone at once, and a flash where it ended, as large as
// the blast if there is one. Start at Shots.read.
import type { Point } from "@backstep/client";
import * as THREE from "three";
import type { DrawableRoots } from "./session.js";

const MAX = 96; // traces, and flashes
const TRACE_TIME = 0.14; // seconds
const FLASH_TIME = 0.3;
const THICKNESS = 0.04; // metres
const IMPACT = 0.16; // radius of the flash of a shot without a blast, metres
const MUZZLE = new THREE.Vector3(0.3, -0.3, -1.2); // of the player's own gun, in the camera's space
const COLOUR = 0xffb52e;

/** Something bright that shrinks. */
interface Glow {
  left: number; // seconds
  lasts: number;
  matrix: THREE.Matrix4;
}

/** Shrinking objects of one shape in one draw call. */
class Glows {
  readonly mesh: THREE.InstancedMesh;
  private list: Glow[] = [];
  private readonly matrix = new THREE.Matrix4();
  private readonly scale = new THREE.Vector3();

  /** shrink sets the scale of an object of which that share of its time is left. */
  constructor(geometry: THREE.BufferGeometry, opacity: number, private readonly shrink: (scale: THREE.Vector3, left: number) => void) {
    const material = new THREE.MeshBasicMaterial({ color: COLOUR, opacity, transparent: opacity < 1, depthWrite: opacity === 1, fog: false, toneMapped: false });
    this.mesh = new THREE.InstancedMesh(geometry, material, MAX);
    this.mesh.frustumCulled = false;
    this.mesh.count = 0;
  }

  add(matrix: THREE.Matrix4, lasts: number): void {
    if (this.list.length === MAX) this.list.shift();
    this.list.push({ left: lasts, lasts, matrix });
  }

  /** Lets all shrink by dt seconds. */
  advance(dt: number): void {
    for (const glow of this.list) glow.left -= dt;
    this.list = this.list.filter((glow) => glow.left > 0);
    this.mesh.count = this.list.length;
    this.list.forEach(({ left, lasts, matrix }, i) => {
      this.shrink(this.scale, left / lasts);
      this.mesh.setMatrixAt(i, this.matrix.copy(matrix).scale(this.scale));
    });
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}

/** The shots of everybody: two draw calls while there are any. */
export class Shots {
  readonly group = new THREE.Group();
  private readonly traces = new Glows(new THREE.BoxGeometry(1, 1, 1).translate(0, 0, 0.5), 1, (scale, left) => scale.set(left, left, 1));
  private readonly flashes = new Glows(new THREE.IcosahedronGeometry(1, 2), 0.6, (scale, left) => scale.setScalar(Math.sqrt(left)));
  private readonly from = new THREE.Vector3();
  private readonly to = new THREE.Vector3();
  private readonly muzzle = new THREE.Vector3();

  constructor() {
    this.group.add(this.traces.mesh, this.flashes.mesh);
  }

  /** Adds what was shot in this frame: by the player from its gun before the camera, or from its eye if
   * another camera sees it. */
  read(view: DrawableRoots["view"], events: DrawableRoots["view"]["events"], shots: DrawableRoots["view"]["shots"], first: THREE.Camera | undefined): void {
    for (const { claim, eye, outcomes } of shots) {
      if (view.weapons[claim.weapon]?.kind !== "hitscan") continue;
      const from = first === undefined ? this.muzzle.set(eye.x, eye.y - 0.3, eye.z) : this.muzzle.copy(MUZZLE).applyMatrix4(first.matrixWorld);
      for (const { kind, point } of outcomes) this.trace(from, point, kind !== "nothing");
    }
    for (const event of events) {
      if (event.kind === "shotSeen" && view.weapons[event.weapon]?.kind === "hitscan") {
        for (const to of [event.to, ...event.points]) this.trace(event.from, to, true);
      }
      if (event.kind === "detonated" && !event.corrected) this.flash(event.to, view.weapons[event.weapon]?.blast.radius || 2 * IMPACT);
    }
  }

  /** Lets all shrink by dt seconds. */
  advance(dt: number): void {
    this.traces.advance(dt);
    this.flashes.advance(dt);
  }

  private trace(from: Point, to: Point, hit: boolean): void {
    const length = this.from.copy(from).distanceTo(this.to.copy(to));
    if (length < 0.01) return;
    const matrix = new THREE.Matrix4().lookAt(this.to, this.from, THREE.Object3D.DEFAULT_UP); // +Z towards to
    this.traces.add(matrix.scale(new THREE.Vector3(THICKNESS, THICKNESS, length)).setPosition(this.from), TRACE_TIME);
    if (hit) this.flash(to, IMPACT);
  }

  private flash({ x, y, z }: Point, radius: number): void {
    this.flashes.add(new THREE.Matrix4().makeScale(radius, radius, radius).setPosition(x, y, z), FLASH_TIME);
  }
}
