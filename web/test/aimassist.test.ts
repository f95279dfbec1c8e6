// Aim assist: how fast thumbs turn the view near an opponent.
import { expect, test } from "vitest";
import { lookFactor } from "../src/page/aimassist";

const EYE = { x: 0, y: 1.6, z: 0 };
const always = (): boolean => true;

test("the view turns half as fast on a visible opponent, and as always away from one", () => {
  const chest = { x: 0, y: 1.6, z: -10 }; // straight ahead
  expect(lookFactor(EYE, 0, 0, [chest], always)).toBe(0.5);
  expect(lookFactor(EYE, 0, 0, [chest], () => false)).toBe(1);
  expect(lookFactor(EYE, 0.5, 0, [chest], always)).toBe(1);
  expect(lookFactor(EYE, Math.PI, 0, [chest], always)).toBe(1);
  expect(lookFactor(EYE, 0, 0, [], always)).toBe(1);
});

test("it slows down gradually, and more narrowly far away", () => {
  const factors = [0, 0.05, 0.08, 0.1, 0.12, 0.2].map((yaw) => lookFactor(EYE, yaw, 0, [{ x: 0, y: 1.6, z: -10 }], always));
  expect(factors).toEqual([...factors].sort((a, b) => a - b));
  expect(factors[3]).toBeGreaterThan(0.5);
  expect(factors[3]).toBeLessThan(1);
  expect(lookFactor(EYE, 0.06, 0, [{ x: 0, y: 1.6, z: -40 }], always)).toBe(1);
});

test("yaw and pitch mean the same as in the game, and nobody beyond 50 m counts", () => {
  expect(lookFactor(EYE, Math.PI / 2, 0, [{ x: -8, y: 1.6, z: 0 }], always)).toBe(0.5); // left is −X
  expect(lookFactor(EYE, 0, Math.PI / 4, [{ x: 0, y: 9.6, z: -8 }], always)).toBe(0.5);
  expect(lookFactor(EYE, 0, 0, [{ x: 0, y: 1.6, z: -51 }], always)).toBe(1);
});
