// The first-person camera: the core's eye position with crouching and stairs smoothed. Start at
// PlayerCamera.
import type * as THREE from "three";
import { clamp, ease } from "@backstep/three";
import { WALKING, type Self } from "./self";

const MAX_STEP = 0.5;

/** Follows the player's own character. */
export class PlayerCamera {
  private height = 0;
  private step = 0;
  private lastY = 0;
  private fallen = 0;
  private started = false;

  /** Places the camera; dt is seconds since the last frame. */
  follow(self: Self, yaw: number, pitch: number, camera: THREE.PerspectiveCamera, dt: number): void {
    const spawned = !this.started || (this.fallen > 0.5 && !self.dead);
    this.started = true;
    this.height = spawned ? self.eye : ease(this.height, self.eye, 14, dt);
    this.fallen = self.dead ? ease(this.fallen, 1, 4, dt) : 0;
    this.smoothStep(self, spawned, dt);
    const sunk = this.fallen * (this.height - 0.35);
    const { x, y, z } = self.position;
    camera.position.set(x, y + this.height - sunk - this.step, z);
    camera.rotation.set(pitch, yaw, this.fallen * 0.5);
  }

  /** While walking, a change of height beyond what the velocity explains is a step; the camera
   * follows it smoothly. */
  private smoothStep(self: Self, spawned: boolean, dt: number): void {
    const { y } = self.position;
    const rise = y - this.lastY;
    this.lastY = y;
    const along = Math.hypot(self.velocity.x, self.velocity.z) * dt * 1.3 + 0.01; // slopes up to 50° are not steps
    if (spawned || self.mode !== WALKING || Math.abs(rise) > MAX_STEP) this.step = 0;
    else if (Math.abs(rise) > along) this.step = clamp(this.step + rise, MAX_STEP);
    this.step = ease(this.step, 0, 13, dt);
  }
}

