// The head-up display over the lives of a player.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Hud } from "../src/page/hud";
import type { Self } from "../src/page/self";

const elements = new Map<string, { textContent: string }>();

beforeEach(() => {
  elements.clear();
  const make = (): object => ({ textContent: "", hidden: false, dataset: {}, style: { setProperty: () => undefined }, classList: { toggle: () => undefined } });
  vi.stubGlobal("document", { getElementById: (id: string) => elements.get(id) ?? elements.set(id, make() as { textContent: string }).get(id) });
});
afterEach(() => vi.unstubAllGlobals());

test("a death whose message comes later than the state does not name the killer of the one before", () => {
  const hud = new Hud();
  const live = (dead: boolean): void => hud.update({ dead, health: dead ? 0 : 100, velocity: { x: 0, y: 0, z: 0 } } as Self, 0, 0.02);
  const said = (): string => elements.get("death-by")!.textContent;
  live(false);
  hud.killedBy("Killed by Bob"); // before the state
  live(true);
  expect(said()).toBe("Killed by Bob");
  live(false);
  live(true);
  expect(said()).toBe("");
});
