// Where a recording is looked at from: a player's eyes, or a camera that flies freely.
// Start at Lens.
import * as THREE from "three";
import { ease } from "../page/figures";
import type { EntitySample } from "./frames";

const EYE = 1.52;
const CROUCHED_EYE = 0.72;
const DEAD_EYE = 0.35;
const SPEED = 9; // m/s
const FAST_FACTOR = 3; // times that
const MAX_PITCH = 1.55;
const SENSITIVITY = 0.004; // radians a pixel

/** What each key moves: right, up, backwards. */
const KEYS: Readonly<Record<string, [number, number, number]>> = {
  KeyW: [0, 0, -1], KeyS: [0, 0, 1], KeyA: [-1, 0, 0], KeyD: [1, 0, 0], KeyE: [0, 1, 0], KeyQ: [0, -1, 0],
};

/** Moves the camera of the stage. */
export class ReplayCamera {
  private readonly place = new THREE.Vector3(0, 15, 30);
  private yaw = 0;
  private pitch = -0.42;
  private height = EYE;
  private readonly held = new Set<string>();
  private readonly step = new THREE.Vector3();

  constructor(private readonly camera: THREE.PerspectiveCamera, canvas: HTMLCanvasElement) {
    canvas.addEventListener("pointerdown", (e) => canvas.setPointerCapture(e.pointerId));
    canvas.addEventListener("pointermove", (e) => {
      if (canvas.hasPointerCapture(e.pointerId)) this.turn(-e.movementX * SENSITIVITY, -e.movementY * SENSITIVITY);
    });
    window.addEventListener("keydown", (e) => this.held.add(e.code));
    window.addEventListener("keyup", (e) => this.held.delete(e.code));
    window.addEventListener("blur", () => this.held.clear());
  }

  /** Whether a key that moves the free camera is held. */
  get moved(): boolean {
    return Object.keys(KEYS).some((key) => this.held.has(key));
  }

  /** Looks along there from there, freely. */
  put(x: number, y: number, z: number, yaw: number, pitch: number): void {
    this.place.set(x, y, z);
    this.yaw = yaw;
    this.pitch = pitch;
  }

  /** Looks through a player's eyes. The free camera is then there, too. */
  follow(player: EntitySample, dt: number, cut: boolean): void {
    const want = player.dead ? DEAD_EYE : player.crouched ? CROUCHED_EYE : EYE;
    this.height = cut ? want : ease(this.height, want, 12, dt);
    const [x, y, z] = player.position;
    this.put(x, y + this.height, z, player.yaw, player.pitch);
    this.apply();
  }

  /** Flies as the hands want. */
  fly(dt: number): void {
    this.step.set(0, 0, 0);
    for (const [key, way] of Object.entries(KEYS)) if (this.held.has(key)) this.step.add(new THREE.Vector3(...way));
    const fast = this.held.has("ShiftLeft") || this.held.has("ShiftRight") ? FAST_FACTOR : 1;
    this.step.applyEuler(new THREE.Euler(this.pitch, this.yaw, 0, "YXZ")).multiplyScalar(SPEED * fast * dt);
    this.place.add(this.step);
    this.apply();
  }

  private turn(yaw: number, pitch: number): void {
    this.yaw += yaw;
    this.pitch = Math.max(-MAX_PITCH, Math.min(MAX_PITCH, this.pitch + pitch));
  }

  private apply(): void {
    this.camera.position.copy(this.place);
    this.camera.rotation.set(this.pitch, this.yaw, 0);
  }
}
