// The other players and the hands, without a graphics card.
import * as THREE from "three";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Characters } from "../src/page/characters";
import { loadCharacterModel } from "../src/page/charactermodel";
import { ViewModel, type ViewModelInput } from "../src/page/viewmodel";
import type { Figure } from "../src/core";

vi.mock("../src/page/charactermodel", () => ({ loadCharacterModel: vi.fn() }));

const painted = new Proxy({ canvas: {} } as object, { get: (on, key) => Reflect.get(on, key) ?? (() => ({ addColorStop: () => undefined })) });

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("document", { createElement: () => ({ getContext: () => painted }) });
  vi.mocked(loadCharacterModel).mockResolvedValue({ parts: [{ name: "body", bone: 0, transform: new THREE.Matrix4(), geometry: new THREE.BoxGeometry() }], head: 0, rightHand: 0 });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const figures = [{ player: 7, held: 0, bones: [] }] as unknown as Figure[];
const none = new THREE.Vector3();

test("a model whose download fails is loaded again: without it no opponent is seen", async () => {
  vi.spyOn(console, "warn").mockReturnValue();
  vi.mocked(loadCharacterModel).mockRejectedValueOnce(new TypeError("Failed to fetch"));
  const characters = new Characters({ name: () => "Bob", colour: () => new THREE.Color(), weaponModel: () => "rifle" });
  const drawn = (): number => {
    characters.show([], figures, 0.01, none);
    return characters.group.children.filter((mesh) => mesh instanceof THREE.InstancedMesh && mesh.count === 1).length;
  };
  await vi.advanceTimersByTimeAsync(100);
  expect(drawn()).toBe(0);
  await vi.advanceTimersByTimeAsync(5000);
  expect(drawn()).toBe(2); // a body and a rifle
});

test("a player of another name or team, or another player with the same number, gets its own colour", async () => {
  let [name, colour] = ["▲ Bob", "red"];
  const characters = new Characters({ name: () => name, colour: () => new THREE.Color(colour), weaponModel: () => "rifle" });
  await vi.advanceTimersByTimeAsync(0);
  const painted = (): string => {
    characters.show([], figures, 0.01, none);
    const body = characters.group.children.find((mesh) => mesh instanceof THREE.InstancedMesh && mesh.instanceColor !== null) as THREE.InstancedMesh;
    const drawn = new THREE.Color();
    body.getColorAt(0, drawn);
    return drawn.r > drawn.b ? "red" : "blue";
  };
  expect(painted()).toBe("red");
  [name, colour] = ["■ Bob", "blue"];
  expect(painted()).toBe("blue");
  expect(characters.group.children.filter((child) => child instanceof THREE.Sprite)).toHaveLength(1);
});

test("after a swing of the blade the hands are where they were before", () => {
  const model = new ViewModel();
  model.equip("sword");
  const still: ViewModelInput = { speed: 0, yaw: 0, pitch: 0, rising: 0, reload: 0, draw: 0, crouched: false, shielded: false, aiming: false, hidden: false };
  const held = model.group.children[0]!;
  for (let i = 0; i < 200; i++) model.advance(still, 0.02);
  const before = held.quaternion.clone();
  model.strike();
  for (let i = 0; i < 200; i++) model.advance(still, 0.02);
  expect(before.angleTo(held.quaternion)).toBeLessThan(1e-6);
});
