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

/** Cuts the opaque meshes of a scene into square chunks. Transparent meshes and moving bodies
 * stay separate. */
function prepare(scene: THREE.Object3D, quality: Quality): Arena {
  const fixed = new THREE.Group();
  const dynamic = new DynamicParts();
  const baked = quality.baked ? bakedMaterial({ colour: HORIZON, near: FOG_NEAR, far: FOG_FAR }) : undefined;
  const surfaces = new SurfaceMaterials();
  const gather = (root: THREE.Object3D, into: THREE.Group, origin: THREE.Vector3): void => {
    const chunks = new Chunks(origin);
    const visit = (object: THREE.Object3D): void => {
      const extras = extrasOf(object);
      if (extras.body !== undefined && object !== root) {
        const body = new THREE.Group();
        body.position.setFromMatrixPosition(object.matrixWorld);
        dynamic.addBody(body);
        return gather(object, body, body.position.clone());
      }
      if (extras.volume !== undefined) return dynamic.addVolume(object, extras.volume);
      if (object instanceof THREE.Mesh && object.userData["hidden"] !== true) {
        const mesh = object as LevelMesh;
        if (mesh.material.transparent) into.add(transparentMesh(mesh, origin));
        else chunks.add(mesh, !quality.baked);
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

/** Growing arrays of one chunk. */
class Chunk {
  constructor(readonly kind: SurfaceKind) {}
  readonly position: number[] = [];
  readonly normal: number[] = [];
  readonly color: number[] = [];
  readonly uv: number[] = [];
  readonly index: number[] = [];
  /** The mesh that was added to last, and the new indices of its vertices. */
  mesh: Vertices | undefined;
  readonly indices = new Map<number, number>();
}

/** Sorts triangles into chunks by position. */
class Chunks {
  private readonly chunks = new Map<string, Chunk>();

  /** origin is the world position that the meshes are relative to. */
  constructor(private readonly origin: THREE.Vector3) {}

  /** Adds a mesh in world space. With lit false, lighting is baked into the vertex colours. */
  add(mesh: LevelMesh, lit: boolean): void {
    const vertices = new Vertices(mesh, this.origin, lit);
    const { index } = mesh.geometry;
    const count = index?.count ?? vertices.count;
    const corner = (i: number): number => index?.getX(i) ?? i;
    for (let i = 0; i + 2 < count; i += 3) {
      const [a, b, c] = [corner(i), corner(i + 1), corner(i + 2)];
      const kind = lit ? vertices.surface(a) : SURFACES[0]; // baked, all have one material
      const chunk = this.at(vertices.middle(a, b, c, X), vertices.middle(a, b, c, Z), kind);
      chunk.index.push(vertices.copy(a, chunk), vertices.copy(b, chunk), vertices.copy(c, chunk));
    }
  }

  /** Returns one mesh per chunk, each centred on itself, so that the renderer can sort them front
   * to back. */
  meshes(materialOf: (kind: SurfaceKind) => THREE.Material): THREE.Mesh[] {
    return [...this.chunks.values()].map((chunk) => {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.Float32BufferAttribute(chunk.position, 3));
      geometry.setAttribute("normal", new THREE.Float32BufferAttribute(chunk.normal, 3));
      geometry.setAttribute("color", new THREE.Float32BufferAttribute(chunk.color, 3));
      geometry.setAttribute("uv", new THREE.Float32BufferAttribute(chunk.uv, 2));
      geometry.setIndex(chunk.index);
      geometry.computeBoundingSphere();
      const mesh = new THREE.Mesh(geometry, materialOf(chunk.kind));
      mesh.position.copy(geometry.boundingSphere?.center ?? mesh.position);
      geometry.translate(-mesh.position.x, -mesh.position.y, -mesh.position.z);
      mesh.castShadow = mesh.receiveShadow = true;
      mesh.updateMatrix();
      mesh.matrixAutoUpdate = false;
      return mesh;
    });
  }

  private at(x: number, z: number, kind: SurfaceKind): Chunk {
    const key = `${Math.floor(x / CHUNK_SIZE)},${Math.floor(z / CHUNK_SIZE)},${kind}`;
    const found = this.chunks.get(key) ?? new Chunk(kind);
    this.chunks.set(key, found);
    return found;
  }
}

const [X, Y, Z] = [0, 1, 2];

/** The vertices of one mesh in world space, with their final colours. They are plain arrays: a level has
 * a hundred thousand, and the accessors of three.js would take most of a second for them. */
class Vertices {
  readonly count: number;
  private readonly position: Float32Array; // 3 numbers each
  private readonly normal: Float32Array;
  private readonly vertexColour: Accessor | undefined;
  private readonly material: THREE.MeshStandardMaterial;
  private readonly colour = new THREE.Color();
  private readonly light = new THREE.Color();

  constructor(mesh: LevelMesh, origin: THREE.Vector3, private readonly lit: boolean) {
    const { geometry } = mesh;
    if (!geometry.hasAttribute("normal")) geometry.computeVertexNormals();
    const position = geometry.getAttribute("position");
    const toWorld = mesh.matrixWorld.clone().setPosition(new THREE.Vector3().setFromMatrixPosition(mesh.matrixWorld).sub(origin));
    const turn = new THREE.Matrix4().setFromMatrix3(new THREE.Matrix3().getNormalMatrix(mesh.matrixWorld));
    this.count = position.count;
    this.position = transformed(position, toWorld);
    this.normal = transformed(geometry.getAttribute("normal"), turn);
    for (let i = 0; i < this.normal.length; i += 3) normalize(this.normal, i);
    this.vertexColour = geometry.hasAttribute("color") ? geometry.getAttribute("color") : undefined;
    this.material = mesh.material;
  }

  /** Returns where the middle of a triangle is along an axis. */
  middle(a: number, b: number, c: number, axis: number): number {
    const { position: p } = this;
    return (p[3 * a + axis]! + p[3 * b + axis]! + p[3 * c + axis]!) / 3;
  }

  /** Returns what the face at a vertex is made of. */
  surface(vertex: number): SurfaceKind {
    this.setColour(vertex);
    return surfaceOf(this.material.name, this.normal[3 * vertex + Y]!, this.colour);
  }

  /** Sets colour to what a vertex has without light. */
  private setColour(vertex: number): void {
    const { colour, vertexColour } = this;
    colour.copy(this.material.color);
    if (vertexColour !== undefined) colour.multiply(this.light.setRGB(vertexColour.getX(vertex), vertexColour.getY(vertex), vertexColour.getZ(vertex)));
  }

  /** Returns the index of a vertex in the chunk, adding it if needed. */
  copy(vertex: number, chunk: Chunk): number {
    if (chunk.mesh !== this) {
      chunk.mesh = this;
      chunk.indices.clear();
    }
    const known = chunk.indices.get(vertex);
    if (known !== undefined) return known;
    const { position: p, normal: n } = this;
    const at = chunk.position.length / 3;
    const i = 3 * vertex;
    chunk.indices.set(vertex, at);
    chunk.position.push(p[i]!, p[i + Y]!, p[i + Z]!);
    chunk.normal.push(n[i]!, n[i + Y]!, n[i + Z]!);
    this.paint(vertex);
    chunk.color.push(this.colour.r, this.colour.g, this.colour.b);
    mapBox(p, n, i, chunk.uv);
    return at;
  }

  private paint(vertex: number): void {
    const { colour, material, normal } = this;
    this.setColour(vertex);
    if (!this.lit) colour.multiply(lightOn(normal[3 * vertex]!, normal[3 * vertex + Y]!, normal[3 * vertex + Z]!, this.light));
    colour.add(this.light.copy(material.emissive).multiplyScalar(1.4));
    if (!this.lit) toneMap(colour, EXPOSURE);
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

/** Appends box-mapped texture coordinates: one unit is two metres along the dominant axis of the face. */
function mapBox(p: Float32Array, n: Float32Array, i: number, uv: number[]): void {
  const [nx, ny, nz] = [Math.abs(n[i]!), Math.abs(n[i + Y]!), Math.abs(n[i + Z]!)];
  if (ny >= nx && ny >= nz) uv.push(p[i]! / 2, p[i + Z]! / 2);
  else uv.push((nx >= nz ? p[i + Z]! : p[i]!) / 2, p[i + Y]! / 2);
}
