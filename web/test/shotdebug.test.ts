import { expect, test } from "vitest";
import type { DamageEvent, Outcome, Receipt, ShotRecord } from "../src/core";
import { shotSentence, shotText, type ShotFigures, type ShotNames } from "../src/page/shotdebug";

const NAMES: ShotNames = {
  name: (id) => (id === 1 ? "you" : `Bob ${id}`),
  weapon: (i) => ["rifle", "shotgun", "rocket"][i] ?? "",
  isProjectile: (i) => i === 2,
};

const NOTHING = { kind: "nothing", target: 0, hitGroup: "", distance: 0 } as Outcome;
const NO_DAMAGE = { target: 0, hitGroup: "", damage: 0, reason: "" } as DamageEvent;

/** What a test says of a shot; the rest is of one that hit nothing and has no answer. */
interface Shot {
  weapon?: number;
  receipt?: Partial<Receipt> & { outcome?: Partial<Outcome> };
  seen?: Partial<Outcome>;
  /** Whether the server still has the poses; undefined before they come. */
  known?: boolean;
  hitboxError?: number;
}

/** Returns the text of a shot that was fired at 10.25 s of the match, at a view of 10.15 s. */
function textOf(shot: Shot): string[] {
  return shotText(figuresOf(shot), NAMES);
}

function sentenceOf(shot: Shot): string {
  return shotSentence(figuresOf(shot), NAMES);
}

function figuresOf({ weapon = 0, receipt, seen, known, hitboxError = -1 }: Shot): ShotFigures {
  const judged = {
    verdict: "miss", reason: "", viewGranted: 10.15, agrees: false, damage: 0, eventCount: receipt?.events?.length ?? 0, scene: { count: 0, sum: 0 },
    ...receipt, events: [...(receipt?.events ?? []), NO_DAMAGE, NO_DAMAGE], outcome: { ...NOTHING, ...receipt?.outcome },
  };
  const record = { number: 77, weapon, seen: { ...NOTHING, ...seen }, answered: receipt !== undefined, receipt: judged, debug: known === undefined ? null : { known } };
  return { record: record as unknown as ShotRecord, fired: 10.25, viewRequested: 10.15, hitboxError };
}

function damage(target: number, points: number, more: Partial<DamageEvent> = {}): DamageEvent {
  return { ...NO_DAMAGE, target, damage: points, ...more };
}

test("a hit has the target, hit group, view time, poses and the deviation of the hitboxes", () => {
  const bob = { kind: "player", target: 4, hitGroup: "head", distance: 12.34 } as const;
  expect(textOf({
    receipt: { verdict: "hit", outcome: bob as Outcome, damage: 60, agrees: true, scene: { count: 2, sum: 0 }, events: [damage(4, 60, { hitGroup: "head" })] },
    seen: bob, known: true, hitboxError: 0,
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
  expect(shotText({ record: null, fired: 0, viewRequested: 0, hitboxError: -1 }, NAMES)).toEqual([]);
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
    weapon: 2, known: true, hitboxError: 0.021,
    receipt: { verdict: "hit", outcome: { kind: "world" } as Outcome, damage: 30, events: [damage(4, 30), damage(5, 0, { reason: "target was dead already" })] },
  });
  expect(lines[2]).toBe("server: hit: 30 damage");
  expect(lines[3]).toMatch(/^view time: \d+ ms before the impact/);
  expect(lines.slice(5)).toEqual(["  Bob 4: 30 damage", "  Bob 5: 0 damage (target was dead already)", "hitboxes: up to 2.1 cm apart"]);
});

const BOB_HIT = { kind: "player", target: 4, hitGroup: "head", distance: 12 } as Outcome;

test("one sentence says of a hit where the server had the target", () => {
  const receipt = { verdict: "hit", outcome: BOB_HIT, damage: 60, agrees: true } as const;
  expect(sentenceOf({ receipt, seen: BOB_HIT })).toBe("A hit on Bob 4, head: 60 damage, judged in the view that you saw.");
  expect(sentenceOf({ receipt, seen: BOB_HIT, known: true, hitboxError: 0 })).toBe("A hit on Bob 4, head: 60 damage, with the target exactly where you saw it.");
  expect(sentenceOf({ receipt, seen: BOB_HIT, known: true, hitboxError: 0.12 })).toBe("A hit on Bob 4, head: 60 damage, with the target 12 cm from where you saw it.");
  expect(sentenceOf({ receipt })).toBe("The server gave you a hit on Bob 4, head that your screen did not show: 60 damage.");
  expect(sentenceOf({ receipt: { ...receipt, damage: 0, reason: "target evaded" } })).toBe("A hit on Bob 4, head without damage: target evaded.");
});

test("of a hit that the server did not see it says why", () => {
  const miss = { verdict: "miss", outcome: { ...NOTHING, kind: "world" } as Outcome, viewGranted: 10.15 } as const;
  expect(sentenceOf({ receipt: miss, seen: BOB_HIT, known: true, hitboxError: 0.034 })).toBe("Your screen showed a hit on Bob 4, but on the server the shot hit the level: there the target was 3 cm from where you saw it.");
  expect(sentenceOf({ receipt: { ...miss, viewGranted: 10.2 }, seen: BOB_HIT })).toBe("Your screen showed a hit on Bob 4, but on the server the shot hit the level: your view was 50 ms older than the server allows.");
  expect(sentenceOf({ receipt: miss, seen: BOB_HIT, known: true, hitboxError: 0 })).toContain("you fired from another place than your screen showed");
  expect(sentenceOf({ receipt: miss })).toBe("A miss on your screen and on the server.");
});

test("a refusal, a flight and a shot without an answer are one sentence too", () => {
  expect(sentenceOf({ receipt: { verdict: "refused", reason: "too fast" } })).toBe("The server refused this shot: too fast.");
  expect(sentenceOf({ weapon: 2, receipt: { verdict: "launched" } })).toBe("Your rocket is still in flight.");
  expect(sentenceOf({})).toBe("The server has not judged this shot yet.");
  expect(shotSentence({ record: null, fired: 0, viewRequested: 0, hitboxError: -1 }, NAMES)).toBe("Fire once: this shows how the server judged your shot.");
});
