import { expect, test } from "vitest";
import * as L from "../src/client/layout";
import { ShotDebugView } from "../src/client/shotdebug";
import { shotText, type ShotNames } from "../src/page/shotdebug";

const NAMES: ShotNames = {
  name: (id) => (id === 1 ? "you" : `Bob ${id}`),
  weapon: (i) => ["rifle", "shotgun", "rocket"][i] ?? "",
  isProjectile: (i) => i === 2,
  reason: (n) => (n === 9 ? "weapon was not ready" : n === 8 ? "target was dead already" : ""),
};

/** Returns the text of a shot with these values in the state block. */
function textOf(values: Readonly<Record<number, number>>): string[] {
  const state = new Float64Array(L.STATE_LENGTH);
  state[L.SHOT_DEBUG_COUNT] = 3;
  state[L.SHOT_DEBUG_VOLUME_ERROR] = -1;
  for (const [at, value] of Object.entries(values)) state[Number(at)] = value;
  return shotText(new ShotDebugView({ state }), NAMES);
}

const FIRED = { [L.SHOT_DEBUG_NUMBER]: 77, [L.SHOT_DEBUG_FIRED]: 10.25, [L.SHOT_DEBUG_VIEW_REQUESTED]: 10.15, [L.SHOT_DEBUG_VIEW_GRANTED]: 10.15 };

test("a hit has the target, body part, view time, poses and the deviation of the hitboxes", () => {
  expect(textOf({
    ...FIRED, [L.SHOT_DEBUG_VERDICT]: 2, [L.SHOT_DEBUG_HIT]: 2, [L.SHOT_DEBUG_TARGET]: 4, [L.SHOT_DEBUG_PART]: 2, [L.SHOT_DEBUG_DISTANCE]: 12.34, [L.SHOT_DEBUG_DAMAGE]: 60,
    [L.SHOT_DEBUG_SEEN_HIT]: 2, [L.SHOT_DEBUG_SEEN_TARGET]: 4, [L.SHOT_DEBUG_AGREES]: 1, [L.SHOT_DEBUG_POSES]: 2, [L.SHOT_DEBUG_KNOWN]: 1, [L.SHOT_DEBUG_VOLUME_ERROR]: 0,
    [L.SHOT_DEBUG_EVENTS]: 1, [L.SHOT_DEBUG_EVENT_BASE]: 4, [L.SHOT_DEBUG_EVENT_BASE + 1]: 2, [L.SHOT_DEBUG_EVENT_BASE + 2]: 60,
  })).toEqual([
    "rifle, shot 77",
    "client: hit Bob 4",
    "server: hit Bob 4, head, at 12.3 m: 60 damage",
    "view time: 100 ms before the shot (10.150 s), granted",
    "poses tested: 2, same result as the client",
    "  Bob 4, head: 60 damage",
    "hitboxes: identical",
  ]);
});

test("a refused shot has the reason", () => {
  expect(textOf({ ...FIRED, [L.SHOT_DEBUG_VERDICT]: 0, [L.SHOT_DEBUG_REASON]: 9, [L.SHOT_DEBUG_KNOWN]: 2 })).toEqual([
    "rifle, shot 77",
    "client: hit nothing",
    "server: refused (weapon was not ready)",
    "hitboxes: no longer kept by the server",
  ]);
});

test("a shot judged at a later view time than requested has both times", () => {
  const lines = textOf({ ...FIRED, [L.SHOT_DEBUG_VIEW_GRANTED]: 10.2, [L.SHOT_DEBUG_VERDICT]: 1, [L.SHOT_DEBUG_HIT]: 1, [L.SHOT_DEBUG_DISTANCE]: 3, [L.SHOT_DEBUG_POSES]: 1 });
  expect(lines[2]).toBe("server: hit the level at 3.0 m");
  expect(lines[3]).toBe("view time: 100 ms before the shot (10.150 s), granted 50 ms");
  expect(lines[4]).toBe("poses tested: 1, different from the client");
});

test("a rocket has the view time of its impact, and the damage to each target", () => {
  const lines = textOf({
    ...FIRED, [L.SHOT_DEBUG_WEAPON]: 2, [L.SHOT_DEBUG_VERDICT]: 2, [L.SHOT_DEBUG_HIT]: 1, [L.SHOT_DEBUG_DAMAGE]: 30, [L.SHOT_DEBUG_KNOWN]: 1, [L.SHOT_DEBUG_VOLUME_ERROR]: 0.021,
    [L.SHOT_DEBUG_EVENTS]: 2, [L.SHOT_DEBUG_EVENT_BASE]: 4, [L.SHOT_DEBUG_EVENT_BASE + 2]: 30, [L.SHOT_DEBUG_EVENT_BASE + 4]: 5, [L.SHOT_DEBUG_EVENT_BASE + 7]: 8,
  });
  expect(lines[2]).toBe("server: hit: 30 damage");
  expect(lines[3]).toMatch(/^view time: \d+ ms before the impact/);
  expect(lines.slice(5)).toEqual(["  Bob 4: 30 damage", "  Bob 5: 0 damage (target was dead already)", "hitboxes: up to 2.1 cm apart"]);
});
