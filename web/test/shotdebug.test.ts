import { expect, test } from "vitest";
import type { DamageEvent, Outcome, Receipt, ShotRecord } from "../src/core";
import { shotText, type ShotFigures, type ShotNames } from "../src/page/shotdebug";

const NAMES: ShotNames = {
  name: (id) => (id === 1 ? "you" : `Bob ${id}`),
  weapon: (i) => ["rifle", "shotgun", "rocket"][i] ?? "",
  isProjectile: (i) => i === 2,
};

const NOTHING = { kind: "nothing", target: 0, tag: "", distance: 0 } as Outcome;
const NO_DAMAGE = { target: 0, tag: "", damage: 0, reason: "" } as DamageEvent;

/** What a test says of a shot; the rest is of one that hit nothing and has no answer. */
interface Shot {
  weapon?: number;
  receipt?: Partial<Receipt> & { outcome?: Partial<Outcome> };
  seen?: Partial<Outcome>;
  /** Whether the server still has the poses; undefined before they come. */
  known?: boolean;
  volumeError?: number;
}

/** Returns the text of a shot that was fired at 10.25 s of the match, at a view of 10.15 s. */
function textOf({ weapon = 0, receipt, seen, known, volumeError = -1 }: Shot): string[] {
  const judged = {
    verdict: "miss", reason: "", viewGranted: 10.15, agrees: false, damage: 0, eventCount: receipt?.events?.length ?? 0, scene: { count: 0, sum: 0 },
    ...receipt, events: [...(receipt?.events ?? []), NO_DAMAGE, NO_DAMAGE], outcome: { ...NOTHING, ...receipt?.outcome },
  };
  const record = { number: 77, weapon, seen: { ...NOTHING, ...seen }, answered: receipt !== undefined, receipt: judged, debug: known === undefined ? null : { known } };
  const shot: ShotFigures = { record: record as unknown as ShotRecord, fired: 10.25, viewRequested: 10.15, volumeError };
  return shotText(shot, NAMES);
}

function damage(target: number, points: number, more: Partial<DamageEvent> = {}): DamageEvent {
  return { ...NO_DAMAGE, target, damage: points, ...more };
}

test("a hit has the target, body part, view time, poses and the deviation of the hitboxes", () => {
  const bob = { kind: "player", target: 4, tag: "head", distance: 12.34 } as const;
  expect(textOf({
    receipt: { verdict: "hit", outcome: bob as Outcome, damage: 60, agrees: true, scene: { count: 2, sum: 0 }, events: [damage(4, 60, { tag: "head" })] },
    seen: bob, known: true, volumeError: 0,
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

test("before the answer the shot waits, and without a shot there is no text", () => {
  expect(textOf({ seen: { kind: "world" } })).toEqual(["rifle, shot 77", "client: hit the level", "server: no answer yet", "hitboxes: waiting for the server"]);
  expect(shotText({ record: null, fired: 0, viewRequested: 0, volumeError: -1 }, NAMES)).toEqual([]);
});

test("a refused shot has the reason", () => {
  expect(textOf({ receipt: { verdict: "refused", reason: "weapon was not ready" }, known: false })).toEqual([
    "rifle, shot 77",
    "client: hit nothing",
    "server: refused (weapon was not ready)",
    "hitboxes: no longer kept by the server",
  ]);
});

test("a shot judged at a later view time than requested has both times", () => {
  const lines = textOf({ receipt: { viewGranted: 10.2, verdict: "miss", outcome: { kind: "world", distance: 3 } as Outcome, scene: { count: 1, sum: 0 } } });
  expect(lines[2]).toBe("server: hit the level at 3.0 m");
  expect(lines[3]).toBe("view time: 100 ms before the shot (10.150 s), granted 50 ms");
  expect(lines[4]).toBe("poses tested: 1, different from the client");
});

test("a rocket has the view time of its impact, and the damage to each target", () => {
  const lines = textOf({
    weapon: 2, known: true, volumeError: 0.021,
    receipt: { verdict: "hit", outcome: { kind: "world" } as Outcome, damage: 30, events: [damage(4, 30), damage(5, 0, { reason: "target was dead already" })] },
  });
  expect(lines[2]).toBe("server: hit: 30 damage");
  expect(lines[3]).toMatch(/^view time: \d+ ms before the impact/);
  expect(lines.slice(5)).toEqual(["  Bob 4: 30 damage", "  Bob 5: 0 damage (target was dead already)", "hitboxes: up to 2.1 cm apart"]);
});
