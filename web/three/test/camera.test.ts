import * as THREE from "three";
import { describe, expect, test } from "vitest";
import { aimAt } from "../src/aim";
import { EyeHeight, PlayerCamera, verticalFov, type Sweep } from "../src/camera";

const FRAME = 1 / 60;
const open = (): number => 1;
const clamp01 = (v: number): number => Math.min(1, Math.max(0, v));

describe("the third-person camera", () => {
  const eye = new THREE.Vector3(0, 1.6, 0);

  test("stands behind the right shoulder and looks where the player looks", () => {
    const camera = new THREE.PerspectiveCamera();
    const follow = new PlayerCamera({ distance: 4, shoulder: 0.5 }, open);
    for (let i = 0; i < 240; i++) follow.place(camera, "third", eye, Math.PI / 2, 0, FRAME);
    expect(camera.position.x).toBeCloseTo(4, 2); // yaw 90° looks along −X
    expect(camera.position.z).toBeCloseTo(-0.5, 2); // its right
    expect(camera.getWorldDirection(new THREE.Vector3()).x).toBeCloseTo(-1, 6);
    expect(follow.hides("third")).toBe(false);
  });

  test("stands before a wall at once, moves back slowly, and hides a figure that is too near", () => {
    const camera = new THREE.PerspectiveCamera();
    let wall = 1; // share of the way back
    const follow = new PlayerCamera({}, (_, delta) => (Math.abs(delta.z) > 2 ? wall : 1));
    for (let i = 0; i < 240; i++) follow.place(camera, "third", eye, 0, 0, FRAME);
    wall = 0.2;
    follow.place(camera, "third", eye, 0, 0, FRAME);
    expect(camera.position.z).toBeCloseTo(0.8, 6);
    expect(follow.hides("third")).toBe(true);
    wall = 1;
    follow.place(camera, "third", eye, 0, 0, FRAME);
    expect(camera.position.z).toBeGreaterThan(0.8);
    expect(camera.position.z).toBeLessThan(2);
  });

  test("stands further back as soon as the page changes its options", () => {
    const camera = new THREE.PerspectiveCamera();
    const options = { distance: 4 };
    const follow = new PlayerCamera(options, open);
    for (let i = 0; i < 240; i++) follow.place(camera, "third", eye, 0, 0, FRAME);
    options.distance = 8;
    follow.place(camera, "third", eye, 0, 0, FRAME);
    expect(camera.position.z).toBeCloseTo(8, 2);
  });

  test("is not behind a wall beside the shoulder", () => {
    const camera = new THREE.PerspectiveCamera();
    const follow = new PlayerCamera({}, (_, delta) => (delta.x > 0.1 ? 0 : 1));
    for (let i = 0; i < 240; i++) follow.place(camera, "third", eye, 0, 0, FRAME);
    expect(camera.position.x).toBe(0);
  });

  test("beside a wall on the shoulder's side, stands as far back as the wall allows, and does not jump as the view turns", () => {
    const face = 2.5; // of the wall, which is at greater x
    const wall: Sweep = (from, delta, radius) => (delta.x <= 0 ? 1 : clamp01((face - radius - from.x) / delta.x));
    for (const x of [2.138, 2, 1.8, 1.6]) {
      const stand = new THREE.Vector3(x, 1.6, 0);
      const at = (yaw: number): { camera: THREE.PerspectiveCamera; back: number } => {
        const camera = new THREE.PerspectiveCamera();
        new PlayerCamera({ distance: 6 }, wall).place(camera, "third", stand, yaw, 0, 10); // settles at once
        return { camera, back: -camera.position.clone().sub(stand).dot(camera.getWorldDirection(new THREE.Vector3())) };
      };
      let last = at(-0.5);
      const worst = { x: -Infinity, jump: 0, share: Infinity };
      for (let yaw = -0.499; yaw < 0.5; yaw += 0.001) {
        const now = at(yaw);
        // The way to the side, 0.5 m to the right and 0.4 m up, ends 0.2 m before the wall, or where the player is.
        const room = Math.min(face - 0.2 - x, 0.2 * (0.5 / Math.hypot(0.5, 0.4)) * Math.cos(yaw));
        worst.x = Math.max(worst.x, now.camera.position.x);
        worst.jump = Math.max(worst.jump, now.camera.position.distanceTo(last.camera.position));
        worst.share = Math.min(worst.share, now.back / Math.min(6, room / Math.max(Math.sin(yaw), 1e-9)));
        last = now;
      }
      expect(worst.x).toBeLessThanOrEqual(face - 0.2 + 1e-9);
      expect(worst.jump).toBeLessThan(0.25);
      expect(worst.share).toBeGreaterThan(0.999);
    }
  });
});

test("a narrow screen shows 60° from left to right, and its camera stands nearer to the player's line", () => {
  expect(verticalFov(70, 844 / 390)).toBe(70);
  const portrait = (verticalFov(70, 390 / 844) * Math.PI) / 180;
  expect(2 * Math.atan((Math.tan(portrait / 2) * 390) / 844)).toBeCloseTo(Math.PI / 3);
  const camera = new THREE.PerspectiveCamera(70, 0.5);
  new PlayerCamera({ shoulder: 0.7 }, open).place(camera, "third", new THREE.Vector3(0, 1.6, 0), 0, 0, 10);
  expect(camera.position.x).toBeCloseTo(0.35);
});

describe("aiming at the middle of the screen, over a shoulder of 0.7 m", () => {
  const eye = new THREE.Vector3(0, 1.6, 0);
  const camera = new THREE.PerspectiveCamera();
  const follow = (sweep: Sweep): PlayerCamera => new PlayerCamera({ shoulder: 0.7 }, sweep);
  const wall = (z: number): Sweep => (from, delta, radius) => (delta.z >= 0 ? 1 : clamp01((z + radius - from.z) / delta.z));
  const character = (x: number, z: number, y = 0.6) => ({ position: { x, y, z }, up: { x: 0, y: 1, z: 0 }, dead: false, stance: { crouch: 0 } });
  type Target = ReturnType<typeof character>;
  const aim = (sweep: Sweep, targets: Target[] = [], yaw = 0, pitch = 0) => aimAt(eye, follow(sweep).sight(eye, yaw, pitch, 2), targets, sweep);
  const expectAngles = (got: { yaw: number; pitch: number }, yaw: number, pitch: number): void => {
    expect(got.yaw).toBeCloseTo(yaw, 3);
    expect(got.pitch).toBeCloseTo(pitch, 3);
  };

  test("begins beside the player, on the line of the camera", () => {
    const ray = follow(open).sight(eye, 0.4, -0.2, 2);
    follow(open).place(camera, "third", eye, 0.4, -0.2, 10);
    expect(ray.distanceToPoint(camera.position)).toBeGreaterThan(3.9); // which is behind its origin
    expect(new THREE.Ray(camera.position, ray.direction).distanceToPoint(ray.origin)).toBeLessThan(1e-9);
  });

  test("at a wall 10 m ahead", () => expectAngles(aim(wall(-10)), Math.atan2(-0.7, 10), Math.atan2(0.4, Math.hypot(0.7, 10))));

  test("at nothing: at a point 100 m away", () => expectAngles(aim(open), Math.atan2(-0.7, 100), Math.atan2(0.4, 100)));

  test("at a character before the wall, not at one behind it or beside the line, nor at a dead one", () => {
    const near = Math.atan2(-0.7, 5 - 0.34); // its front
    expectAngles(aim(wall(-10), [character(0.7, -5)]), near, Math.atan2(0.4, Math.hypot(0.7, 4.66)));
    const far = Math.atan2(-0.7, 10);
    const pitch = Math.atan2(0.4, Math.hypot(0.7, 10));
    expectAngles(aim(wall(-10), [character(0.7, -12)]), far, pitch);
    expectAngles(aim(wall(-10), [character(0.3, -5)]), far, pitch);
    expectAngles(aim(wall(-10), [{ ...character(0.7, -5), dead: true }]), far, pitch);
    expectAngles(aim(wall(-10), [{ ...character(0.7, -5), stance: { crouch: 1 } }]), far, pitch); // the line passes above it
    expectAngles(aim(wall(-10), [character(0.7, 2)]), far, pitch); // between the camera and the player
  });

  test("the shot meets what is in the middle of the screen, wherever the player looks", () => {
    for (const [yaw, pitch] of [[0.3, -0.1], [-0.3, 0.15], [0.5, 0]] as const) {
      const got = aim(wall(-8), [], yaw, pitch);
      const shot = new THREE.Vector3(0, 0, -1).applyEuler(new THREE.Euler(got.pitch, got.yaw, 0, "YXZ"));
      const end = eye.clone().addScaledVector(shot, (-8 - eye.z) / shot.z);
      follow(wall(-8)).place(camera, "third", eye, yaw, pitch, 10);
      const ahead = camera.getWorldDirection(new THREE.Vector3());
      const middle = camera.position.clone().addScaledVector(ahead, (-8 - camera.position.z) / ahead.z);
      expect(end.distanceTo(middle)).toBeLessThan(0.01);
    }
  });
});

test("first person is the eye, and the top camera looks down with −Z up the screen", () => {
  const camera = new THREE.PerspectiveCamera();
  const eye = new THREE.Vector3(3, 1.6, 2);
  const follow = new PlayerCamera({ height: 20 }, open);
  follow.place(camera, "first", eye, 1, 0.3, FRAME);
  expect(camera.position).toEqual(eye);
  expect(follow.hides("first")).toBe(true);
  follow.place(camera, "top", eye, 1, 0.3, FRAME);
  const { x, y, z } = camera.getWorldDirection(new THREE.Vector3());
  expect(camera.position.y).toBeCloseTo(21.6);
  expect(x).toBeCloseTo(0);
  expect(y).toBeLessThan(-0.9);
  expect(z).toBeLessThan(0);
  expect(follow.hides("top")).toBe(false);
});

describe("the height of the eye", () => {
  const still = { x: 0, y: 0, z: 0 };
  const stand = { position: still, eye: 1.6, velocity: still, walking: true };

  test("is the core's at once, and crouching takes time", () => {
    const eye = new EyeHeight();
    expect(eye.advance(stand, FRAME)).toBe(1.6);
    const crouched = eye.advance({ ...stand, eye: 0.7 }, FRAME);
    expect(crouched).toBeLessThan(1.6);
    expect(crouched).toBeGreaterThan(1.2);
  });

  test("rises evenly over a step of stairs, and not behind a lift's or a jump's way", () => {
    const eye = new EyeHeight();
    const up = (y: number, walking: boolean): number => y + eye.advance({ ...stand, position: { x: 0, y, z: 0 }, walking }, FRAME);
    up(0, true);
    expect(up(0.3, true)).toBeLessThan(1.75); // of 1.9
    for (let i = 0; i < 60; i++) up(0.3, true);
    expect(up(0.3, true)).toBeCloseTo(1.9, 3);
    expect(up(0.6, false)).toBeCloseTo(2.2, 6);
    expect(up(3, true)).toBeCloseTo(4.6, 6); // too high for a step: a teleport
  });

  test("does not sink on a lift, whose velocity the player has, at any frame rate", () => {
    for (const rate of [10, 60, 240]) for (const speed of [3, -3]) {
      const eye = new EyeHeight();
      for (let frame = 0; frame < 2 * rate; frame++) {
        const state = { ...stand, position: { x: 0, y: (speed * frame) / rate, z: 0 }, velocity: { x: 0, y: speed, z: 0 } };
        expect(eye.advance(state, 1 / rate)).toBeCloseTo(1.6, 6);
      }
    }
  });

  test("begins anew after a reset", () => {
    const eye = new EyeHeight();
    eye.advance(stand, FRAME);
    eye.reset();
    expect(eye.advance({ ...stand, position: { x: 0, y: 0.3, z: 0 }, eye: 1 }, FRAME)).toBe(1);
  });
});
