// The ropes of grappling hooks, drawn in one call. Start at Ropes.
import * as THREE from "three";

const MAX_ROPES = 32;

/** The ropes of one frame: clear, then add one per hook. */
export class Ropes {
  readonly mesh: THREE.InstancedMesh;
  private readonly dummy = new THREE.Object3D();

  constructor() {
    const material = new THREE.MeshBasicMaterial({ color: 0x2b2f36 });
    this.mesh = new THREE.InstancedMesh(new THREE.BoxGeometry(0.018, 0.018, 1), material, 2 * MAX_ROPES);
    this.mesh.frustumCulled = false;
    this.mesh.count = 0;
  }

  /** Removes all ropes. */
  clear(): void {
    this.mesh.count = 0;
  }

  /** Adds a rope with a claw at its end. */
  stretch(from: THREE.Vector3, to: THREE.Vector3): void {
    if (this.mesh.count + 2 > 2 * MAX_ROPES) return;
    const length = from.distanceTo(to);
    if (length < 0.05) return;
    this.dummy.position.lerpVectors(from, to, 0.5);
    this.dummy.lookAt(to);
    this.dummy.scale.set(1, 1, length);
    this.put();
    this.dummy.position.copy(to);
    this.dummy.scale.set(8, 8, 0.15);
    this.put();
  }

  private put(): void {
    this.dummy.updateMatrix();
    this.mesh.setMatrixAt(this.mesh.count++, this.dummy.matrix);
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}
