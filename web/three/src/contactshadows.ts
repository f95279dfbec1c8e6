// Soft round shadows on the ground below players: without them nobody sees how high a figure is, and phones
// draw no others. Start at ContactShadows.
import type { Point } from "@backstep/client";
import * as THREE from "three";
import type { Sweep } from "./camera.js";
import { paintTexture } from "./canvas.js";

const MAX = 128;
const REACH = 6; // metres below the feet
const LIFT = 0.02; // metres over the ground
const START = 0.3; // metres above the feet
const RADIUS = 0.05; // of the ball that looks for the ground

/** All shadows in one draw call: begin, add each, in every frame. */
export class ContactShadows {
  readonly mesh: THREE.InstancedMesh;
  private readonly matrix = new THREE.Matrix4();

  constructor(private readonly sweep: Sweep) {
    const map = paintTexture(64, (on, size) => {
      const shade = on.createRadialGradient(32, 32, 4, 32, 32, 32);
      shade.addColorStop(0, "rgba(0,0,0,0.5)");
      shade.addColorStop(1, "rgba(0,0,0,0)");
      on.fillStyle = shade;
      on.fillRect(0, 0, size, size);
    });
    const material = new THREE.MeshBasicMaterial({ map, transparent: true, depthWrite: false, toneMapped: false });
    this.mesh = new THREE.InstancedMesh(new THREE.PlaneGeometry(1, 1).rotateX(-Math.PI / 2), material, MAX);
    this.mesh.frustumCulled = false;
    this.begin();
  }

  /** Removes all shadows. */
  begin(): void {
    this.mesh.count = 0;
  }

  /** Adds the shadow of a player with its feet there: smaller, the higher they are. */
  add({ x, y, z }: Point): void {
    if (this.mesh.count === MAX) return;
    const way = REACH + START;
    const below = this.sweep({ x, y: y + START, z }, { x: 0, y: -way, z: 0 }, RADIUS) * way - START + RADIUS;
    if (below > REACH) return;
    const size = 0.95 * (1 - Math.max(below, 0) / REACH);
    this.matrix.makeScale(size, 1, size).setPosition(x, y - below + LIFT, z);
    this.mesh.setMatrixAt(this.mesh.count++, this.matrix);
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}
