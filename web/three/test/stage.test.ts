import type { Session } from "@backstep/client";
import * as THREE from "three";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Stage, type StageOptions } from "../src/stage";
import type { DrawableRoots } from "../src/session";

// A stage from its first picture to the end of its match, without a graphics card.

const calls: string[] = [];
vi.mock("three", async (original) => {
  class WebGLRenderer {
    readonly domElement: unknown;
    readonly shadowMap = {};
    private ratio = 1;
    constructor({ canvas }: { canvas: unknown }) {
      this.domElement = canvas;
    }
    setPixelRatio(ratio: number): void {
      this.ratio = ratio;
    }
    getPixelRatio(): number {
      return this.ratio;
    }
    setSize(width: number, height: number): void {
      calls.push(`size ${width} ${height} by ${this.ratio}`);
    }
    render(): void {
      calls.push("render");
    }
    dispose(): void {
      calls.push("dispose");
    }
    resetState(): void {
      calls.push("resetState");
    }
    forceContextLoss(): void {
      calls.push("forceContextLoss");
    }
  }
  return { ...(await original<typeof THREE>()), WebGLRenderer };
});

const painted = new Proxy({ canvas: {} } as object, { get: (on, key) => Reflect.get(on, key) ?? (() => ({ addColorStop: () => undefined })) });

/** An element or a canvas of 800 × 600. */
class FakeElement extends EventTarget {
  readonly style = { setProperty: () => undefined };
  readonly classList = { add: () => undefined };
  readonly dataset = {};
  readonly children: FakeElement[] = [];
  readonly clientWidth = 800;
  readonly clientHeight = 600;
  parent: FakeElement | undefined;
  getContext = (kind: string): unknown => (kind === "2d" ? painted : null);
  setAttribute(): void {}
  append(...children: FakeElement[]): void {
    for (const child of children) if (child instanceof FakeElement) child.parent = this;
    this.children.push(...children);
  }
  prepend(...children: FakeElement[]): void {
    this.append(...children);
  }
  replaceChildren(...children: FakeElement[]): void {
    this.append(...children);
  }
  remove(): void {
    if (this.parent !== undefined) this.parent.children.splice(this.parent.children.indexOf(this), 1);
  }
}

let body: FakeElement;
beforeEach(() => {
  calls.length = 0;
  body = new FakeElement();
  vi.stubGlobal("document", { body, head: new FakeElement(), createElement: () => new FakeElement() });
  vi.stubGlobal("window", Object.assign(new EventTarget(), { devicePixelRatio: 1 }));
  vi.stubGlobal("ResizeObserver", class { observe(): void {} disconnect(): void {} });
});
afterEach(() => vi.unstubAllGlobals());

const AT = { x: 1, y: 0, z: 2 };
const STILL = { x: 0, y: 0, z: 0 };
const POSE = { position: AT, velocity: STILL, baseVelocity: STILL, up: { x: 0, y: 1, z: 0 }, yaw: 0, pitch: 0, mode: 1, userData: 0, dead: false, stance: { crouch: 0, air: 0 } };

/** A match with another player, an entity and a level of one triangle. */
function match(): Session<DrawableRoots> {
  const lists = { remotes: [{ id: 2, ...POSE }], entities: [{ id: 9, kind: 3, position: AT, velocity: STILL, rotation: { ...STILL, w: 1 }, yaw: 0 }], movers: [], projectiles: [], events: [], shots: [], corrections: [] };
  const stats = { moves: {}, in: {}, out: {} };
  return {
    ...lists, id: 1, eye: { x: 1, y: 1.6, z: 2 }, input: {}, roots: {}, joinInfo: { level: "a" }, link: { transport: "" }, frameTime: 0,
    view: { ...lists, placed: true, pose: POSE, weapons: [], stats }, sweep: () => 1, volumes: () => [], triangles: () => new Float32Array([0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0]),
  } as unknown as Session<DrawableRoots>;
}

const make = (options: StageOptions<DrawableRoots> = {}): Stage => new Stage(match(), { quality: "high", ...options });

/** Listens as a renderer does to what it keeps copies of on the graphics card; returns how many have not been let go. */
function keptBy(scene: THREE.Scene): () => number {
  const kept = new Set<unknown>();
  scene.traverse((object) => {
    const { geometry, material } = object as Partial<THREE.Mesh>;
    for (const one of [geometry, material, (material as Partial<THREE.MeshBasicMaterial> | undefined)?.map, object instanceof THREE.InstancedMesh ? object : undefined]) {
      if (one === undefined || one === null) continue;
      kept.add(one);
      (one as THREE.EventDispatcher<{ dispose: object }>).addEventListener("dispose", () => kept.delete(one));
    }
  });
  return () => kept.size;
}

test("a stage that is disposed of lets go of all that its renderer keeps, also of what all stages share, and of its context", () => {
  const stage = make();
  stage.draw();
  const kept = keptBy(stage.scene);
  expect(kept()).toBeGreaterThan(20);
  stage.dispose();
  expect(kept()).toBe(0);
  expect(calls.filter((call) => !call.startsWith("size"))).toEqual(["render", "dispose", "forceContextLoss"]);
  expect(body.children).toEqual([]);
});

test("the canvas of a page keeps its context, on which the page's next stage draws", () => {
  const canvas = new FakeElement();
  body.append(canvas);
  const stage = make({ canvas: canvas as unknown as HTMLCanvasElement });
  stage.dispose();
  expect(calls.slice(-2)).toEqual(["resetState", "dispose"]);
  expect(body.children).toEqual([canvas]);
  expect(() => make({ canvas: canvas as unknown as HTMLCanvasElement }).draw()).not.toThrow();
});

test("figures of players and NPCs are disposed of with the stage, as when these leave", () => {
  const gone: string[] = [];
  const figure = (name: string): THREE.Group => Object.assign(new THREE.Group(), { dispose: () => gone.push(name) });
  const stage = make({ figure: ({ id }) => figure(`player ${id}`), entity: ({ kind }) => figure(`kind ${kind}`), camera: "first" });
  stage.draw();
  stage.dispose();
  expect(gone.sort()).toEqual(["kind 3", "player 2"]);
});

test("a second dispose does nothing, and a picture after it is not drawn", () => {
  const stage = make();
  stage.dispose();
  calls.length = 0;
  stage.dispose();
  stage.draw();
  expect(calls).toEqual([]);
});

test("a window on another screen has that screen's pixels, though its size is the same", () => {
  const stage = make();
  stage.draw();
  expect(calls.filter((call) => call.startsWith("size")).at(-1)).toBe("size 800 600 by 1");
  Object.assign(window, { devicePixelRatio: 1.5 });
  stage.draw();
  expect(calls.filter((call) => call.startsWith("size")).at(-1)).toBe("size 800 600 by 1.5");
});

test("the own figure is made once, though a wall hides it now and then", () => {
  const made: THREE.Group[] = [];
  const gone: number[] = [];
  const session = match();
  let free = 1;
  Object.assign(session, { sweep: () => free });
  const figure = ({ own }: { own: boolean }): THREE.Group => {
    const group = Object.assign(new THREE.Group(), { update: () => undefined, dispose: () => gone.push(made.length) });
    if (own) made.push(group);
    return group;
  };
  const now = vi.spyOn(performance, "now");
  const stage = new Stage(session, { quality: "high", figure });
  const inScene = (): boolean => made[0]?.parent != null;
  const draw = (): void => {
    for (let frame = 0; frame < 60; frame++) {
      now.mockReturnValue(performance.now() + 16);
      stage.draw();
    }
  };
  for (let walls = 0; walls < 3; walls++) {
    free = 1;
    draw();
    expect([made.length, inScene(), stage.figure(1)]).toEqual([1, true, made[0]]);
    free = 0;
    draw();
    expect([inScene(), stage.figure(1)]).toEqual([false, undefined]);
  }
  expect(gone).toEqual([]);
  stage.dispose();
  expect(gone).toEqual([1, 1]); // the other player's and this
  now.mockRestore();
});

test("a level that begins while the core restarts is drawn when the core has it", () => {
  const session = match();
  const triangles = session.triangles(0);
  let known = triangles;
  Object.assign(session, { triangles: () => known });
  const stage = new Stage(session, { quality: "high" });
  const faces = (): number => {
    stage.draw();
    let count = 0;
    stage.scene.traverse((object) => (count += object instanceof THREE.LineSegments && object.geometry.getAttribute("position")?.count === 6 ? 1 : 0));
    return count; // a triangle's edges
  };
  expect(faces()).toBe(1);
  known = new Float32Array();
  Object.assign(session, { joinInfo: { level: "b" }, link: { status: "lost", transport: "" } });
  faces();
  known = triangles;
  Object.assign(session, { link: { status: "open", transport: "" } });
  expect(faces()).toBe(1);
  known = new Float32Array();
  Object.assign(session, { joinInfo: { level: "c" } });
  expect(faces()).toBe(0); // a level of nothing but volumes
  stage.dispose();
});

test("a page places the camera itself, for a game seen from the side: names and the picture are seen from there", () => {
  const session = match();
  const places: number[] = [];
  const stage = new Stage(session, {
    quality: "high", name: () => "Ann",
    camera: (camera) => {
      camera.position.set(0, 2, 30);
      camera.rotation.set(0, 0, 0);
      places.push(calls.filter((call) => call === "render").length);
    },
  });
  const tag = (): number => {
    stage.draw();
    let height = 0;
    stage.scene.traverse((object) => (height = object instanceof THREE.Sprite ? object.scale.y : height));
    return height;
  };
  const far = tag();
  expect(stage.camera.position.toArray()).toEqual([0, 2, 30]);
  expect(stage.figure(1)).toBeDefined();
  expect(stage.aim({ yaw: 1, pitch: 0 })).toEqual({ yaw: 1, pitch: 0 });
  expect(places).toEqual([0]); // before the picture
  stage.mode = "third";
  expect(tag()).toBeLessThan(far);
  expect(places).toEqual([0]);
  stage.dispose();
});

test("a player that is not placed, a spectator, is no figure at the origin for a camera of the page's own", () => {
  const session = match();
  Object.assign(session.view, { placed: false });
  const stage = new Stage(session, { quality: "high", camera: (camera) => camera.position.set(0, 2, 30) });
  stage.draw();
  expect([stage.figure(1), stage.figure(2) !== undefined]).toEqual([undefined, true]);
  stage.dispose();
});
