// The level of a session and its movers, from the core's triangles or from a model of the page's. Start
// at Level.show.
import type { Session } from "@backstep/client";
import * as THREE from "three";
import { disposeObjects } from "./dispose.js";
import { levelObject, paintBySlope, paintMoving, type Paint } from "./level.js";
import { volumeObject } from "./volumes.js";
import type { DrawableRoots } from "./session.js";

/** The part of a node's extras (docs/level.md) that is drawn. */
export interface LevelExtras {
  mover?: object;
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

/** How a level is drawn: its faces are painted, by default by slope, or a model is drawn in their place. */
export type Look = Paint | THREE.Object3D | undefined;

/** Draws what stands still and what moves. */
export class Level {
  readonly group = new THREE.Group();
  private readonly movers: THREE.Object3D[] = [];
  private readonly volumes = new THREE.Group();
  private hash: string | undefined;
  private look: Look;

  constructor(private readonly session: Session<DrawableRoots>) {}

  /** Draws the level of the session, which the server may have changed, with its movers where they are in this frame. */
  show(look: Look): void {
    const { session } = this;
    if ((session.joinInfo.level !== this.hash || look !== this.look) && !this.begin(look)) return;
    if (!this.group.children.includes(look as THREE.Object3D)) this.addBodies();
    session.movers.forEach((pose, i) => {
      this.movers[i]?.position.copy(pose.translation);
      this.movers[i]?.quaternion.copy(pose.rotation as THREE.Quaternion);
    });
  }

  /** Begins with another level, or another look. A model that was drawn for the level before is not drawn for this
   * one: until there is another model, its faces are. Returns false while the core has no level. */
  private begin(look: Look): boolean {
    const { session, group, volumes, movers } = this;
    const triangles = session.triangles(0);
    if (triangles.length === 0 && session.link.status !== "open") return false; // as while the core restarts
    const model = isModel(look) && look !== this.look ? look : undefined;
    for (const old of group.children) if (old !== this.look) disposeObjects(old); // the volumes too
    group.clear();
    volumes.clear();
    [this.hash, this.look] = [session.joinInfo.level, look];
    for (const volume of session.volumes()) {
      const object = volumeObject(volume);
      if (object !== undefined) volumes.add(object);
    }
    movers.splice(0, Infinity, ...(model === undefined ? [] : separateMovers(model)));
    group.add(volumes, model ?? levelObject(triangles, this.paint ?? paintBySlope), ...movers);
    return true;
  }

  /** Adds the movers that are not there yet, from the core's triangles. */
  private addBodies(): void {
    const { session, group, movers } = this;
    while (movers.length < session.movers.length) {
      const mover = levelObject(session.triangles(movers.length + 1), this.paint ?? paintMoving);
      movers.push(mover);
      group.add(mover);
    }
  }

  private get paint(): Paint | undefined {
    return isModel(this.look) ? undefined : this.look;
  }
}

/** Whether a look is a model. Not by instanceof: a project can have a second copy of three, whose classes are others. */
function isModel(look: Look): look is THREE.Object3D {
  return typeof look === "object";
}

function isMesh(object: THREE.Object3D): object is THREE.Mesh { return (object as Partial<THREE.Mesh>).isMesh === true; }

/** The movers of models that have none any more: a page can draw the same model in its next match. */
const separated = new WeakMap<THREE.Object3D, THREE.Object3D[]>();

/** Takes the movers out of a glTF level and returns them in the order of their nodes, which is that of
 * session.movers; again those if it is called again. Hides volumes, and gives all meshes shadows. */
export function separateMovers(model: THREE.Object3D): THREE.Object3D[] {
  const before = separated.get(model);
  if (before !== undefined) return before;
  const movers: THREE.Object3D[] = [];
  separated.set(model, movers);
  const nodes: THREE.Object3D[] = [];
  model.updateMatrixWorld(true);
  model.traverse((node) => {
    const extras = extrasOf(node);
    if (extras.mover !== undefined) nodes.push(node);
    if (extras.volume !== undefined || node.userData["hidden"] === true) node.visible = false;
    if (isMesh(node)) node.castShadow = node.receiveShadow = true;
  });
  for (const node of nodes) {
    const mover = new THREE.Group(); // where the node is, and not turned: so the core has its poses
    mover.position.setFromMatrixPosition(node.matrixWorld);
    mover.updateMatrixWorld();
    movers.push(mover.attach(node));
  }
  return movers;
}
