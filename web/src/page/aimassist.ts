// Aim assist for thumbs: the view turns more slowly while the crosshair is on an opponent. It changes nothing
// that the server sees: a shot goes where the crosshair is. Start at lookFactor.
import type { Vec3 } from "../core";

/** Half the width around a chest in which the view slows down, metres. */
const WIDTH = 0.55;
/** What is added to it at every distance, radians. */
const SLACK = 0.012;
/** Metres. */
const RANGE = 50;
/** The factor on a target. */
const ON_TARGET = 0.5;

/** Returns the factor by which dragging and sticks turn the view: 1 away from targets, down to 0.5 on one. chests are
 * in metres; visible is asked only of those near the crosshair. */
export function lookFactor(eye: Vec3, yaw: number, pitch: number, chests: readonly Vec3[], visible: (at: Vec3) => boolean): number {
  const ahead = { x: -Math.sin(yaw) * Math.cos(pitch), y: Math.sin(pitch), z: -Math.cos(yaw) * Math.cos(pitch) };
  let factor = 1;
  for (const chest of chests) {
    const [dx, dy, dz] = [chest.x - eye.x, chest.y - eye.y, chest.z - eye.z];
    const distance = Math.hypot(dx, dy, dz);
    if (distance > RANGE || distance < WIDTH) continue;
    const away = Math.acos(Math.min(1, (dx * ahead.x + dy * ahead.y + dz * ahead.z) / distance));
    const near = Math.atan(WIDTH / distance) + SLACK;
    const slowed = ON_TARGET + (1 - ON_TARGET) * Math.min(Math.max(away / near - 1, 0), 1);
    if (slowed < factor && visible(chest)) factor = slowed;
  }
  return factor;
}
