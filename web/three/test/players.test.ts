import * as THREE from "three";
import { afterEach, expect, test, vi } from "vitest";
import type { Pose } from "../src/figure";
import { Players, type PlayerView } from "../src/players";

afterEach(() => vi.unstubAllGlobals());

test("a figure gets with its pose how its player moves, the game's own number, and whether it is the page's own", () => {
  const painted = new Proxy({ canvas: {} } as object, { get: (on, key) => Reflect.get(on, key) ?? (() => ({ addColorStop: () => undefined })) });
  vi.stubGlobal("document", { createElement: () => ({ getContext: () => painted }) });
  const poses: Pose[] = [];
  const figure = (): THREE.Object3D => Object.assign(new THREE.Group(), { update: (pose: Pose) => poses.push({ ...pose }) });
  const players = new Players({ figure }, () => 1);
  const still = { x: 0, y: 0, z: 0 };
  const view: PlayerView = {
    id: 1, own: true, source: {}, position: still, velocity: still, baseVelocity: still, up: still, yaw: 0, pitch: 0, crouch: 0, air: 0, dead: false,
    mode: 16, userData: 3,
  };
  players.show([view, { ...view, id: 2, own: false, mode: 17, userData: 5 }], new THREE.Vector3(), 1 / 60);
  expect(poses.map(({ own, mode, userData }) => ({ own, mode, userData }))).toEqual([
    { own: true, mode: 16, userData: 3 },
    { own: false, mode: 17, userData: 5 },
  ]);
});
