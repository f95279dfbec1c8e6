// Where the camera stands: over the shoulder, in the eye, above, or where the page places it. Start at PlayerCamera and
// EyeHeight.
import type { Point } from "@backstep/client";
import * as THREE from "three";
import { clamp, ease } from "./math.js";

/** Places the camera of a page's own, such as one from the side or a spectator's: it sets position and rotation in each
 * frame before players, names and sky are drawn; dt is seconds since the last frame. */
export type PlaceCamera = (camera: THREE.PerspectiveCamera, dt: number) => void;

/** Where the camera stands. third: behind the player's shoulder, before any wall. first: in its eye. top:
 * above it, with −Z up the screen. A function places it itself. */
export type CameraMode = "third" | "first" | "top" | PlaceCamera;

/** Distances of the cameras, metres. They are read in each frame, so a page may change them. */
export interface CameraOptions {
  /** Of the third-person camera behind the eye. By default 4. */
  distance?: number;
  /** To the right of the eye. By default 0.5. On a screen that is higher than wide, less by the same ratio. */
  shoulder?: number;
  /** Of the top camera above the player. By default 14. */
  height?: number;
}

const MAX_STEP = 0.5; // metres; a higher one is a jump
const RADIUS = 0.2; // of the ball that keeps the camera off walls, metres
const ABOVE = 0.4; // the eye, third person
const TILT = 0.28; // of the top camera, as a share of its height
const MIN_HORIZONTAL = 60; // degrees

/** Returns the vertical field of view for a screen of an aspect, width by height: fov, or as much more as shows 60°
 * from left to right. Degrees. */
export function verticalFov(fov: number, aspect: number): number {
  const { degToRad, radToDeg } = THREE.MathUtils;
  return Math.max(fov, radToDeg(2 * Math.atan(Math.tan(degToRad(MIN_HORIZONTAL / 2)) / aspect)));
}

/** What the eye is smoothed by. */
export interface EyeState {
  /** Of the feet. */
  position: Point;
  /** Height of the eye above them. */
  eye: number;
  velocity: Point;
  walking: boolean;
}

/** Smooths the height of the eye: crouching takes time, and stairs are a slope. */
export class EyeHeight {
  private height = 0;
  private step = 0;
  private lastY = 0;
  private started = false;

  /** Begins anew, after a respawn. */
  reset(): void {
    this.started = false;
  }

  /** Returns how high the eye is drawn above the feet, metres; dt is seconds since the last frame. */
  advance(state: EyeState, dt: number): number {
    this.height = this.started ? ease(this.height, state.eye, 14, dt) : state.eye;
    this.smoothStep(state, dt);
    this.started = true;
    return this.height - this.step;
  }

  /** While walking, a change of height beyond what the velocity explains is a step; the camera follows it
   * smoothly. */
  private smoothStep({ position, velocity, walking }: EyeState, dt: number): void {
    const rise = position.y - this.lastY - velocity.y * dt; // a lift's velocity is in the player's
    this.lastY = position.y;
    const along = Math.hypot(velocity.x, velocity.z) * dt * 1.3 + 0.01; // slopes up to 50° are not steps
    if (!this.started || !walking || Math.abs(rise) > MAX_STEP) this.step = 0;
    else if (Math.abs(rise) > along) this.step = clamp(this.step + rise, MAX_STEP);
    this.step = ease(this.step, 0, 13, dt);
  }
}

/** Moves a ball through the level: the share of the way to the first touch. */
export type Sweep = (from: Point, delta: Point, radius: number) => number;

/** Places the camera of a mode. */
export class PlayerCamera {
  private reach = 0; // share of the way to the third-person camera, eased outwards
  private readonly way = new THREE.Vector3();
  private readonly right = new THREE.Vector3();

  constructor(private readonly options: CameraOptions, private readonly sweep: Sweep) {}

  /** Whether the player's own figure would be in the way. */
  hides(mode: CameraMode): boolean {
    return mode === "first" || (mode === "third" && this.reach * this.distance < 0.9);
  }

  /** Places the camera for an eye that looks along yaw and pitch; dt is seconds since the last frame. */
  place(camera: THREE.PerspectiveCamera, mode: CameraMode, eye: THREE.Vector3, yaw: number, pitch: number, dt: number): void {
    if (typeof mode === "function") {
      mode(camera, dt);
      return;
    }
    camera.rotation.set(pitch, yaw, 0, "YXZ");
    camera.position.copy(eye);
    if (mode === "third") this.standBehind(camera, dt);
    else if (mode === "top") this.standAbove(camera, eye);
  }

  private get distance(): number {
    return this.options.distance ?? 4;
  }

  /** Returns the line through the middle of the third-person camera's picture, from beside the player on. */
  sight(eye: THREE.Vector3, yaw: number, pitch: number, aspect: number): THREE.Ray {
    const rotation = new THREE.Quaternion().setFromEuler(new THREE.Euler(pitch, yaw, 0, "YXZ"));
    const ray = new THREE.Ray(eye.clone(), new THREE.Vector3(0, 0, -1).applyQuaternion(rotation));
    this.standBeside(ray.origin, rotation, aspect);
    return ray;
  }

  /** First to the side, then back, each as far as the level allows. */
  private standBehind(camera: THREE.PerspectiveCamera, dt: number): void {
    this.standBeside(camera.position, camera.quaternion, camera.aspect);
    const way = this.way.set(0, 0, this.distance).applyQuaternion(camera.quaternion);
    const free = this.sweep(camera.position, way, RADIUS);
    this.reach = free < this.reach ? free : ease(this.reach, free, 6, dt);
    camera.position.addScaledVector(way, this.reach);
  }

  /** Moves an eye over the shoulder. The way there ends a radius before a wall: a way back that begins at a wall and
   * leads into it has length 0. */
  private standBeside(eye: THREE.Vector3, rotation: THREE.Quaternion, aspect: number): void {
    const shoulder = (this.options.shoulder ?? 0.5) * Math.min(aspect, 1);
    const right = this.right.set(1, 0, 0).applyQuaternion(rotation).multiplyScalar(shoulder);
    right.y += ABOVE;
    const side = right.length();
    right.setLength(side + RADIUS);
    const room = this.sweep(eye, right, RADIUS) * (side + RADIUS) - RADIUS;
    eye.addScaledVector(right.normalize(), Math.max(room, 0));
  }

  private standAbove(camera: THREE.Camera, eye: THREE.Vector3): void {
    const height = this.options.height ?? 14;
    camera.position.y += height;
    camera.position.z += TILT * height;
    camera.lookAt(eye);
  }
}
