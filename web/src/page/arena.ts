// The level as it is drawn: everything that stands still becomes one mesh, so
// that a frame draws it in one call. Start at loadArena.
import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import type { Quality } from "./quality";

/** Fetches and prepares a level. Rejects where it is not there or no glTF. */
export async function loadArena(url: string, quality: Quality): Promise<THREE.Group> {
  const gltf = await new GLTFLoader().loadAsync(url);
  return prepare(gltf.scene, quality);
}

/** Merges the solid meshes of a scene; what is see-through stays on its own. */
export function prepare(scene: THREE.Object3D, quality: Quality): THREE.Group {
  const solid: THREE.BufferGeometry[] = [];
  const arena = new THREE.Group();
  scene.updateMatrixWorld(true);
  scene.traverse((object) => {
    if (!(object instanceof THREE.Mesh) || hidden(object)) return;
    const mesh = object as THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>;
    const geometry = flatten(mesh);
    if (mesh.material.transparent) arena.add(seeThrough(geometry, mesh.material));
    else solid.push(geometry);
  });
  const merged = solid.length > 0 ? mergeGeometries(solid) : null;
  if (merged === null) throw new Error("arena: the level has nothing to draw");
  const mesh = new THREE.Mesh(merged, solidMaterial(quality));
  mesh.castShadow = mesh.receiveShadow = true;
  mesh.matrixAutoUpdate = false;
  arena.add(mesh);
  return arena;
}

/** Nodes that the level marks as not drawn. */
function hidden(object: THREE.Object3D): boolean {
  return object.userData["hidden"] === true || /^(col|collision|volume|spawn)[_:]/i.test(object.name);
}

function solidMaterial(quality: Quality): THREE.Material {
  const material = new THREE.MeshLambertMaterial({ vertexColors: true });
  if (quality.detail) material.map = detailTexture();
  return material;
}

function seeThrough(geometry: THREE.BufferGeometry, from: THREE.MeshStandardMaterial): THREE.Mesh {
  const material = new THREE.MeshPhongMaterial({
    color: from.color,
    transparent: true,
    opacity: Math.min(from.opacity, 0.75),
    shininess: 120,
    depthWrite: false,
  });
  return new THREE.Mesh(geometry, material);
}

/** A copy in world space with exactly position, normal, color and uv, which is
 * what all must share to be merged. */
function flatten(mesh: THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>): THREE.BufferGeometry {
  const source = mesh.geometry.index === null ? mesh.geometry.clone() : mesh.geometry.toNonIndexed();
  source.applyMatrix4(mesh.matrixWorld);
  if (!source.hasAttribute("normal")) source.computeVertexNormals();
  const out = new THREE.BufferGeometry();
  const position = source.getAttribute("position");
  const normal = source.getAttribute("normal");
  out.setAttribute("position", floats(position));
  out.setAttribute("normal", floats(normal));
  out.setAttribute("color", colours(source, mesh.material.color, position.count));
  out.setAttribute("uv", boxMapping(position, normal));
  return out;
}

type Attribute = THREE.BufferAttribute | THREE.InterleavedBufferAttribute | THREE.GLBufferAttribute;

function floats(from: Attribute): THREE.BufferAttribute {
  const a = from as THREE.BufferAttribute;
  const out = new Float32Array(a.count * 3);
  for (let i = 0; i < a.count; i++) out.set([a.getX(i), a.getY(i), a.getZ(i)], 3 * i);
  return new THREE.BufferAttribute(out, 3);
}

function colours(source: THREE.BufferGeometry, tint: THREE.Color, count: number): THREE.BufferAttribute {
  const given = source.hasAttribute("color") ? (source.getAttribute("color") as THREE.BufferAttribute) : undefined;
  const out = new Float32Array(count * 3);
  for (let i = 0; i < count; i++) {
    out[3 * i] = tint.r * (given?.getX(i) ?? 1);
    out[3 * i + 1] = tint.g * (given?.getY(i) ?? 1);
    out[3 * i + 2] = tint.b * (given?.getZ(i) ?? 1);
  }
  return new THREE.BufferAttribute(out, 3);
}

/** Texture coordinates from the place: one unit is two metres on the wall, floor
 * or side that a face mostly is. */
function boxMapping(positions: Attribute, normals: Attribute): THREE.BufferAttribute {
  const p = positions as THREE.BufferAttribute;
  const n = normals as THREE.BufferAttribute;
  const out = new Float32Array(p.count * 2);
  for (let i = 0; i < p.count; i++) {
    const nx = Math.abs(n.getX(i));
    const ny = Math.abs(n.getY(i));
    const nz = Math.abs(n.getZ(i));
    const [u, v] =
      ny >= nx && ny >= nz ? [p.getX(i), p.getZ(i)] : nx >= nz ? [p.getZ(i), p.getY(i)] : [p.getX(i), p.getY(i)];
    out[2 * i] = u / 2;
    out[2 * i + 1] = v / 2;
  }
  return new THREE.BufferAttribute(out, 2);
}

/** A worn plaster with a faint grid of a metre: it gives the eye speed and scale. */
function detailTexture(): THREE.Texture {
  const size = 512;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = size;
  const paint = canvas.getContext("2d");
  if (paint === null) throw new Error("page: no 2D canvas");
  paint.fillStyle = "#f4f4f4";
  paint.fillRect(0, 0, size, size);
  speckle(paint, size);
  paint.strokeStyle = "rgba(40,48,58,0.2)";
  paint.lineWidth = 3;
  paint.strokeRect(0, 0, size, size);
  paint.strokeStyle = "rgba(40,48,58,0.1)";
  paint.lineWidth = 2;
  paint.beginPath();
  paint.moveTo(size / 2, 0);
  paint.lineTo(size / 2, size);
  paint.moveTo(0, size / 2);
  paint.lineTo(size, size / 2);
  paint.stroke();
  const texture = new THREE.CanvasTexture(canvas);
  texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
  texture.anisotropy = 8;
  texture.colorSpace = THREE.SRGBColorSpace;
  return texture;
}

function speckle(paint: CanvasRenderingContext2D, size: number): void {
  let seed = 12345;
  const next = (): number => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff;
  for (let i = 0; i < 5200; i++) {
    const dark = next() < 0.55;
    const radius = 0.6 + next() * next() * 9;
    paint.fillStyle = dark ? `rgba(60,66,74,${0.05 * next()})` : `rgba(255,255,255,${0.09 * next()})`;
    paint.beginPath();
    paint.arc(next() * size, next() * size, radius, 0, 2 * Math.PI);
    paint.fill();
  }
}
