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
  /** New indices of the vertices of the mesh being added. */
  indices = new Map<number, number>();
}

/** Sorts triangles into chunks by position. */
class Chunks {
  private readonly chunks = new Map<string, Chunk>();

  /** origin is the world position that the meshes are relative to. */
  constructor(private readonly origin: THREE.Vector3) {}

  /** Adds a mesh in world space. With lit false, lighting is baked into the vertex colours. */
  add(mesh: LevelMesh, lit: boolean): void {
    const { x, y, z } = this.origin;
    const source = mesh.geometry.clone().applyMatrix4(mesh.matrixWorld).translate(-x, -y, -z);
    if (!source.hasAttribute("normal")) source.computeVertexNormals();
    const vertices = new Vertices(source, mesh.material, lit);
    for (const chunk of this.chunks.values()) chunk.indices = new Map();
    const count = source.index?.count ?? vertices.count;
    for (let i = 0; i + 2 < count; i += 3) {
      const corners = [0, 1, 2].map((k) => source.index?.getX(i + k) ?? i + k);
      const chunk = this.at(vertices.centre(corners), lit ? vertices.surface(corners[0]!) : SURFACES[0]); // baked, all have one material
      for (const corner of corners) chunk.index.push(vertices.copy(corner, chunk));
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

  private at(centre: THREE.Vector3, kind: SurfaceKind): Chunk {
    const key = `${Math.floor(centre.x / CHUNK_SIZE)},${Math.floor(centre.z / CHUNK_SIZE)},${kind}`;
    const found = this.chunks.get(key) ?? new Chunk(kind);
    this.chunks.set(key, found);
    return found;
  }
}

/** The vertices of one mesh with their final colours. */
class Vertices {
  readonly count: number;
  private readonly position: THREE.BufferAttribute;
  private readonly normal: THREE.BufferAttribute;
  private readonly vertexColour: THREE.BufferAttribute | undefined;
  private readonly colour = new THREE.Color();
  private readonly light = new THREE.Color();

  constructor(source: THREE.BufferGeometry, private readonly material: THREE.MeshStandardMaterial, private readonly lit: boolean) {
    this.position = source.getAttribute("position") as THREE.BufferAttribute;
    this.normal = source.getAttribute("normal") as THREE.BufferAttribute;
    this.vertexColour = source.hasAttribute("color") ? (source.getAttribute("color") as THREE.BufferAttribute) : undefined;
    this.count = this.position.count;
  }

  centre(corners: number[]): THREE.Vector3 {
    const sum = new THREE.Vector3();
    for (const c of corners) sum.add(new THREE.Vector3().fromBufferAttribute(this.position, c));
    return sum.divideScalar(3);
  }

  /** Returns what the face at a vertex is made of. */
  surface(vertex: number): SurfaceKind {
    this.setColour(vertex);
    return surfaceOf(this.material.name, this.normal.getY(vertex), this.colour);
  }

  /** Sets colour to what a vertex has without light. */
  private setColour(vertex: number): void {
    const { colour, vertexColour } = this;
    colour.copy(this.material.color);
    if (vertexColour !== undefined) colour.multiply(this.light.setRGB(vertexColour.getX(vertex), vertexColour.getY(vertex), vertexColour.getZ(vertex)));
  }

  /** Returns the index of a vertex in the chunk, adding it if needed. */
  copy(vertex: number, chunk: Chunk): number {
    const known = chunk.indices.get(vertex);
    if (known !== undefined) return known;
    const { position: p, normal: n } = this;
    const at = chunk.position.length / 3;
    chunk.indices.set(vertex, at);
    chunk.position.push(p.getX(vertex), p.getY(vertex), p.getZ(vertex));
    chunk.normal.push(n.getX(vertex), n.getY(vertex), n.getZ(vertex));
    this.paint(vertex);
    chunk.color.push(this.colour.r, this.colour.g, this.colour.b);
    chunk.uv.push(...boxMapping(p, n, vertex));
    return at;
  }

  private paint(vertex: number): void {
    const { colour, material } = this;
    this.setColour(vertex);
    if (!this.lit) colour.multiply(lightOn(this.normal, vertex, this.light));
    colour.add(this.light.copy(material.emissive).multiplyScalar(1.4));
    if (!this.lit) toneMap(colour, EXPOSURE);
  }
}

/** Box-mapped texture coordinates: one unit is two metres along the dominant axis of the face. */
function boxMapping(p: THREE.BufferAttribute, n: THREE.BufferAttribute, i: number): [number, number] {
  const nx = Math.abs(n.getX(i));
  const ny = Math.abs(n.getY(i));
  const nz = Math.abs(n.getZ(i));
  if (ny >= nx && ny >= nz) return [p.getX(i) / 2, p.getZ(i) / 2];
  return [(nx >= nz ? p.getZ(i) : p.getX(i)) / 2, p.getY(i) / 2];
}
