// The level of a session and its moving bodies, from the core's triangles or from a model of the page's. Start
// at Level.show.
import type { Session } from "@backstep/client";
import * as THREE from "three";
import { disposeLevel, levelObject, paintBySlope, paintMoving, type Paint } from "./level.js";
import { volumeObject } from "./volumes.js";
import type { DrawableRoots } from "./session.js";

/** The part of a node's extras (docs/level.md) that is drawn. */
export interface LevelExtras {
  body?: object;
  volume?: { water?: boolean; launch?: number[] };
}

/** Returns the extras of a node of a glTF level: an object, or JSON text as Blender exports it. */
export function extrasOf(node: THREE.Object3D): LevelExtras {
  const extras: unknown = node.userData["backstep"];
  if (typeof extras !== "string") return (extras ?? {}) as LevelExtras;
  try {
    return JSON.parse(extras) as LevelExtras;
  } catch {
    return {}; // the server rejects such a level
  }
}

/** Draws what stands still and what moves. */
export class Level {
  readonly group = new THREE.Group();
  private readonly bodies: THREE.Object3D[] = [];
  private readonly volumes = new THREE.Group();
  private hash: string | undefined;

  /** look is how the faces are painted, or a model of the level. */
  constructor(private readonly session: Session<DrawableRoots>, private readonly look: Paint | THREE.Object3D | undefined) {
    this.group.add(this.volumes);
    if (!isModel(look)) return;
    this.bodies = separateBodies(look);
    this.group.add(look, ...this.bodies);
  }

  /** Moves the bodies to where they are in this frame. The triangles are fetched once, and again if the
   * server has changed the level. */
  show(): void {
    const { session, look } = this;
    if (session.joinInfo.level !== this.hash) this.begin();
    if (!isModel(look)) this.addBodies(look);
    session.bodies.forEach((pose, i) => {
      this.bodies[i]?.position.copy(pose.translation);
      this.bodies[i]?.quaternion.copy(pose.rotation as THREE.Quaternion);
    });
  }

  /** Begins with another level: what stands still, and the volumes. */
  private begin(): void {
    const { session, group, volumes, look, bodies } = this;
    this.hash = session.joinInfo.level;
    disposeLevel(volumes);
    volumes.clear();
    for (const volume of session.volumes()) {
      const object = volumeObject(volume);
      if (object !== undefined) volumes.add(object);
    }
    if (isModel(look)) return;
    for (const old of group.children) disposeLevel(old);
    group.clear();
    bodies.length = 0;
    group.add(volumes, levelObject(session.triangles(0), look ?? paintBySlope));
  }

  /** Adds the moving bodies that are not there yet, from the core's triangles. */
  private addBodies(paint: Paint | undefined): void {
    const { session, group, bodies } = this;
    while (bodies.length < session.bodies.length) {
      const body = levelObject(session.triangles(bodies.length + 1), paint ?? paintMoving);
      bodies.push(body);
      group.add(body);
    }
  }
}

/** Whether a look is a model. Not by instanceof: a project can have a second copy of three, whose classes are others. */
function isModel(look: Paint | THREE.Object3D | undefined): look is THREE.Object3D {
  return typeof look === "object";
}

function isMesh(object: THREE.Object3D): object is THREE.Mesh { return (object as Partial<THREE.Mesh>).isMesh === true; }

/** Takes the moving bodies out of a glTF level and returns them in the order of their nodes, which is that of
 * session.bodies. Hides volumes, and gives all meshes shadows. */
export function separateBodies(model: THREE.Object3D): THREE.Object3D[] {
  const bodies: THREE.Object3D[] = [];
  const nodes: THREE.Object3D[] = [];
  model.updateMatrixWorld(true);
  model.traverse((node) => {
    const extras = extrasOf(node);
    if (extras.body !== undefined) nodes.push(node);
    if (extras.volume !== undefined || node.userData["hidden"] === true) node.visible = false;
    if (isMesh(node)) node.castShadow = node.receiveShadow = true;
  });
  for (const node of nodes) {
    const body = new THREE.Group(); // where the node is, and not turned: so the core has its poses
    body.position.setFromMatrixPosition(node.matrixWorld);
    body.updateMatrixWorld();
    bodies.push(body.attach(node));
  }
  return bodies;
}
