// What there is beside players: balls, a football, crates, health packs; each sort in
// one draw call. Start at Things.show.
import * as THREE from "three";
import { RoundedBoxGeometry } from "three/addons/geometries/RoundedBoxGeometry.js";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import { Layout as L, type ThingView } from "../client/index";
import { weaponMaterial, weaponGeometry } from "./weapons";

const BALLS = [0xe8503a, 0xf2b632, 0x3f9be0, 0x58b85c, 0xb565d8, 0xf07fb0].map((colour) => new THREE.Color(colour));
const WHITE = new THREE.Color(1, 1, 1);
const FORWARD = new THREE.Vector3(0, 0, -1);
const TUMBLE_AXIS = new THREE.Vector3(0.8, 0.6, 0).normalize();
const PACK = 0.44; // metres, edge
const PACK_HEIGHT = 0.5;

/** How a sort of thing is drawn. */
class EntityModel {
  readonly mesh: THREE.InstancedMesh;

  constructor(geometry: THREE.BufferGeometry, material: THREE.Material, readonly colours: readonly THREE.Color[] = [WHITE]) {
    this.mesh = new THREE.InstancedMesh(geometry, material, L.MAX_THINGS);
    this.mesh.setColorAt(0, WHITE);
    this.mesh.count = 0;
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
  }

  put(place: THREE.Matrix4, id: number): void {
    const i = this.mesh.count++;
    this.mesh.setMatrixAt(i, place);
    this.mesh.setColorAt(i, this.colours[id % this.colours.length] ?? WHITE);
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor !== null) this.mesh.instanceColor.needsUpdate = true;
  }
}

/** All that lies or hovers about in a match. */
export class EntityModels {
  readonly group = new THREE.Group();
  private readonly models: ReadonlyMap<number, EntityModel>;
  private readonly transform = new THREE.Matrix4();
  private readonly position = new THREE.Vector3();
  private readonly rotation = new THREE.Quaternion();
  private readonly direction = new THREE.Vector3();
  private readonly one = new THREE.Vector3(1, 1, 1);
  private time = 0;

  constructor() {
    this.models = new Map([
      [L.KIND_BALL, new EntityModel(new THREE.SphereGeometry(L.BALL_RADIUS, 20, 12), striped(), BALLS)],
      [L.KIND_FOOTBALL, new EntityModel(football(L.BALL_RADIUS), new THREE.MeshLambertMaterial({ vertexColors: true }))],
      [L.KIND_CRATE, new EntityModel(new RoundedBoxGeometry(2 * L.CRATE_HALF, 2 * L.CRATE_HALF, 2 * L.CRATE_HALF, 1, 0.03), planks())],
      [L.KIND_ROCKET, new EntityModel(rocket(), new THREE.MeshLambertMaterial({ vertexColors: true, emissive: 0x2a1206 }))],
      [L.KIND_GRENADE, new EntityModel(weaponGeometry("grenade"), weaponMaterial())],
      [L.KIND_HEALTH, new EntityModel(new RoundedBoxGeometry(PACK, PACK, PACK, 2, 0.05), cross())],
    ]);
    for (const look of this.models.values()) this.group.add(look.mesh);
  }

  /** Draws everything where the view has it; dt is seconds since the last picture. What
   * the page does not know is not drawn. */
  show(view: ThingView, dt: number): void {
    this.time = (this.time + dt) % 3600;
    for (const look of this.models.values()) look.mesh.count = 0;
    for (let i = 0; i < view.count; i++) {
      const thing = view.at(i);
      const look = this.models.get(thing.kind);
      if (look === undefined) continue;
      this.pose(thing);
      look.put(this.transform, thing.id);
    }
  }

  private pose(thing: ThingView): void {
    const { position: at, rotation: turn } = this;
    at.set(thing.x, thing.y, thing.z);
    turn.set(thing.qx, thing.qy, thing.qz, thing.qw);
    if (thing.kind === L.KIND_HEALTH) {
      at.y += PACK_HEIGHT + 0.06 * Math.sin(this.time * 2 + thing.id);
      turn.setFromAxisAngle(THREE.Object3D.DEFAULT_UP, this.time * 1.4 + thing.id);
    }
    if (thing.kind === L.KIND_ROCKET) turn.setFromUnitVectors(FORWARD, this.direction.set(thing.vx, thing.vy, thing.vz).normalize());
    else if (thing.kind === L.KIND_GRENADE && !thing.asleep) turn.setFromAxisAngle(TUMBLE_AXIS, this.time * 9 + thing.id);
    this.transform.compose(at, turn, this.one);
  }
}

/** A rocket that flies along −Z. */
function rocket(): THREE.BufferGeometry {
  const parts: [THREE.BufferGeometry, number, number][] = [
    [new THREE.CylinderGeometry(0.055, 0.055, 0.34, 12), 0x6f7a3f, 0],
    [new THREE.ConeGeometry(0.055, 0.14, 12), 0xd8452c, 0.24],
    [new THREE.CylinderGeometry(0.03, 0.05, 0.07, 12), 0xffc36b, -0.2],
    [new THREE.BoxGeometry(0.22, 0.1, 0.012), 0x3a424d, -0.14],
    [new THREE.BoxGeometry(0.012, 0.1, 0.22), 0x3a424d, -0.14],
  ];
  return mergeGeometries(parts.map(([part, colour, y]) => {
    const plain = part.toNonIndexed().translate(0, y, 0).rotateX(-Math.PI / 2);
    const c = new THREE.Color(colour);
    const colours = new Float32Array(3 * plain.getAttribute("position").count);
    for (let i = 0; i < colours.length; i += 3) colours.set([c.r, c.g, c.b], i);
    plain.setAttribute("color", new THREE.BufferAttribute(colours, 3));
    plain.deleteAttribute("uv");
    return plain;
  }));
}

/** A canvas to paint a texture on. */
function painted(size: number, paint: (on: CanvasRenderingContext2D, size: number) => void): THREE.CanvasTexture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = size;
  const on = canvas.getContext("2d");
  if (on === null) throw new Error("page: no 2D canvas");
  paint(on, size);
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  texture.anisotropy = 4;
  return texture;
}

/** A ball's skin: a lighter band, so that one sees it roll. */
function striped(): THREE.Material {
  const map = painted(64, (on, size) => {
    on.fillStyle = "#ffffff";
    on.fillRect(0, 0, size, size);
    on.fillStyle = "#c9c9c9";
    for (const x of [0, 0.5]) on.fillRect(x * size, 0, 0.25 * size, size);
  });
  return new THREE.MeshLambertMaterial({ map });
}

/** A ball that is black around the corners of an icosahedron. */
function football(radius: number): THREE.BufferGeometry {
  const corners = new THREE.IcosahedronGeometry(1, 0).getAttribute("position");
  const geometry = new THREE.IcosahedronGeometry(radius, 6);
  const place = geometry.getAttribute("position");
  const colours = new Float32Array(place.count * 3);
  const middle = new THREE.Vector3();
  const corner = new THREE.Vector3();
  for (let i = 0; i + 2 < place.count; i += 3) {
    middle.set(0, 0, 0);
    for (let k = 0; k < 3; k++) middle.add(corner.fromBufferAttribute(place, i + k));
    middle.normalize();
    let nearest = -1;
    for (let c = 0; c < corners.count; c++) nearest = Math.max(nearest, middle.dot(corner.fromBufferAttribute(corners, c)));
    colours.fill(nearest > 0.93 ? 0.03 : 0.92, 3 * i, 3 * i + 9);
  }
  geometry.setAttribute("color", new THREE.BufferAttribute(colours, 3));
  return geometry;
}

function planks(): THREE.Material {
  const map = painted(128, (on, size) => {
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
  const map = painted(64, (on, size) => {
    on.fillStyle = "#f6f6f2";
    on.fillRect(0, 0, size, size);
    on.fillStyle = "#d8231c";
    on.fillRect(0.4 * size, 0.2 * size, 0.2 * size, 0.6 * size);
    on.fillRect(0.2 * size, 0.4 * size, 0.6 * size, 0.2 * size);
  });
  return new THREE.MeshLambertMaterial({ map, emissive: 0x332a28 });
}
