// Entities other than players: balls, crates, health packs, projectiles; one draw call per kind.
// Start at EntityModels.show.
import * as THREE from "three";
import { RoundedBoxGeometry } from "three/addons/geometries/RoundedBoxGeometry.js";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import type { DrawnEntity } from "../core";
import { Instances, paintTexture, striped } from "@backstep/three/parts";
import { colouredPart, weaponGeometry, weaponMaterial } from "./weaponmodels";

/** The arena's kinds of entities, as the core numbers them (Go: arena.KindBall and so on). */
export const KINDS = { ball: 1, football: 2, crate: 3, health: 4, rocket: 5, grenade: 6 } as const;

/** What is drawn of an entity. */
export type EntityPose = Pick<DrawnEntity, "id" | "kind" | "position" | "velocity" | "rotation" | "asleep">;

const BALL_RADIUS = 0.25; // metres
const CRATE_EDGE = 0.8;
const BALLS = [0xe8503a, 0xf2b632, 0x3f9be0, 0x58b85c, 0xb565d8, 0xf07fb0].map((colour) => new THREE.Color(colour));
const FORWARD = new THREE.Vector3(0, 0, -1);
const TUMBLE_AXIS = new THREE.Vector3(0.8, 0.6, 0).normalize();
const PACK = 0.44; // metres, edge
const PACK_HEIGHT = 0.5;

/** The models of all entities of a match. */
export class EntityModels {
  readonly group = new THREE.Group();
  private readonly models: ReadonlyMap<number, Instances>;
  private readonly transform = new THREE.Matrix4();
  private readonly position = new THREE.Vector3();
  private readonly rotation = new THREE.Quaternion();
  private readonly direction = new THREE.Vector3();
  private readonly one = new THREE.Vector3(1, 1, 1);
  private time = 0;

  constructor() {
    this.models = new Map([
      [KINDS.ball, new Instances(new THREE.SphereGeometry(BALL_RADIUS, 20, 12), new THREE.MeshLambertMaterial({ map: striped() }), BALLS)],
      [KINDS.football, new Instances(football(BALL_RADIUS), new THREE.MeshLambertMaterial({ vertexColors: true }))],
      [KINDS.crate, new Instances(new RoundedBoxGeometry(CRATE_EDGE, CRATE_EDGE, CRATE_EDGE, 1, 0.03), planks())],
      [KINDS.rocket, new Instances(rocket(), new THREE.MeshLambertMaterial({ vertexColors: true, emissive: 0x2a1206 }))],
      [KINDS.grenade, new Instances(weaponGeometry("grenade"), weaponMaterial())],
      [KINDS.health, new Instances(new RoundedBoxGeometry(PACK, PACK, PACK, 2, 0.05), cross())],
    ]);
    for (const model of this.models.values()) this.group.add(model.mesh);
  }

  /** Draws every entity; dt is seconds since the last frame. Unknown kinds are not drawn. */
  show(entities: readonly EntityPose[], dt: number): void {
    this.time = (this.time + dt) % 3600;
    for (const model of this.models.values()) model.mesh.count = 0;
    for (const entity of entities) {
      const model = this.models.get(entity.kind);
      if (model === undefined) continue;
      this.pose(entity);
      model.put(this.transform, entity.id);
    }
  }

  private pose(entity: EntityPose): void {
    const { position, rotation } = this;
    position.copy(entity.position);
    rotation.copy(entity.rotation as THREE.Quaternion);
    if (entity.kind === KINDS.health) {
      position.y += PACK_HEIGHT + 0.06 * Math.sin(this.time * 2 + entity.id);
      rotation.setFromAxisAngle(THREE.Object3D.DEFAULT_UP, this.time * 1.4 + entity.id);
    }
    if (entity.kind === KINDS.rocket) rotation.setFromUnitVectors(FORWARD, this.direction.copy(entity.velocity).normalize());
    else if (entity.kind === KINDS.grenade && !entity.asleep) rotation.setFromAxisAngle(TUMBLE_AXIS, this.time * 9 + entity.id);
    this.transform.compose(position, rotation, this.one);
  }
}

/** A rocket that flies along −Z. */
function rocket(): THREE.BufferGeometry {
  const forward = new THREE.Euler(-Math.PI / 2, 0, 0);
  const parts: [THREE.BufferGeometry, colour: number, z: number][] = [
    [new THREE.CylinderGeometry(0.055, 0.055, 0.34, 12), 0x6f7a3f, 0],
    [new THREE.ConeGeometry(0.055, 0.14, 12), 0xd8452c, -0.24],
    [new THREE.CylinderGeometry(0.03, 0.05, 0.07, 12), 0xffc36b, 0.2],
    [new THREE.BoxGeometry(0.22, 0.1, 0.012), 0x3a424d, 0.14],
    [new THREE.BoxGeometry(0.012, 0.1, 0.22), 0x3a424d, 0.14],
  ];
  return mergeGeometries(parts.map(([geometry, colour, z]) => colouredPart(geometry, colour, 0, 0, z, forward)));
}

/** A football: black around the corners of an icosahedron. */
function football(radius: number): THREE.BufferGeometry {
  const corners = new THREE.IcosahedronGeometry(1, 0).getAttribute("position");
  const geometry = new THREE.IcosahedronGeometry(radius, 6);
  const position = geometry.getAttribute("position");
  const colours = new Float32Array(position.count * 3);
  const centre = new THREE.Vector3();
  const corner = new THREE.Vector3();
  for (let i = 0; i + 2 < position.count; i += 3) {
    centre.set(0, 0, 0);
    for (let k = 0; k < 3; k++) centre.add(corner.fromBufferAttribute(position, i + k));
    centre.normalize();
    let nearest = -1;
    for (let c = 0; c < corners.count; c++) nearest = Math.max(nearest, centre.dot(corner.fromBufferAttribute(corners, c)));
    colours.fill(nearest > 0.93 ? 0.03 : 0.92, 3 * i, 3 * i + 9);
  }
  geometry.setAttribute("color", new THREE.BufferAttribute(colours, 3));
  return geometry;
}

function planks(): THREE.Material {
  const map = paintTexture(128, (on, size) => {
    on.fillStyle = "#9a7443";
    on.fillRect(0, 0, size, size);
    on.fillStyle = "#86633a";
    for (let i = 0; i < 4; i += 2) on.fillRect(0, (i * size) / 4, size, size / 4);
    on.strokeStyle = "#5f4526";
    on.lineWidth = size / 8;
    on.strokeRect(0, 0, size, size);
    on.lineWidth = size / 12;
    on.beginPath();
    on.moveTo(0, 0);
    on.lineTo(size, size);
    on.stroke();
  });
  return new THREE.MeshLambertMaterial({ map });
}

function cross(): THREE.Material {
  const map = paintTexture(64, (on, size) => {
    on.fillStyle = "#f6f6f2";
    on.fillRect(0, 0, size, size);
    on.fillStyle = "#d8231c";
    on.fillRect(0.4 * size, 0.2 * size, 0.2 * size, 0.6 * size);
    on.fillRect(0.2 * size, 0.4 * size, 0.6 * size, 0.2 * size);
  });
  return new THREE.MeshLambertMaterial({ map, emissive: 0x332a28 });
}
