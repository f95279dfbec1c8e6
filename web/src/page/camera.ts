// The first-person camera: the core's eye position, smoothed, and the fall of a dead player. Start at
// FirstPersonCamera.
import { ease, EyeHeight } from "@backstep/three/parts";
import type * as THREE from "three";
import { calm } from "./dom";
import { WALKING, type Self } from "./self";

/** Follows the player's own character. */
export class FirstPersonCamera {
  private readonly eye = new EyeHeight();
  private fallen = 0;

  /** Places the camera; dt is seconds since the last frame. */
  follow(self: Self, yaw: number, pitch: number, camera: THREE.PerspectiveCamera, dt: number): void {
    if (this.fallen > 0.5 && !self.dead) this.eye.reset();
    this.fallen = self.dead ? ease(this.fallen, 1, 4, dt) : 0;
    const { position, velocity } = self;
    const height = this.eye.advance({ position, eye: self.eye, velocity, walking: self.mode === WALKING }, dt);
    const sunk = this.fallen * (height - 0.35);
    camera.position.set(position.x, position.y + height - sunk, position.z);
    camera.rotation.set(pitch, yaw, self.dead && !calm() ? this.fallen * 0.5 : 0);
  }
}
