// Rigid bodies, one draw call for each shape, and other entities. Start at Bodies and Entities.
import type { Point } from "@backstep/client";
import * as THREE from "three";
import { RoundedBoxGeometry } from "three/addons/geometries/RoundedBoxGeometry.js";
import { paintTexture } from "./canvas.js";
import { characterView, FigurePlacer, removeFigure, type Figure } from "./figure.js";
import type { DrawnBody, OtherEntity, Remote } from "./session.js";

const MAX_DRAWN = 256; // in one draw call
const WHITE = new THREE.Color(1, 1, 1);
const COLOURS = [0xe8503a, 0xf2b632, 0x3f9be0, 0x58b85c, 0xb565d8, 0xf07fb0].map((colour) => new THREE.Color(colour));

/** Many objects of one shape in one draw call: set count to 0, put each, in every frame. */
export class Instances {
  readonly mesh: THREE.InstancedMesh;

  /** colours are given out by id. */
  constructor(geometry: THREE.BufferGeometry, material: THREE.Material, readonly colours: readonly THREE.Color[] = [WHITE]) {
    this.mesh = new THREE.InstancedMesh(geometry, material, MAX_DRAWN);
    this.mesh.setColorAt(0, WHITE);
    this.mesh.count = 0;
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
  }

  /** Whether there is no room for another. */
  get full(): boolean {
    return this.mesh.count === MAX_DRAWN;
  }

  put(transform: THREE.Matrix4, id: number): void {
    if (this.full) return;
    const i = this.mesh.count++;
    this.mesh.setMatrixAt(i, transform);
    this.mesh.setColorAt(i, this.colours[id % this.colours.length] ?? WHITE);
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor !== null) this.mesh.instanceColor.needsUpdate = true;
  }
}

/** Bodies of one kind, shape and size. */
interface BodyModel extends Point {
  kind: number;
  shape: string;
  instances: Instances;
}

/** Rigid bodies in the shapes and sizes that the game gave them. */
export class Bodies {
  readonly group = new THREE.Group();
  private readonly models: BodyModel[] = [];
  private readonly transform = new THREE.Matrix4();
  private readonly position = new THREE.Vector3();
  private readonly rotation = new THREE.Quaternion();
  private readonly one = new THREE.Vector3(1, 1, 1);

  /** Draws these bodies and no others. */
  show(bodies: readonly DrawnBody[]): void {
    for (const { instances } of this.models) instances.mesh.count = 0;
    for (const body of bodies) {
      const { position, rotation, transform } = this;
      transform.compose(position.copy(body.position), rotation.copy(body.rotation as THREE.Quaternion), this.one);
      this.model(body).put(transform, body.id);
    }
  }

  private model({ kind, shape, half }: DrawnBody): Instances {
    const { x, y, z } = half;
    for (const model of this.models) { // few; a key for each body and frame would be text to collect
      if (model.kind === kind && model.shape === shape && model.x === x && model.y === y && model.z === z && !model.instances.full) return model.instances;
    }
    const instances = new Instances(bodyGeometry(shape, half), new THREE.MeshLambertMaterial({ map: shape === "box" ? framed() : striped() }), COLOURS);
    this.models.push({ kind, shape, x, y, z, instances });
    this.group.add(instances.mesh);
    return instances;
  }
}

/** What is kept of an entity between frames. */
interface ShownEntity {
  object: THREE.Object3D | undefined;
  kind: number;
  seen: number;
}

/** Entities that are neither players nor rigid bodies, an object for each. */
export class Entities<E extends OtherEntity> {
  readonly group = new THREE.Group();
  private readonly shown = new Map<number, ShownEntity>();
  private readonly placer = new FigurePlacer();
  private frame = 0;

  constructor(private readonly make: (entity: E) => THREE.Object3D | undefined = brightBalls()) {}

  /** Draws these entities, without those that are among bodies, and no others. */
  show(entities: readonly E[], bodies: readonly DrawnBody[], dt: number): void {
    this.frame++;
    const drawn = new Set(bodies.map((body) => body.id));
    for (const entity of entities) if (!drawn.has(entity.id)) this.place(entity, dt);
    for (const [id, shown] of this.shown) if (shown.seen !== this.frame) this.remove(id, shown);
  }

  /** Returns those of the entities that a Figure draws. */
  characters(entities: readonly OtherEntity[]): Remote[] {
    return entities.filter(isRemote).filter(({ id }) => isFigure(this.shown.get(id)?.object));
  }

  private place(entity: E, dt: number): void {
    const { id, kind } = entity;
    let shown = this.shown.get(id);
    if (shown?.kind !== kind) {
      if (shown !== undefined) this.remove(id, shown); // another entity with the same id
      shown = { object: this.make(entity), kind, seen: 0 };
      this.shown.set(id, shown);
      if (shown.object !== undefined) this.group.add(shown.object);
    }
    shown.seen = this.frame;
    if (isFigure(shown.object) && isRemote(entity)) {
      this.placer.place(shown.object, characterView(entity), dt);
      return;
    }
    shown.object?.position.copy(entity.position);
    const { x, y, z, w } = entity.rotation;
    if (x !== 0 || y !== 0 || z !== 0 || w !== 0) shown.object?.quaternion.set(x, y, z, w);
    else if (entity.yaw !== 0) shown.object?.rotation.set(0, entity.yaw, 0);
  }

  private remove(id: number, { object }: ShownEntity): void {
    if (object !== undefined) removeFigure(this.group, object);
    this.shown.delete(id);
  }
}

function isFigure(object: THREE.Object3D | undefined): object is Figure { return object !== undefined && "update" in object; }

/** Whether an entity has the pose of a character: all that the server sends have one, and projectiles of the
 * player's own have none. */
function isRemote(entity: OtherEntity): entity is OtherEntity & Remote {
  return "stance" in entity;
}

/** Returns what makes small bright balls, which share their geometry and material. */
function brightBalls(): () => THREE.Object3D {
  const shape = new THREE.SphereGeometry(0.14, 16, 12);
  const material = new THREE.MeshLambertMaterial({ color: 0xffd24a, emissive: 0xff9a1f, emissiveIntensity: 0.6 });
  return () => {
    const ball = new THREE.Mesh(shape, material);
    ball.castShadow = true;
    return ball;
  };
}

/** Returns the geometry of a body's shape. */
export function bodyGeometry(shape: string, { x, y, z }: Point): THREE.BufferGeometry {
  switch (shape) {
    case "box":
      return new RoundedBoxGeometry(2 * x, 2 * y, 2 * z, 2, 0.12 * Math.min(x, y, z));
    case "capsule":
      return new THREE.CapsuleGeometry(x, 2 * (y - x), 8, 20);
    default:
      return new THREE.SphereGeometry(x, 24, 16);
  }
}

/** A texture with bands, which make rolling visible. */
export function striped(): THREE.Texture {
  return paintTexture(64, (on, size) => {
    on.fillStyle = "#ffffff";
    on.fillRect(0, 0, size, size);
    on.fillStyle = "#c9c9c9";
    for (const x of [0, 0.5]) on.fillRect(x * size, 0, 0.25 * size, size);
  });
}

/** A texture with a darker frame, for the faces of boxes. */
function framed(): THREE.Texture {
  return paintTexture(64, (on, size) => {
    on.fillStyle = "#ffffff";
    on.fillRect(0, 0, size, size);
    on.strokeStyle = "#c4c8ce";
    on.lineWidth = size / 7;
    on.strokeRect(0, 0, size, size);
  });
}
