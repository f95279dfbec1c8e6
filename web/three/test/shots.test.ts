import * as THREE from "three";
import { expect, test } from "vitest";
import type { DrawableRoots } from "../src/session";
import { Shots } from "../src/shots";

type View = DrawableRoots["view"];
const at = (x: number, y: number, z: number): { x: number; y: number; z: number } => ({ x, y, z });
const weapon = (kind: "hitscan" | "melee" | "projectile", radius = 0): View["weapons"][number] => ({ kind, flight: { entityKind: 0 }, blast: { radius } });
const view = { weapons: [weapon("hitscan"), weapon("melee"), weapon("projectile", 4)] } as unknown as View;
const event = (kind: string, weapon: number, more: object = {}): View["events"][number] => ({ kind, weapon, corrected: false, from: at(0, 1, 0), to: at(0, 1, -10), points: [], ...more });

/** The drawn traces and flashes: where they begin, and where they reach. */
function drawn(shots: Shots, which: 0 | 1): { from: number[]; to: number[] }[] {
  const mesh = shots.group.children[which] as THREE.InstancedMesh;
  return Array.from({ length: mesh.count }, (_, i) => {
    const matrix = new THREE.Matrix4();
    mesh.getMatrixAt(i, matrix);
    const point = (v: THREE.Vector3): number[] => v.applyMatrix4(matrix).toArray().map((n) => Math.round(n * 100) / 100 + 0);
    return { from: point(new THREE.Vector3()), to: point(new THREE.Vector3(0, 0, 1)) };
  });
}

test("a shot that is seen has a trace from there to there, and one for each pellet", () => {
  const shots = new Shots();
  shots.read(view, [event("shotSeen", 0, { points: [at(2, 1, -10)] })], [], undefined);
  shots.advance(0);
  expect(drawn(shots, 0)).toEqual([{ from: [0, 1, 0], to: [0, 1, -10] }, { from: [0, 1, 0], to: [2, 1, -10] }]);
  expect(drawn(shots, 1)).toHaveLength(2);
});

test("it is gone at once", () => {
  const shots = new Shots();
  shots.read(view, [event("shotSeen", 0)], [], undefined);
  shots.advance(0.2);
  expect(drawn(shots, 0)).toHaveLength(0);
  shots.advance(0.2);
  expect(drawn(shots, 1)).toHaveLength(0);
});

test("blades have no trace, and a blast flashes in its size, once", () => {
  const shots = new Shots();
  shots.read(view, [event("shotSeen", 1), event("detonated", 2), event("detonated", 2, { corrected: true })], [], undefined);
  shots.advance(0);
  expect(drawn(shots, 0)).toHaveLength(0);
  expect(drawn(shots, 1)).toEqual([{ from: [0, 1, -10], to: [0, 1, -6] }]);
});

test("the player's own shot begins at its gun, and what hits nothing does not flash", () => {
  const shots = new Shots();
  const shot = { claim: { weapon: 0 }, eye: at(0, 1.6, 0), outcomes: [{ kind: "nothing", point: at(0, 1.6, -40) }] };
  const camera = new THREE.PerspectiveCamera();
  camera.position.set(0, 1.6, 0);
  camera.updateMatrixWorld();
  shots.read(view, [], [shot], camera);
  shots.read(view, [], [shot], undefined);
  shots.advance(0);
  expect(drawn(shots, 0).map(({ from }) => from)).toEqual([[0.3, 1.3, -1.2], [0, 1.3, 0]]);
  expect(drawn(shots, 1)).toHaveLength(0);
});

test("a hail of shots stays within its bound", () => {
  const shots = new Shots();
  for (let i = 0; i < 500; i++) shots.read(view, [event("shotSeen", 0)], [], undefined);
  shots.advance(0);
  expect(drawn(shots, 0)).toHaveLength(96);
});
