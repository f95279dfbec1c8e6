// The level of a session and its moving bodies, as the core has them. Start at Level.show.
import type { Session } from "@backstep/client";
import * as THREE from "three";
import { disposeLevel, levelObject, paintBySlope, paintMoving, type Paint } from "./level.js";
import type { DrawableRoots } from "./session.js";

/** Draws what stands still and what moves. */
export class Level {
  readonly group = new THREE.Group();
  private readonly bodies: THREE.Group[] = [];
  private hash: string | undefined;

  constructor(private readonly session: Session<DrawableRoots>, private readonly paint: Paint | undefined) {}

  /** Moves the bodies to where they are in this frame. The triangles are fetched once, and again if the
   * server has changed the level. */
  show(): void {
    const { session } = this;
    if (session.joinInfo.level !== this.hash) this.load();
    session.bodies.forEach((pose, i) => {
      const body = this.bodies[i] ?? this.add(i);
      body.position.copy(pose.translation);
      body.quaternion.copy(pose.rotation as THREE.Quaternion);
    });
  }

  private load(): void {
    for (const old of this.group.children) disposeLevel(old as THREE.Group);
    this.group.clear();
    this.bodies.length = 0;
    this.hash = this.session.joinInfo.level;
    this.group.add(levelObject(this.session.triangles(0), this.paint ?? paintBySlope));
  }

  private add(i: number): THREE.Group {
    const body = levelObject(this.session.triangles(i + 1), this.paint ?? paintMoving);
    this.group.add(body);
    return (this.bodies[i] = body);
  }
}
