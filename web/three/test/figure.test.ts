import * as THREE from "three";
import { expect, test, vi } from "vitest";
import { Bodies, bodyGeometry } from "../src/entities";
import { DefaultFigure, ownView, playerColour, type Pose } from "../src/figure";
import type { DrawnBody } from "../src/session";

/** A figure after a second of that pose, and the height that it reaches to. */
function after(pose: Partial<Pose>): { top: number; matrices: number[]; figure: DefaultFigure } {
  const figure = new DefaultFigure(0xff0000);
  const whole = { dt: 1 / 60, velocity: new THREE.Vector3(), pitch: 0, crouch: 0, air: 0, dead: false, ...pose };
  for (let i = 0; i < 60; i++) figure.update(whole);
  const limbs = figure.children[1] as THREE.InstancedMesh;
  const top = new THREE.Box3().setFromObject(figure.children[0]!).max.y;
  return { top, matrices: [...limbs.instanceMatrix.array], figure };
}

test("a figure stands as high as a player, lower when it crouches, and lies when it is dead", () => {
  expect(after({}).top).toBeGreaterThan(1.7);
  expect(after({}).top).toBeLessThan(1.85);
  expect(after({ crouch: 1 }).top).toBeLessThan(1.2);
  expect(after({ dead: true }).top).toBeLessThan(1.1);
});

test("the page's own figure faces where its pose does, as others see it, not where its player looks", () => {
  const still = { x: 0, y: 0, z: 0 };
  const pose = { position: still, velocity: still, baseVelocity: still, up: { x: 0, y: 0.6, z: 0.8 }, yaw: 2, pitch: 0.5, mode: 1, userData: 7, dead: false, stance: { crouch: 0, air: 0 } };
  const at = { x: 1, y: 2, z: 3 };
  expect(ownView(pose, at)).toMatchObject({ own: true, position: at, yaw: 2, pitch: 0.5, up: pose.up, userData: 7 });
});

test("its feet swing along the way that it goes, and rest when it stands", () => {
  const apart = (matrices: readonly number[], axis: number): number => Math.abs(matrices[2 * 16 + 12 + axis]! - matrices[3 * 16 + 12 + axis]!);
  const most = (velocity: THREE.Vector3, axis: number): number => {
    const figure = new DefaultFigure(0xff0000);
    let widest = 0;
    for (let i = 0; i < 120; i++) {
      figure.update({ dt: 1 / 60, velocity, pitch: 0, crouch: 0, air: 0, dead: false });
      if (i > 60) widest = Math.max(widest, apart([...(figure.children[1] as THREE.InstancedMesh).instanceMatrix.array], axis));
    }
    return widest;
  };
  const X = 0;
  const Z = 2;
  expect(most(new THREE.Vector3(), Z)).toBeLessThan(0.01);
  expect(most(new THREE.Vector3(0, 0, -5), Z)).toBeGreaterThan(0.5);
  expect(most(new THREE.Vector3(5, 0, 0), X)).toBeGreaterThan(0.5);
});

test("it leans into its way", () => {
  const lean = (velocity: THREE.Vector3): THREE.Euler => after({ velocity }).figure.children[0]!.rotation;
  expect(lean(new THREE.Vector3(0, 0, -6)).x).toBeLessThan(-0.1);
  expect(lean(new THREE.Vector3(6, 0, 0)).z).toBeLessThan(-0.1);
});

test("two draw calls and few triangles make a figure", () => {
  const { figure } = after({});
  const triangles = figure.children.reduce((sum, child) => {
    const { geometry, count } = child as THREE.InstancedMesh;
    return sum + ((geometry.index?.count ?? geometry.getAttribute("position").count) / 3) * (count ?? 1);
  }, 0);
  expect(figure.children).toHaveLength(2);
  expect(triangles).toBeLessThan(5000);
});

test("the first ten players have colours that differ", () => {
  const hues = Array.from({ length: 10 }, (_, i) => playerColour(i + 1).getHexString());
  expect(new Set(hues).size).toBe(10);
});

test("all bodies of a shape are drawn, however many there are, and those of another shape apart", () => {
  const painted = new Proxy({ canvas: {} } as object, { get: (on, key) => Reflect.get(on, key) ?? (() => undefined) });
  vi.stubGlobal("document", { createElement: () => ({ getContext: () => painted }) });
  const at = { x: 0, y: 0, z: 0 };
  const body = (id: number, size: number): DrawnBody => ({ id, kind: 1, position: at, rotation: { ...at, w: 1 }, shape: "box", half: { x: size, y: 0.5, z: 0.5 } });
  const crates = Array.from({ length: 300 }, (_, i) => body(i + 1, 0.5));
  const drawn = new Bodies();
  const counts = (): number[] => drawn.group.children.map((mesh) => (mesh as THREE.InstancedMesh).count);
  drawn.show([...crates, body(301, 0.7)]);
  expect([counts().reduce((sum, count) => sum + count, 0), Math.min(...counts())]).toEqual([301, 1]);
  drawn.show(crates.slice(0, 10));
  expect(counts().filter((count) => count > 0)).toEqual([10]);
  vi.unstubAllGlobals();
});

test("bodies have the size that the game gave them", () => {
  const size = (shape: string, half: { x: number; y: number; z: number }): number[] => {
    const geometry = bodyGeometry(shape, half);
    geometry.computeBoundingBox();
    return geometry.boundingBox!.getSize(new THREE.Vector3()).toArray().map((v) => Math.round(v * 1000) / 1000);
  };
  expect(size("ball", { x: 0.3, y: 0, z: 0 })).toEqual([0.6, 0.6, 0.6]);
  expect(size("box", { x: 0.2, y: 0.08, z: 0.4 })).toEqual([0.4, 0.16, 0.8]);
  expect(size("capsule", { x: 0.2, y: 0.7, z: 0 })).toEqual([0.4, 1.4, 0.4]);
});
