// What the level and the hands look like, as far as it needs no picture: surfaces, marks, gloves.
import { Vector3 } from "three";
import { expect, test } from "vitest";
import { surfaceAt } from "../src/page/decals";
import { handsGeometry } from "../src/page/hands";
import { surfaceOf } from "../src/page/materials";
import { WEAPON_MODELS } from "../src/page/weaponmodels";

/** A sweep against the plane of the points with normal · point = offset. */
const plane = (normal: Vector3, offset: number) => (from: Vector3Like, delta: Vector3Like, radius: number): number => {
  const speed = normal.dot(new Vector3(delta.x, delta.y, delta.z));
  const share = (offset + radius - normal.dot(new Vector3(from.x, from.y, from.z))) / speed;
  return speed < 0 && share > 0 && share < 1 ? share : 1;
};
interface Vector3Like { x: number; y: number; z: number }

test("a mark lies in the plane that was hit, whatever the angle of the shot", () => {
  for (const normal of [new Vector3(0, 0, 1), new Vector3(1, 2, 3).normalize(), new Vector3(0, 1, 0)]) {
    for (const side of [new Vector3(), new Vector3(0.5, 0, 0.2), new Vector3(0, 0.6, 0)]) {
      const direction = normal.clone().negate().add(side).normalize();
      const found = surfaceAt(plane(normal, 0), new Vector3(), direction, 0.05);
      expect(found?.normal.dot(normal)).toBeCloseTo(1, 6);
      expect(Math.abs(found!.point.dot(normal))).toBeLessThan(0.006);
    }
  }
});

test("no mark hangs over an edge, lies in a corner or in the air", () => {
  const wall = plane(new Vector3(0, 0, 1), 0);
  const down = new Vector3(0, 0, -1);
  expect(surfaceAt(() => 1, new Vector3(), down, 0.05)).toBeUndefined();
  expect(surfaceAt((from, delta, radius) => (from.x > 0.02 ? 1 : wall(from, delta, radius)), new Vector3(), down, 0.05)).toBeUndefined();
  const corner = (from: Vector3Like, delta: Vector3Like, radius: number): number => Math.min(wall(from, delta, radius), plane(new Vector3(1, 0, 1).normalize(), 0.01)(from, delta, radius));
  expect(surfaceAt(corner, new Vector3(), down, 0.1)).toBeUndefined();
});

test("grass is green, walls are upright, floors level, and the rest is rock or metal", () => {
  expect(surfaceOf("matte", 0.98, 0.35, 0.55, 0.18)).toBe("grass");
  expect(surfaceOf("matte", 1, 0.7, 0.6, 0.45)).toBe("gravel");
  expect(surfaceOf("matte", 0, 0.7, 0.7, 0.65)).toBe("wall");
  expect(surfaceOf("matte", -0.4, 0.4, 0.33, 0.28)).toBe("rock");
  expect(surfaceOf("satin", 1, 0.1, 0.1, 0.2)).toBe("metal");
});

test("each weapon has its hands: one on a hilt or a grenade, else two", () => {
  const vertices = (model: (typeof WEAPON_MODELS)[number]): number => handsGeometry(model).getAttribute("position").count;
  for (const model of WEAPON_MODELS) expect(vertices(model)).toBeGreaterThan(1000);
  expect(vertices("rifle")).toBe(2 * vertices("sword"));
});
