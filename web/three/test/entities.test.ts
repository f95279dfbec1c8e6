import type { LevelVolume, Session } from "@backstep/client";
import * as THREE from "three";
import { expect, test, vi } from "vitest";
import { Entities } from "../src/entities";
import type { Pose } from "../src/figure";
import { extrasOf, Level, separateMovers } from "../src/levels";
import { outlineOf, remoteDebugText } from "../src/remotedebug";
import { volumeObject } from "../src/volumes";
import { projectilesOf, type DrawableRoots, type DrawnBody, type OtherEntity } from "../src/session";

const AT = { x: 1, y: 2, z: 3 };
const STILL = { x: 0, y: 0, z: 0 };
const NO_TURN = { ...STILL, w: 0 };
const entity = (id: number, kind: number): OtherEntity => ({ id, kind, position: AT, velocity: STILL, rotation: NO_TURN, yaw: 0 });

test("an entity has one object as long as it is there, at its place", () => {
  const made: number[] = [];
  const entities = new Entities<OtherEntity>(({ id }) => {
    made.push(id);
    return new THREE.Object3D();
  });
  entities.show([entity(7, 1)], [], 0.02);
  entities.show([entity(7, 1)], [], 0.02);
  expect(made).toEqual([7]);
  expect(entities.group.children.map((o) => o.position.toArray())).toEqual([[1, 2, 3]]);
  entities.show([], [], 0.02);
  expect(entities.group.children).toHaveLength(0);
});

test("a figure of an NPC gets its pose as a player's does, and is disposed of when the NPC has left", () => {
  const poses: Pose[] = [];
  let disposed = 0;
  const figure = Object.assign(new THREE.Object3D(), { update: (pose: Pose) => poses.push({ ...pose, velocity: pose.velocity.clone() }), dispose: () => disposed++ });
  const entities = new Entities<OtherEntity>(() => figure);
  const npc = {
    ...entity(7, 1), velocity: { x: 2, y: 0, z: 0 }, yaw: -Math.PI / 2, // it looks along X and walks ahead
    baseVelocity: STILL, up: STILL, pitch: 0.1, stance: { crouch: 0, air: 1 }, dead: true, mode: 2, userData: 5,
  };
  entities.show([npc], [], 0.02);
  expect(figure.position.toArray()).toEqual([1, 2, 3]);
  expect(poses[0]).toMatchObject({ dt: 0.02, pitch: 0.1, crouch: 0, air: 1, dead: true, own: false, mode: 2, userData: 5 });
  expect(poses[0]!.velocity.z).toBeCloseTo(-2);
  expect(poses[0]!.velocity.x).toBeCloseTo(0);
  expect(entities.characters([npc, { ...npc, id: 8 }, entity(7, 1)])).toEqual([npc]); // a crosshair points at it
  entities.show([], [], 0.02);
  expect(disposed).toBe(1);
});

test("another kind under the same id is another object", () => {
  const made: number[] = [];
  const entities = new Entities<OtherEntity>(({ kind }) => {
    made.push(kind);
    return new THREE.Object3D();
  });
  for (const kind of [1, 2]) entities.show([entity(7, kind)], [], 0.02);
  expect(made).toEqual([1, 2]);
  expect(entities.group.children).toHaveLength(1);
});

test("rigid bodies are not drawn twice, and undefined draws nothing", () => {
  const entities = new Entities<OtherEntity>(({ kind }) => (kind === 9 ? undefined : new THREE.Object3D()));
  entities.show([entity(1, 1), entity(2, 1), entity(3, 9)], [{ id: 1 } as DrawnBody], 0.02);
  expect(entities.group.children).toHaveLength(1);
});

test("the player's own projectiles are entities of their weapon's kind, with ids below zero", () => {
  const view = { projectiles: [{ drawn: AT, velocity: { x: 0, y: 0, z: -20 }, weapon: 1, shot: 4 }], weapons: [{ flight: { entityKind: 0 } }, { flight: { entityKind: 5 } }] };
  const [own] = projectilesOf(view as unknown as DrawableRoots["view"]);
  expect(own).toMatchObject({ id: -5, kind: 5, position: AT });
  expect(Math.abs(own!.yaw)).toBe(0); // along −Z
});

test("the movers of a glTF level are taken out in the order of their nodes, and volumes hidden", () => {
  const node = (x: number, extras: unknown): THREE.Object3D => {
    const made = new THREE.Object3D();
    made.position.x = x;
    made.userData["backstep"] = extras;
    return made;
  };
  const [lift, door, water, wall] = [node(1, { mover: {} }), node(2, '{"mover":{}}'), node(3, { volume: { water: true } }), node(4, undefined)];
  lift!.rotation.y = 1;
  const model = new THREE.Group().add(lift!, wall!, water!, door!);
  const movers = separateMovers(model);
  expect(movers.map((mover) => [mover.children[0], mover.position.x])).toEqual([[lift, 1], [door, 2]]);
  expect(movers[0]!.rotation.y).toBe(0); // the core's poses begin unturned
  expect(lift!.rotation.y).toBeCloseTo(1);
  expect([water!.visible, wall!.visible, model.children.length]).toEqual([false, true, 2]);
  expect(extrasOf(node(0, "{not JSON"))).toEqual({});
});

test("a level that another copy of three has made is drawn as a model", async () => {
  const core = new URL("./three.core.js?another", import.meta.resolve("three"));
  const other = await import(/* @vite-ignore */ core.href) as typeof THREE;
  expect(other.Group).not.toBe(THREE.Group);
  const wall = new other.Mesh();
  const model = new other.Group().add(wall) as unknown as THREE.Group;
  const level = new Level({ movers: [], joinInfo: { level: "a" }, link: { status: "open" }, volumes: () => [], triangles: () => new Float32Array() } as unknown as Session<DrawableRoots>);
  level.show(model);
  expect([level.group.children.includes(model), wall.castShadow]).toEqual([true, true]);
});

test("the model of the level before is not drawn on the next: the core's triangles are, until there is another", () => {
  const context = { fillRect: () => undefined, strokeRect: () => undefined, canvas: {} };
  vi.stubGlobal("document", { createElement: () => ({ getContext: () => context }) });
  const triangle = new Float32Array([0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0]);
  const joinInfo = { level: "a" };
  const session = { movers: [{ translation: AT, rotation: NO_TURN }], joinInfo, volumes: () => [], triangles: () => triangle };
  const level = new Level(session as unknown as Session<DrawableRoots>);
  const [castle, harbour] = [new THREE.Group(), new THREE.Group()];
  level.show(castle);
  expect(level.group.children.includes(castle)).toBe(true);
  joinInfo.level = "b";
  level.show(castle);
  level.show(castle);
  expect([level.group.children.includes(castle), level.group.children.length]).toEqual([false, 3]); // volumes, the level, its body
  level.show(harbour);
  expect([level.group.children.includes(harbour), level.group.children.length]).toEqual([true, 2]);
  level.show(undefined);
  expect([level.group.children.includes(harbour), level.group.children.length]).toEqual([false, 3]);
});

test("a model that was drawn before, by this stage or by one of an earlier match, still has its movers", () => {
  const context = { fillRect: () => undefined, strokeRect: () => undefined, canvas: {} };
  vi.stubGlobal("document", { createElement: () => ({ getContext: () => context }) });
  const lift = new THREE.Object3D();
  lift.userData["backstep"] = { mover: {} };
  const model = new THREE.Group().add(lift);
  const session = { movers: [{ translation: AT, rotation: NO_TURN }], joinInfo: { level: "a" }, link: { status: "open" }, volumes: () => [], triangles: () => new Float32Array() };
  const [first, second] = [0, 1].map(() => new Level(session as unknown as Session<DrawableRoots>)) as [Level, Level];
  const drawnBy = (level: Level): boolean => {
    level.show(model);
    let found = false;
    level.group.traverse((object) => (found ||= object === lift));
    return found && lift.getWorldPosition(new THREE.Vector3()).distanceTo(AT as THREE.Vector3) < 1e-6;
  };
  expect(drawnBy(first)).toBe(true);
  first.show(undefined);
  expect(drawnBy(first)).toBe(true);
  expect(drawnBy(second)).toBe(true);
});

test("movers of a model are where the core has them in this frame", () => {
  const model = new THREE.Group();
  const lift = new THREE.Object3D();
  lift.userData["backstep"] = { mover: {} };
  model.add(lift);
  const movers = [{ translation: AT, rotation: { x: 0, y: 1, z: 0, w: 0 } }];
  const level = new Level({ movers, joinInfo: { level: "a" }, link: { status: "open" }, volumes: () => [], triangles: () => new Float32Array() } as unknown as Session<DrawableRoots>);
  level.show(model);
  expect(lift.getWorldPosition(new THREE.Vector3()).toArray()).toEqual([1, 2, 3]);
});

test("water, and what kills or launches, is drawn as the box around it; other volumes are not seen", () => {
  const at = { min: { x: 0, y: -2, z: 0 }, max: { x: 4, y: 1, z: 2 } };
  const size = (kind: LevelVolume["kind"]): number[] | undefined => {
    const object = volumeObject({ ...at, kind });
    return object && new THREE.Box3().setFromObject(object).getSize(new THREE.Vector3()).toArray();
  };
  expect([size("water"), size("kill"), size("other")]).toEqual([[4, 3, 2], [4, 3, 2], undefined]);
  expect(size("launch")![1]).toBeCloseTo(0.4); // a pad: above it players are in the air
});

test("without the core's word the debug layer has outlines and names alone", () => {
  const outline = outlineOf({ id: 3, position: AT, velocity: STILL, baseVelocity: STILL, up: STILL, yaw: 0, pitch: 0, dead: false, mode: 1, userData: 0, stance: { crouch: 1, air: 0 } });
  expect(outline).toMatchObject({ player: 3, drawn: { position: AT, crouched: true }, past: [] });
  expect(remoteDebugText(outline, "Bo")).toEqual({ name: "Bo", mode: "", delay: "", age: "", parts: "" });
});
