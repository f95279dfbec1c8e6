// The level as drawn: static meshes are merged and cut into chunks, so that a frame draws only
// those in view. Start at loadArena.
import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { bakedMaterial, EXPOSURE, extrasOf, FOG_FAR, FOG_NEAR, HORIZON, lightOn, type Quality, toneMap } from "@backstep/three/parts";
import { DynamicParts } from "./dynamicparts";
import { SurfaceMaterials, surfaceOf, SURFACES, type SurfaceKind } from "./materials";

/** A loaded level: its static meshes, and its moving and animated parts. */
export interface Arena {
  fixed: THREE.Group;
  dynamic: DynamicParts;
}

/** Loads a level. Rejects if the file is missing or not a valid glTF. */
export async function loadArena(url: string, quality: Quality): Promise<Arena> {
  const gltf = await new GLTFLoader().loadAsync(url);
  return prepare(gltf.scene, quality);
}

/** Cuts the opaque meshes of a scene into square chunks. Transparent meshes and movers
 * stay separate. */
export function prepare(scene: THREE.Object3D, quality: Quality): Arena {
  const fixed = new THREE.Group();
  const dynamic = new DynamicParts();
  const baked = quality.baked ? bakedMaterial({ colour: HORIZON, near: FOG_NEAR, far: FOG_FAR }) : undefined;
  const surfaces = new SurfaceMaterials();
  const gather = (root: THREE.Object3D, into: THREE.Group, origin: THREE.Vector3): void => {
    const chunks = new Chunks(origin, !quality.baked);
    const visit = (object: THREE.Object3D): void => {
      const extras = extrasOf(object);
      if (extras.mover !== undefined && object !== root) {
        const mover = new THREE.Group();
        mover.position.setFromMatrixPosition(object.matrixWorld);
        dynamic.addMover(mover);
        return gather(object, mover, mover.position.clone());
      }
      if (extras.volume !== undefined) return dynamic.addVolume(object, extras.volume);
      if (object instanceof THREE.Mesh && object.userData["hidden"] !== true) {
        const mesh = object as LevelMesh;
        if (mesh.material.transparent) into.add(transparentMesh(mesh, origin));
        else chunks.add(mesh);
      }
      object.children.forEach(visit);
    };
    visit(root);
    for (const chunk of chunks.meshes((kind) => baked ?? surfaces.of(kind))) into.add(chunk);
  };
  scene.updateMatrixWorld(true);
  gather(scene, fixed, new THREE.Vector3());
  if (fixed.children.length === 0) throw new Error("arena: the level has nothing to draw");
  fixed.add(dynamic.group);
  return { fixed, dynamic };
}

type LevelMesh = THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>;

function transparentMesh(from: LevelMesh, origin: THREE.Vector3): THREE.Mesh {
  const material = new THREE.MeshPhongMaterial({
    color: from.material.color,
    transparent: true,
    opacity: Math.min(from.material.opacity, 0.75),
    shininess: 120,
    depthWrite: false,
    vertexColors: from.geometry.hasAttribute("color"),
  });
  const geometry = from.geometry.clone().applyMatrix4(from.matrixWorld).translate(-origin.x, -origin.y, -origin.z);
  const mesh = new THREE.Mesh(geometry, material);
  mesh.receiveShadow = true;
  return mesh;
}

const CHUNK_SIZE = 20;

/** The triangles in one square of the level, of one material. */
class Chunk {
  readonly index: number[] = [];
  private count = 0; // of vertices
  /** Where the vertices come from, in order. */
  private readonly sources: { vertices: Vertices; taken: number[] }[] = [];

  /** number tells it from the others, 1 and up; x and z are those of its square. */
  constructor(readonly number: number, readonly x: number, readonly z: number, readonly kind: SurfaceKind) {}

  /** Takes over a vertex of a mesh; returns its index here. */
  take(vertices: Vertices, vertex: number): number {
    let source = this.sources.at(-1);
    if (source?.vertices !== vertices) this.sources.push((source = { vertices, taken: [] }));
    source.taken.push(vertex);
    return this.count++;
  }

  /** Returns the mesh. It is centred on itself, so that the renderer can sort meshes front to back. */
  mesh(material: THREE.Material, lit: boolean): THREE.Mesh {
    const geometry = new THREE.BufferGeometry();
    const position = this.gather("position");
    if (lit) { // a baked material reads neither
      const normal = this.gather("normal");
      geometry.setAttribute("normal", new THREE.BufferAttribute(normal, 3));
      geometry.setAttribute("uv", new THREE.BufferAttribute(boxMapping(position, normal), 2));
    }
    const { centre, radius } = moveToMiddle(position);
    geometry.setAttribute("position", new THREE.BufferAttribute(position, 3));
    geometry.setAttribute("color", new THREE.BufferAttribute(this.gather("colour"), 3));
    geometry.setIndex(this.index);
    geometry.boundingSphere = new THREE.Sphere(new THREE.Vector3(), radius);
    const mesh = new THREE.Mesh(geometry, material);
    mesh.position.copy(centre);
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.updateMatrix();
    mesh.matrixAutoUpdate = false;
    return mesh;
  }

  private gather(what: keyof Vertices): Float32Array {
    const to = new Float32Array(3 * this.count);
    let at = 0;
    for (const { vertices, taken } of this.sources) {
      const from = vertices[what];
      for (const vertex of taken) {
        to[at++] = from[3 * vertex]!;
        to[at++] = from[3 * vertex + 1]!;
        to[at++] = from[3 * vertex + 2]!;
      }
    }
    return to;
  }
}

/** Sorts triangles into chunks by position. Loops over vertices are plain here: they run once, before the compiler of
 * the browser knows them, while a visitor waits. */
class Chunks {
  private readonly chunks = new Map<string, Chunk>();
  private last: Chunk | undefined;

  /** origin is the world position that the meshes are relative to. With lit false, lighting is baked into the colours
   * of the vertices. */
  constructor(private readonly origin: THREE.Vector3, private readonly lit: boolean) {}

  /** Adds a mesh in world space. */
  add(mesh: LevelMesh): void {
    const vertices = verticesOf(mesh, this.origin, this.lit);
    const { position, normal, colour } = vertices;
    const corners = mesh.geometry.index?.array;
    const count = corners?.length ?? position.length / 3;
    const chunkOf = new Uint32Array(position.length / 3); // the number of the chunk that has a vertex
    const indexOf = new Uint32Array(position.length / 3); // and its index there
    const corner = [0, 0, 0];
    for (let i = 0; i + 2 < count; i += 3) {
      for (let k = 0; k < 3; k++) corner[k] = corners?.[i + k] ?? i + k;
      const [a, b, c] = [3 * corner[0]!, 3 * corner[1]!, 3 * corner[2]!];
      // Baked, all have one material.
      const kind = this.lit ? surfaceOf(mesh.material.name, normal[a + Y]!, colour[a]!, colour[a + 1]!, colour[a + 2]!) : SURFACES[0];
      const chunk = this.at((position[a]! + position[b]! + position[c]!) / 3, (position[a + Z]! + position[b + Z]! + position[c + Z]!) / 3, kind);
      for (const vertex of corner) {
        if (chunkOf[vertex] !== chunk.number) {
          chunkOf[vertex] = chunk.number;
          indexOf[vertex] = chunk.take(vertices, vertex);
        }
        chunk.index.push(indexOf[vertex]!);
      }
    }
  }

  /** Returns a mesh for each chunk. */
  meshes(materialOf: (kind: SurfaceKind) => THREE.Material): THREE.Mesh[] {
    return [...this.chunks.values()].map((chunk) => chunk.mesh(materialOf(chunk.kind), this.lit));
  }

  private at(atX: number, atZ: number, kind: SurfaceKind): Chunk {
    const [x, z] = [Math.floor(atX / CHUNK_SIZE), Math.floor(atZ / CHUNK_SIZE)];
    const { last } = this;
    if (last?.x === x && last.z === z && last.kind === kind) return last;
    const key = `${x},${z},${kind}`;
    const found = this.chunks.get(key) ?? new Chunk(this.chunks.size + 1, x, z, kind);
    this.chunks.set(key, found);
    return (this.last = found);
  }
}

const [X, Y, Z] = [0, 1, 2];

/** The vertices of a mesh as they are drawn, three numbers each. */
interface Vertices {
  position: Float32Array;
  normal: Float32Array;
  colour: Float32Array;
}

function verticesOf({ geometry, matrixWorld, material }: LevelMesh, origin: THREE.Vector3, lit: boolean): Vertices {
  if (!geometry.hasAttribute("normal")) geometry.computeVertexNormals();
  const place = matrixWorld.clone().setPosition(new THREE.Vector3().setFromMatrixPosition(matrixWorld).sub(origin));
  const turn = new THREE.Matrix4().setFromMatrix3(new THREE.Matrix3().getNormalMatrix(matrixWorld));
  const position = transformed(geometry.getAttribute("position"), place);
  const normal = transformed(geometry.getAttribute("normal"), turn);
  for (let i = 0; i < normal.length; i += 3) normalize(normal, i);
  const colour = coloursOf(geometry.hasAttribute("color") ? geometry.getAttribute("color") : undefined, normal.length, material.color);
  finish(colour, normal, material.emissive.clone().multiplyScalar(GLOW), lit);
  return { position, normal, colour };
}

/** Returns the colours of vertices without light: the material's, times their own if they have any. */
function coloursOf(own: Accessor | undefined, length: number, { r, g, b }: THREE.Color): Float32Array {
  const to = new Float32Array(length);
  for (let i = 0; i < length; i += 3) {
    const vertex = i / 3;
    to[i] = r * (own?.getX(vertex) ?? 1);
    to[i + 1] = g * (own?.getY(vertex) ?? 1);
    to[i + 2] = b * (own?.getZ(vertex) ?? 1);
  }
  return to;
}

const GLOW = 1.4; // of what shines by itself

/** Adds what shines by itself to colours; where they are not lit later, they are lit and tone mapped here. */
function finish(colour: Float32Array, normal: Float32Array, glow: THREE.Color, lit: boolean): void {
  const light = new THREE.Color();
  const result = new THREE.Color();
  for (let i = 0; i < colour.length; i += 3) {
    result.fromArray(colour, i);
    if (!lit) result.multiply(lightOn(normal[i]!, normal[i + Y]!, normal[i + Z]!, light));
    result.add(glow);
    if (!lit) toneMap(result, EXPOSURE);
    result.toArray(colour, i);
  }
}

type Accessor = THREE.BufferAttribute | THREE.InterleavedBufferAttribute;

/** Returns the elements of an attribute, three numbers each, transformed by a matrix. */
function transformed(from: Accessor, { elements: e }: THREE.Matrix4): Float32Array {
  const to = new Float32Array(3 * from.count);
  for (let i = 0; i < from.count; i++) {
    const x = from.getX(i);
    const y = from.getY(i);
    const z = from.getZ(i);
    for (let axis = X; axis <= Z; axis++) to[3 * i + axis] = e[axis]! * x + e[axis + 4]! * y + e[axis + 8]! * z + e[axis + 12]!;
  }
  return to;
}

function normalize(v: Float32Array, at: number): void {
  const length = Math.hypot(v[at]!, v[at + Y]!, v[at + Z]!) || 1;
  for (let axis = X; axis <= Z; axis++) v[at + axis]! /= length;
}

/** Moves positions by minus the middle of the box around them; returns the middle, and the radius of the ball around it. */
function moveToMiddle(position: Float32Array): { centre: THREE.Vector3; radius: number } {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < position.length; i++) {
    low[i % 3] = Math.min(low[i % 3]!, position[i]!);
    high[i % 3] = Math.max(high[i % 3]!, position[i]!);
  }
  const middle = low.map((least, axis) => (least + high[axis]!) / 2);
  let radius = 0;
  for (let i = 0; i < position.length; i += 3) {
    for (let axis = X; axis <= Z; axis++) position[i + axis]! -= middle[axis]!;
    radius = Math.max(radius, Math.hypot(position[i]!, position[i + Y]!, position[i + Z]!));
  }
  return { centre: new THREE.Vector3().fromArray(middle), radius };
}

/** Returns box-mapped texture coordinates: one unit is two metres along the dominant axis of the face. */
function boxMapping(p: Float32Array, n: Float32Array): Float32Array {
  const uv = new Float32Array((2 * p.length) / 3);
  for (let i = 0, to = 0; i < p.length; i += 3, to += 2) {
    const [nx, ny, nz] = [Math.abs(n[i]!), Math.abs(n[i + Y]!), Math.abs(n[i + Z]!)];
    const up = ny >= nx && ny >= nz;
    uv[to] = (up || nx < nz ? p[i]! : p[i + Z]!) / 2;
    uv[to + 1] = (up ? p[i + Z]! : p[i + Y]!) / 2;
  }
  return uv;
}
