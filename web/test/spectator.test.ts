// What needs no page of spectators, steps and the sides of sounds.
import { PerspectiveCamera } from "three";
import { expect, test } from "vitest";
import { Footsteps, type Walker } from "../src/page/footsteps";
import { heardBy } from "../src/page/sound";
import { nextFollowed } from "../src/page/spectator";

test("a spectator goes through the players by number, then flies freely", () => {
  expect([0, 2, 5, 9, 3].map((now) => nextFollowed([9, 2, 5], now))).toEqual([2, 5, 9, 0, 5]);
  expect(nextFollowed([], 0)).toBe(0);
});

test("a foot comes down every 1.6 m, also where the distance wraps, and never in the air or for the dead", () => {
  const steps = new Footsteps();
  const walker = (strideDistance: number, other: Partial<Walker> = {}): Walker => ({ id: 1, strideDistance, position: { x: 0, y: 0, z: 0 }, base: 0, airborne: false, dead: false, ...other });
  expect(steps.advance([walker(1.5)])).toEqual([]); // it has just come into view
  expect(steps.advance([walker(1.59)])).toEqual([]);
  expect(steps.advance([walker(1.7)])).toHaveLength(1);
  expect(steps.advance([walker(63.9)])).toHaveLength(1);
  expect(steps.advance([walker(0.1)])).toHaveLength(1);
  expect(steps.advance([walker(1.7, { airborne: true })])).toEqual([]);
  expect(steps.advance([walker(3.3, { dead: true })])).toEqual([]);
});

test("a sound is heard on its side of the camera, and the own feet on none", () => {
  const camera = new PerspectiveCamera();
  camera.position.set(10, 2, 0);
  camera.rotation.set(0, Math.PI / 2, 0); // towards −X
  camera.updateMatrixWorld();
  expect(heardBy(camera, { x: 10, y: 2, z: -8 })).toEqual({ distance: 8, pan: expect.closeTo(0.9, 6) });
  expect(heardBy(camera, { x: 10, y: 2, z: 8 }).pan).toBeCloseTo(-0.9, 6);
  expect(heardBy(camera, { x: 0, y: 2, z: 0 }).pan).toBeCloseTo(0, 6);
  expect(Math.abs(heardBy(camera, { x: 10, y: 1.9, z: 0.05 }).pan)).toBeLessThan(0.06);
});
