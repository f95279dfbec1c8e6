// The camera of a replay: a player's eyes, or a free camera. Start at ReplayCamera.
import * as THREE from "three";
import { clamp, ease } from "@backstep/three/parts";
import type { EntitySample } from "./samples";

const EYE = 1.52;
const CROUCHED_EYE = 0.72;
const DEAD_EYE = 0.35;
const SPEED = 9; // m/s
const FAST_FACTOR = 3; // with Shift
const MAX_PITCH = 1.55;
const SENSITIVITY = 0.004; // radians per pixel

/** Direction of each key: right, up, backwards. */
const KEYS: Readonly<Record<string, [number, number, number]>> = {
  KeyW: [0, 0, -1], KeyS: [0, 0, 1], KeyA: [-1, 0, 0], KeyD: [1, 0, 0], KeyE: [0, 1, 0], KeyQ: [0, -1, 0],
};

/** Controls the camera of the stage. */
export class ReplayCamera {
  private readonly position = new THREE.Vector3(0, 15, 30);
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
    window.addEventListener("keyup", (e) => (e.code.startsWith("Meta") ? this.held.clear() : this.held.delete(e.code))); // while Cmd is held, a Mac does not report which keys go up
    window.addEventListener("blur", () => this.held.clear());
  }

  /** Whether a movement key of the free camera is held. */
  get moved(): boolean {
    return Object.keys(KEYS).some((key) => this.held.has(key));
  }

  /** Places the free camera. */
  place(x: number, y: number, z: number, yaw: number, pitch: number): void {
    this.position.set(x, y, z);
    this.yaw = yaw;
    this.pitch = pitch;
  }

  /** Looks through a player's eyes; the free camera continues from there. */
  follow(player: EntitySample, dt: number, cut: boolean): void {
    const height = player.dead ? DEAD_EYE : player.crouched ? CROUCHED_EYE : EYE;
    this.height = cut ? height : ease(this.height, height, 12, dt);
    const { x, y, z } = player.position;
    this.place(x, y + this.height, z, player.yaw, player.pitch);
    this.apply();
  }

  /** Moves the free camera by the held keys. */
  fly(dt: number): void {
    this.step.set(0, 0, 0);
    for (const [key, direction] of Object.entries(KEYS)) if (this.held.has(key)) this.step.add(new THREE.Vector3(...direction));
    const fast = this.held.has("ShiftLeft") || this.held.has("ShiftRight") ? FAST_FACTOR : 1;
    this.step.applyEuler(new THREE.Euler(this.pitch, this.yaw, 0, "YXZ")).multiplyScalar(SPEED * fast * dt);
    this.position.add(this.step);
    this.apply();
  }

  private turn(yaw: number, pitch: number): void {
    this.yaw += yaw;
    this.pitch = clamp(this.pitch + pitch, MAX_PITCH);
  }

  private apply(): void {
    this.camera.position.copy(this.position);
    this.camera.rotation.set(this.pitch, this.yaw, 0);
  }
}
