import { TRIANGLE_SIZE } from "@backstep/client";
import { describe, expect, test } from "vitest";
import { edgesOf, paintBySlope, paintFaces, vertices, type Paint } from "../src/level";

/** The twelve triangles of a box, as the core hands them over. */
function box(half: readonly [number, number, number], at: readonly [number, number, number], shape = 0, walk = 0): number[] {
  const corner = (i: number): number[] => [0, 1, 2].map((axis) => at[axis]! + (i & (1 << axis) ? half[axis]! : -half[axis]!));
  const faces = [[0, 4, 6], [0, 6, 2], [1, 3, 7], [1, 7, 5], [0, 1, 5], [0, 5, 4], [2, 6, 7], [2, 7, 3], [0, 2, 3], [0, 3, 1], [4, 5, 7], [4, 7, 6]];
  return faces.flatMap((face) => [...face.flatMap(corner), shape, walk]);
}

const grey: Paint = () => 0x808080;

describe("a level of triangles", () => {
  const level = new Float32Array(box([1, 1, 1], [0, 1, 0]));

  test("is drawn with corners, normals to the outside, and a colour for each face", () => {
    const seen: number[] = [];
    const faces = paintFaces(level, ({ up, height }) => {
      seen.push(up);
      return up > 0.9 ? (height === 2 ? 0x00ff00 : undefined) : 0x0000ff;
    });
    const made = vertices(level, faces);
    expect(seen.filter((up) => up > 0.9)).toHaveLength(2);
    expect(made.position).toHaveLength(12 * 9);
    expect([...made.position.slice(0, 9)]).toEqual([...level.slice(0, 9)]);
    expect(faces.every(({ middle, normal }) => normal.dot(middle.clone().setY(middle.y - 1)) > 0.9)).toBe(true);
    expect(made.uv).toHaveLength(12 * 6);
  });

  test("leaves out what is not painted, its edges too", () => {
    const faces = paintFaces(level, ({ up }) => (up > 0.9 ? 0xffffff : undefined));
    expect(faces).toHaveLength(2);
    expect(edgesOf(level, faces).length / 6).toBe(4); // around the top, not across it
  });

  test("has lines along its twelve edges, and none across its faces", () => {
    const edges = edgesOf(level, paintFaces(level, grey));
    expect(edges.length / 6).toBe(12);
    for (let i = 0; i < edges.length; i += 6) {
      const same = [0, 1, 2].filter((axis) => edges[i + axis] === edges[i + 3 + axis]);
      expect(same).toHaveLength(2);
    }
  });

  test("that is a square has lines along its sides, and none across", () => {
    const square = new Float32Array([0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0, 0]);
    expect(square).toHaveLength(2 * TRIANGLE_SIZE);
    expect(edgesOf(square, paintFaces(square, grey)).length / 6).toBe(4);
  });

  test("without triangles is empty", () => {
    const none = new Float32Array();
    expect(paintFaces(none, grey)).toEqual([]);
    expect(edgesOf(none, [])).toHaveLength(0);
  });
});

test("floors, ramps, slopes too steep to walk, walls and surfaces that nobody walks on have colours of their own", () => {
  const colour = (up: number, walk = 0, height = 0): string => paintBySlope({ up, height, shape: 0, walk }).getHexString();
  const kinds = [colour(1), colour(0.8), colour(0.5), colour(0), colour(-1), colour(1, 2)];
  expect(new Set(kinds).size).toBe(kinds.length);
  expect(colour(0.5, 1)).toBe(colour(0.8)); // a steep surface that is always walked on is a ramp
  expect(colour(1, 0, 6)).not.toBe(colour(1, 0, 0));
});
