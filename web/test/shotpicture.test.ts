import { expect, test } from "vitest";
import type { Line, Hitbox } from "../src/core";
import { projectShot } from "../src/page/shotpicture";

const point = (x: number, y: number, z: number): { x: number; y: number; z: number } => ({ x, y, z });
const none = { x: 0, y: 0, z: 0, w: 1 };
/** A standing capsule from the feet up, ten metres ahead of an eye that looks along −Z. */
function capsule(x: number, judged: boolean): Hitbox {
  return { player: 2, number: 0, judged, shape: "capsule", a: point(x, 0.3, -10), b: point(x, 1.5, -10), radius: 0.3, half: point(0, 0, 0), rotation: none } as unknown as Hitbox;
}
const line = (judged: boolean, to: { x: number; y: number; z: number }): Line => ({ judged, a: point(0, 1, 0), b: to });

test("hitboxes stand upright in the middle and fill the picture", () => {
  const picture = projectShot({ hitboxes: [capsule(0, false)], lines: [line(false, point(0, 1.2, -10))] }, 640, 360);
  const [flat] = picture?.capsules ?? [];
  const [mark] = picture?.marks ?? [];
  if (flat === undefined || mark === undefined) throw new Error("nothing was projected");
  expect(flat.a[0]).toBeCloseTo(320, 0);
  expect(flat.a[1]).toBeGreaterThan(flat.b[1]); // feet below the head
  const top = Math.min(flat.a[1], flat.b[1]) - flat.radius;
  const bottom = Math.max(flat.a[1], flat.b[1]) + flat.radius;
  expect(bottom - top).toBeCloseTo(0.88 * 360, 0);
  expect(mark.at[0]).toBeCloseTo(320, 0);
  expect(mark.at[1]).toBeLessThan(flat.a[1]);
  expect(mark.at[1]).toBeGreaterThan(flat.b[1]);
});

test("what the server had to the right of it is to the right of it", () => {
  const picture = projectShot({ hitboxes: [capsule(0, false), capsule(0.4, true)], lines: [line(false, point(0, 1, -10)), line(true, point(0.4, 1, -10))] }, 640, 360);
  const [client, server] = [picture?.capsules.find((c) => !c.judged), picture?.capsules.find((c) => c.judged)];
  expect((server?.a[0] ?? 0) - (client?.a[0] ?? 0)).toBeCloseTo((0.4 / 0.3) * (client?.radius ?? 0), 0);
  expect(picture?.marks.map((m) => m.judged)).toEqual([false, true]);
});

test("without a hitbox there is no picture", () => {
  expect(projectShot({ hitboxes: [], lines: [line(false, point(0, 0, -9))] }, 640, 360)).toBeUndefined();
});
