// The direction of a shot that hits what is in the middle of the screen. Start at aimAt.
import type { Point } from "@backstep/client";
import * as THREE from "three";
import type { Sweep } from "./camera.js";
import { CROUCHED_HEIGHT, HEIGHT, RADIUS } from "./lines.js";

/** Where a player looks, radians: yaw 0 looks along −Z, pitch is positive upwards. */
export interface View {
  yaw: number;
  pitch: number;
}

/** A character that can be in the middle of the screen. */
interface Target {
  readonly position: Point; // of its feet
  readonly up: Point;
  readonly dead: boolean;
  readonly stance: { readonly crouch: number };
}

const REACH = 100; // metres; the point aimed at if nothing is nearer
const BALL = 0.01; // metres, of the ball that is swept along the ray

/** Returns yaw and pitch from the eye to the first point of the level or of a living character on a ray. */
export function aimAt(eye: Point, ray: THREE.Ray, targets: readonly Target[], sweep: Sweep): View {
  let reach = REACH * sweep(ray.origin, ray.direction.clone().multiplyScalar(REACH), BALL);
  for (const target of targets) if (!target.dead) reach = Math.min(reach, distanceTo(target, ray));
  const to = ray.at(reach, new THREE.Vector3()).sub(eye);
  return { yaw: Math.atan2(-to.x, -to.z), pitch: Math.atan2(to.y, Math.hypot(to.x, to.z)) };
}

/** Returns how far along a ray it meets a character's capsule, metres; Infinity if it does not. */
function distanceTo({ position, up, stance }: Target, ray: THREE.Ray): number {
  const height = HEIGHT + (CROUCHED_HEIGHT - HEIGHT) * stance.crouch;
  const end = (by: number): THREE.Vector3 => new THREE.Vector3().copy(up).multiplyScalar(by).add(position);
  const nearest = new THREE.Vector3(); // of its axis
  if (ray.distanceSqToSegment(end(RADIUS), end(height - RADIUS), undefined, nearest) > RADIUS * RADIUS) return Infinity;
  return ray.intersectSphere(new THREE.Sphere(nearest, RADIUS), nearest)?.distanceTo(ray.origin) ?? Infinity;
}
