// The level from the core's own triangles: coloured by slope, height and surface, with a grid that shows
// scale, and lines along its edges. Start at levelObject.
import { TRIANGLE_SIZE } from "@backstep/client";
import * as THREE from "three";
import { paintTexture } from "./canvas.js";

/** What a colour may depend on. */
export interface LevelFace {
  /** The upward component of the normal: 1 is a floor, 0 a wall, −1 a ceiling. */
  up: number;
  /** Height of the middle, metres. */
  height: number;
  /** The number of the shape in the level (Go: collide.ShapeID). */
  shape: number;
  /** Whether characters walk on it: 0 as the slope says, 1 always, 2 never (Go: collide.Surface.Walk). */
  walk: number;
}

/** Returns the colour of a face. */
export type Paint = (face: LevelFace) => THREE.ColorRepresentation;

/** The steepest slope that most characters walk on, as the upward component of its normal. */
const WALKABLE = 0.7;
const LEVEL_FLOOR = 0.995;
const CHUNK = 48; // metres, edge
const EDGE_ANGLE = Math.cos((25 * Math.PI) / 180); // flatter edges are not drawn
const WELD = 1000; // vertices nearer than a millimetre are one

const FLOOR = new THREE.Color(0xd9d2c3);
const HIGH_FLOOR = new THREE.Color(0xbcd6c4);
const RAMP = new THREE.Color(0xe6b273);
const STEEP = new THREE.Color(0xc0724f);
const WALL = new THREE.Color(0x8ea6c0);
const CEILING = new THREE.Color(0x6d7c90);
const MOVING = new THREE.Color(0x2fa7a0);
const NEVER = new THREE.Color(0xb4585c);
const EDGE = 0x2c3a4c;

/** Metres over which the colour of floors changes to that of high ones. */
const HEIGHTS = 8;

/** Paints floors sandy and greener with height, ramps orange, walls blue, slopes that nobody walks up
 * brown, and surfaces that are never walked on red. */
export const paintBySlope: Paint = ({ up, height, shape, walk }) => {
  const colour = new THREE.Color();
  if (walk === 2) colour.copy(NEVER);
  else if (up > LEVEL_FLOOR) colour.lerpColors(FLOOR, HIGH_FLOOR, THREE.MathUtils.clamp(height / HEIGHTS, 0, 1));
  else if (up > WALKABLE || (walk === 1 && up > 0)) colour.copy(RAMP);
  else if (up > 0.15) colour.copy(STEEP);
  else colour.copy(up > -0.5 ? WALL : CEILING);
  return colour.multiplyScalar(0.97 + 0.06 * ((shape * 0.618034) % 1)); // neighbours are told apart
};

/** Paints what moves teal, so that doors and lifts are found. */
export const paintMoving: Paint = ({ up, shape }) => MOVING.clone().multiplyScalar((up > WALKABLE ? 1.12 : 0.95) + 0.05 * ((shape * 0.618034) % 1));

/** Returns the object that draws triangles as Core.triangles returns them; without triangles it is
 * empty. */
export function levelObject(triangles: Float32Array, paint: Paint): THREE.Group {
  const group = new THREE.Group();
  const material = levelMaterial();
  for (const chunk of chunks(triangles)) {
    const { position, normal, color, uv } = vertices(triangles, chunk, paint);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(position, 3));
    geometry.setAttribute("normal", new THREE.BufferAttribute(normal, 3));
    geometry.setAttribute("color", new THREE.BufferAttribute(color, 3));
    geometry.setAttribute("uv", new THREE.BufferAttribute(uv, 2));
    const mesh = new THREE.Mesh(geometry, material);
    mesh.castShadow = mesh.receiveShadow = true;
    group.add(mesh);
  }
  const edges = edgesOf(triangles);
  if (edges.length > 0) {
    const geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(edges, 3));
    group.add(new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: EDGE, transparent: true, opacity: 0.45 })));
  }
  return group;
}

/** Frees what levelObject made on the graphics card. */
export function disposeLevel(group: THREE.Group): void {
  for (const object of group.children) {
    if (!(object instanceof THREE.Mesh || object instanceof THREE.LineSegments)) continue;
    (object.geometry as THREE.BufferGeometry).dispose();
    (object.material as THREE.Material).dispose();
  }
}

let shared: THREE.Texture | undefined;

function levelMaterial(): THREE.Material {
  return new THREE.MeshLambertMaterial({
    vertexColors: true, map: (shared ??= gridTexture()), side: THREE.DoubleSide,
    polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1, // behind the edges
  });
}

/** Sorts triangles into square chunks by position, so that a frame draws only those in view. */
function chunks(triangles: Float32Array): number[][] {
  const found = new Map<string, number[]>();
  for (let at = 0; at < triangles.length; at += TRIANGLE_SIZE) {
    const middle = (axis: number): number => (triangles[at + axis]! + triangles[at + 3 + axis]! + triangles[at + 6 + axis]!) / 3;
    const key = `${Math.floor(middle(0) / CHUNK)},${Math.floor(middle(2) / CHUNK)}`;
    const chunk = found.get(key);
    if (chunk === undefined) found.set(key, [at]);
    else chunk.push(at);
  }
  return [...found.values()];
}

/** The attributes of a mesh. */
export interface Vertices {
  position: Float32Array;
  normal: Float32Array;
  color: Float32Array;
  uv: Float32Array;
}

/** Returns the vertices of the triangles that begin at those places, three of its own for each. */
export function vertices(triangles: Float32Array, places: readonly number[], paint: Paint): Vertices {
  const count = 3 * places.length;
  const made: Vertices = { position: new Float32Array(3 * count), normal: new Float32Array(3 * count), color: new Float32Array(3 * count), uv: new Float32Array(2 * count) };
  const colour = new THREE.Color();
  places.forEach((at, n) => {
    const normal = normalOf(triangles, at);
    const height = (triangles[at + 1]! + triangles[at + 4]! + triangles[at + 7]!) / 3;
    colour.set(paint({ up: normal.y, height, shape: triangles[at + 9]!, walk: triangles[at + 10]! }));
    made.position.set(triangles.subarray(at, at + 9), 9 * n);
    for (let corner = 0; corner < 3; corner++) {
      const to = 3 * n + corner;
      normal.toArray(made.normal, 3 * to);
      colour.toArray(made.color, 3 * to);
      const [u, v] = boxMapping(triangles, at + 3 * corner, normal);
      made.uv[2 * to] = u;
      made.uv[2 * to + 1] = v;
    }
  });
  return made;
}

const a = new THREE.Vector3();
const b = new THREE.Vector3();
const c = new THREE.Vector3();

/** Returns the normal of a triangle. */
function normalOf(triangles: Float32Array, at: number): THREE.Vector3 {
  a.fromArray(triangles, at);
  b.fromArray(triangles, at + 3).sub(a);
  c.fromArray(triangles, at + 6).sub(a);
  return new THREE.Vector3().crossVectors(b, c).normalize();
}

/** Texture coordinates along the axis that the face is turned to most: one unit is two metres. */
function boxMapping(triangles: Float32Array, at: number, normal: THREE.Vector3): [number, number] {
  const [x, y, z] = [triangles[at]! / 2, triangles[at + 1]! / 2, triangles[at + 2]! / 2];
  const [nx, ny, nz] = [Math.abs(normal.x), Math.abs(normal.y), Math.abs(normal.z)];
  if (ny >= nx && ny >= nz) return [x, z];
  return [nx >= nz ? z : x, y];
}

/** An edge between two corners, and the normal of the first face at it. */
interface Edge {
  from: number;
  to: number;
  normal: THREE.Vector3;
  sharp: boolean;
}

/** Returns the lines along the edges where faces meet at an angle, or end: six numbers each. */
export function edgesOf(triangles: Float32Array): Float32Array<ArrayBuffer> {
  const corners = new Map<string, number>(); // the first place of each corner
  const edges = new Map<string, Edge>();
  for (let at = 0; at < triangles.length; at += TRIANGLE_SIZE) {
    const normal = normalOf(triangles, at);
    const places = [0, 3, 6].map((offset) => weld(triangles, at + offset, corners));
    for (const [i, j] of [[0, 1], [1, 2], [2, 0]] as const) {
      const [from, to] = [Math.min(places[i]!, places[j]!), Math.max(places[i]!, places[j]!)];
      const key = `${from},${to}`;
      const edge = edges.get(key);
      if (edge === undefined) edges.set(key, { from, to, normal, sharp: true });
      else edge.sharp = edge.normal.dot(normal) < EDGE_ANGLE;
    }
  }
  const lines: number[] = [];
  for (const { from, to, sharp } of edges.values()) {
    if (sharp) lines.push(...triangles.subarray(from, from + 3), ...triangles.subarray(to, to + 3));
  }
  return new Float32Array(lines);
}

/** Returns the place of the first corner that is at the same position. */
function weld(triangles: Float32Array, at: number, corners: Map<string, number>): number {
  const key = [0, 1, 2].map((axis) => Math.round(triangles[at + axis]! * WELD)).join();
  const known = corners.get(key);
  if (known === undefined) corners.set(key, at);
  return known ?? at;
}

/** A grid of metres; without it the eye cannot judge speed and scale. */
function gridTexture(): THREE.Texture {
  const texture = paintTexture(256, (on, size) => {
    on.fillStyle = "#ffffff";
    on.fillRect(0, 0, size, size);
    on.fillStyle = "#f3f3f3";
    on.fillRect(0, 0, size / 2, size / 2);
    on.fillRect(size / 2, size / 2, size / 2, size / 2);
    on.strokeStyle = "#d9dbde";
    on.lineWidth = 3;
    for (const at of [0, size / 2, size]) {
      on.strokeRect(at, -9, size, size + 18);
      on.strokeRect(-9, at, size + 18, size);
    }
  });
  texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
  return texture;
}
