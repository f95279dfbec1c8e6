// The map's arithmetic: where a place of the level is on it.
import { expect, test } from "vitest";
import { frameOf, pixelOf } from "../src/page/minimap";

test("the longer side of a level fits the map, north up", () => {
  const frame = frameOf(-30, -20, 50, 20, 320);
  expect(pixelOf(frame, -30, 0)).toEqual([8, 160]);
  expect(pixelOf(frame, 50, 0)).toEqual([312, 160]);
  expect(pixelOf(frame, 10, -20)[1]).toBeLessThan(160); // −Z is north
  expect(pixelOf(frame, 10, 20)[1]).toBe(160 + 20 * frame.scale);
});

test("what is outside the level is on the edge, and an empty level is no division by zero", () => {
  expect(pixelOf(frameOf(0, 0, 10, 10, 320), 1e6, -1e6)).toEqual([312, 8]);
  expect(pixelOf(frameOf(0, 0, 0, 0, 320), 0, 0)).toEqual([160, 160]);
});
