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

/** Returns the colour of a face; undefined does not draw it. */
export type Paint = (face: LevelFace) => THREE.ColorRepresentation | undefined;

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
const NEVER = new THREE.Color(0x9c8b92);
const EDGE = 0x2c3a4c;

/** Metres over which the colour of floors changes to that of high ones. */
const HEIGHTS = 8;

/** Paints floors sandy and greener with height, ramps orange, walls blue, slopes that nobody walks up
 * brown, and surfaces that are never walked on grey. */
export const paintBySlope = ({ up, height, shape, walk }: LevelFace): THREE.Color => {
  const colour = new THREE.Color();
  if (walk === 2) colour.copy(NEVER);
  else if (up > LEVEL_FLOOR) colour.lerpColors(FLOOR, HIGH_FLOOR, THREE.MathUtils.clamp(height / HEIGHTS, 0, 1));
  else if (up > WALKABLE || (walk === 1 && up > 0)) colour.copy(RAMP);
  else if (up > 0.15) colour.copy(STEEP);
  else colour.copy(up > -0.5 ? WALL : CEILING);
  return colour.multiplyScalar(0.97 + 0.06 * ((shape * 0.618034) % 1)); // neighbours are told apart
};

/** Paints what moves teal, so that doors and lifts are found. */
export const paintMoving = ({ up, shape }: LevelFace): THREE.Color => MOVING.clone().multiplyScalar((up > WALKABLE ? 1.12 : 0.95) + 0.05 * ((shape * 0.618034) % 1));

/** Returns the object that draws triangles as Core.triangles returns them; without triangles it is
 * empty. */
export function levelObject(triangles: Float32Array, paint: Paint): THREE.Group {
  const group = new THREE.Group();
  const material = levelMaterial();
  const faces = paintFaces(triangles, paint);
  for (const chunk of chunks(faces)) {
    const { position, normal, color, uv } = vertices(triangles, chunk);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(position, 3));
    geometry.setAttribute("normal", new THREE.BufferAttribute(normal, 3));
    geometry.setAttribute("color", new THREE.BufferAttribute(color, 3));
    geometry.setAttribute("uv", new THREE.BufferAttribute(uv, 2));
    const mesh = new THREE.Mesh(geometry, material);
    mesh.castShadow = mesh.receiveShadow = true;
    group.add(mesh);
  }
  const edges = edgesOf(triangles, faces);
  if (edges.length > 0) {
    const geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(edges, 3));
    group.add(new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: EDGE, transparent: true, opacity: 0.45 })));
  }
  return group;
}

let shared: THREE.Texture | undefined;

function levelMaterial(): THREE.Material {
  return new THREE.MeshLambertMaterial({
    vertexColors: true, map: (shared ??= gridTexture()), side: THREE.DoubleSide,
    polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1, // behind the edges
  });
}

/** A triangle to be drawn. */
export interface PaintedFace {
  /** Where it begins among the triangles. */
  at: number;
  middle: THREE.Vector3;
  normal: THREE.Vector3;
  colour: THREE.Color;
}

/** Returns the triangles that are drawn, with their colours. */
export function paintFaces(triangles: Float32Array, paint: Paint): PaintedFace[] {
  const faces: PaintedFace[] = [];
  for (let at = 0; at < triangles.length; at += TRIANGLE_SIZE) {
    const [a, b, c] = [0, 3, 6].map((corner) => new THREE.Vector3().fromArray(triangles, at + corner)) as [THREE.Vector3, THREE.Vector3, THREE.Vector3];
    const middle = a.clone().add(b).add(c).divideScalar(3);
    const normal = b.sub(a).cross(c.sub(a)).normalize();
    const colour = paint({ up: normal.y, height: middle.y, shape: triangles[at + 9]!, walk: triangles[at + 10]! });
    if (colour !== undefined) faces.push({ at, middle, normal, colour: new THREE.Color(colour) });
  }
  return faces;
}

/** Sorts faces into square chunks by position, so that a frame draws only those in view. */
function chunks(faces: readonly PaintedFace[]): PaintedFace[][] {
  const found = new Map<string, PaintedFace[]>();
  for (const face of faces) {
    const key = `${Math.floor(face.middle.x / CHUNK)},${Math.floor(face.middle.z / CHUNK)}`;
    const chunk = found.get(key);
    if (chunk === undefined) found.set(key, [face]);
    else chunk.push(face);
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

/** Returns the vertices of faces, three of its own for each. */
export function vertices(triangles: Float32Array, faces: readonly PaintedFace[]): Vertices {
  const count = 3 * faces.length;
  const made = { position: new Float32Array(3 * count), normal: new Float32Array(3 * count), color: new Float32Array(3 * count), uv: new Float32Array(2 * count) };
  faces.forEach(({ at, normal, colour }, n) => {
    made.position.set(triangles.subarray(at, at + 9), 9 * n);
    for (let corner = 0; corner < 3; corner++) {
      normal.toArray(made.normal, 9 * n + 3 * corner);
      colour.toArray(made.color, 9 * n + 3 * corner);
      made.uv.set(boxMapping(triangles, at + 3 * corner, normal), 6 * n + 2 * corner);
    }
  });
  return made;
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
export function edgesOf(triangles: Float32Array, faces: readonly PaintedFace[]): Float32Array<ArrayBuffer> {
  const corners = new Map<string, number>(); // the first place of each corner
  const edges = new Map<string, Edge>();
  for (const { at, normal } of faces) {
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
