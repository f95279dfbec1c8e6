// The drawn level: every triangle once, where it was, in its colour.
import { expect, test, vi } from "vitest";
import * as THREE from "three";
import { EXPOSURE, lightOn, type Quality, toneMap } from "@backstep/three/parts";
import { prepare } from "../src/page/arena";

// Their textures are painted by a browser.
vi.mock("../src/page/materials", async (original) => ({
  ...(await original<object>()),
  SurfaceMaterials: class { of = (): THREE.Material => new THREE.MeshBasicMaterial(); },
}));

const LOW = { baked: true } as Quality;
const HIGH = { baked: false } as Quality;

/** A level of two boxes, one turned, stretched and 65 m long, and a triangle without an index. */
function scene(): THREE.Group {
  const level = new THREE.Group();
  const matte = new THREE.MeshStandardMaterial({ name: "matte", color: 0x808890 });
  const lamp = new THREE.MeshStandardMaterial({ name: "lamp", color: 0x202020, emissive: 0x402000 });
  const long = new THREE.Mesh(new THREE.BoxGeometry(65, 2, 3, 13, 1, 1), matte);
  long.rotation.set(0.1, 0.7, 0);
  long.scale.set(1, 2, 0.5);
  long.position.set(-4, 1, 9);
  const box = new THREE.Mesh(new THREE.BoxGeometry(1, 1, 1), lamp);
  box.position.set(30, 0, -30);
  const triangle = new THREE.Mesh(new THREE.PlaneGeometry(1, 1).toNonIndexed(), matte);
  level.add(long, box);
  box.add(triangle);
  return level;
}

/** A drawn corner as text: its place to a tenth of a millimetre, and its colour to a thousandth. */
const corner = (at: THREE.Vector3, colour: THREE.Color): string =>
  [...at.toArray().map((x) => (Math.round(x * 1e4) / 1e4 + 0).toFixed(4)), ...colour.toArray().map((x) => (Math.round(x * 1e3) / 1e3 + 0).toFixed(3))].join(" ");

/** All drawn triangles of a group, sorted. */
function drawn(group: THREE.Object3D): string[] {
  const list: string[] = [];
  group.updateMatrixWorld(true);
  group.traverse((object) => {
    if (!(object instanceof THREE.Mesh)) return;
    const { geometry } = object as THREE.Mesh;
    const at = (i: number): string => corner(
      new THREE.Vector3().fromBufferAttribute(geometry.getAttribute("position"), i).applyMatrix4(object.matrixWorld),
      new THREE.Color().fromBufferAttribute(geometry.getAttribute("color") as THREE.BufferAttribute, i));
    for (let i = 0; i < geometry.index!.count; i += 3) list.push([0, 1, 2].map((k) => at(geometry.index!.getX(i + k))).join(", "));
  });
  return list.sort();
}

/** What must be drawn of a level, corner by corner. */
function expected(level: THREE.Object3D, baked: boolean): string[] {
  const list: string[] = [];
  level.updateMatrixWorld(true);
  level.traverse((object) => {
    if (!(object instanceof THREE.Mesh)) return;
    const { geometry, material } = object as THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>;
    const turn = new THREE.Matrix3().getNormalMatrix(object.matrixWorld);
    const at = (i: number): string => {
      const normal = new THREE.Vector3().fromBufferAttribute(geometry.getAttribute("normal"), i).applyMatrix3(turn).normalize();
      const colour = material.color.clone();
      if (baked) colour.multiply(lightOn(normal.x, normal.y, normal.z, new THREE.Color()));
      colour.add(material.emissive.clone().multiplyScalar(1.4));
      return corner(new THREE.Vector3().fromBufferAttribute(geometry.getAttribute("position"), i).applyMatrix4(object.matrixWorld), baked ? toneMap(colour, EXPOSURE) : colour);
    };
    const count = geometry.index?.count ?? geometry.getAttribute("position").count;
    for (let i = 0; i < count; i += 3) list.push([0, 1, 2].map((k) => at(geometry.index?.getX(i + k) ?? i + k)).join(", "));
  });
  return list.sort();
}

for (const [name, quality] of [["low", LOW], ["high", HIGH]] as const) {
  test(`at ${name} quality every triangle is drawn once, where it was, in its colour`, () => {
    const { fixed } = prepare(scene(), quality);
    expect(drawn(fixed)).toEqual(expected(scene(), quality.baked));
    expect(fixed.children.filter((child) => child instanceof THREE.Mesh).length).toBeGreaterThan(3); // 65 m are cut
  });
}

test("each chunk is in the ball that the renderer tests, around its own middle", () => {
  const { fixed } = prepare(scene(), HIGH);
  for (const chunk of fixed.children.filter((child) => child instanceof THREE.Mesh)) {
    const { boundingSphere, attributes } = (chunk as THREE.Mesh).geometry;
    const position = attributes["position"]!;
    let farthest = 0;
    for (let i = 0; i < position.count; i++) farthest = Math.max(farthest, new THREE.Vector3().fromBufferAttribute(position, i).length());
    expect(boundingSphere!.center.length()).toBe(0);
    expect(Math.abs(boundingSphere!.radius - farthest)).toBeLessThan(1e-4);
    expect(boundingSphere!.radius).toBeLessThan(25);
    expect(attributes["uv"]!.count).toBe(position.count);
  }
});
