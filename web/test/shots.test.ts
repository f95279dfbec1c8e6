import { expect, test } from "vitest";
import * as L from "../src/client/layout";
import { ShotDebugView } from "../src/client/proof";
import { shotText, type ShotNames } from "../src/page/shots";

const WORDS: ShotNames = {
  name: (id) => (id === 1 ? "you" : `Bob ${id}`),
  weapon: (i) => ["rifle", "shotgun", "rocket"][i] ?? "",
  isProjectile: (i) => i === 2,
  reason: (n) => (n === 9 ? "weapon was not ready" : n === 8 ? "target was dead already" : ""),
};

/** What is said of a shot of which that is known. */
function said(known: Readonly<Record<number, number>>): string[] {
  const state = new Float64Array(L.STATE_LENGTH);
  state[L.PROOF_SHOTS] = 3;
  state[L.PROOF_APART] = -1;
  for (const [at, value] of Object.entries(known)) state[Number(at)] = value;
  return shotText(new ShotDebugView({ state }), WORDS);
}

const FIRED = { [L.PROOF_SHOT]: 77, [L.PROOF_FIRED]: 10.25, [L.PROOF_ASKED]: 10.15, [L.PROOF_GRANTED]: 10.15 };

test("a hit is said with whom, where, the time that was granted, the poses and how far they are apart", () => {
  expect(said({
    ...FIRED, [L.PROOF_VERDICT]: 2, [L.PROOF_MET]: 2, [L.PROOF_TARGET]: 4, [L.PROOF_PART]: 2, [L.PROOF_DISTANCE]: 12.34, [L.PROOF_DAMAGE]: 60,
    [L.PROOF_SAW]: 2, [L.PROOF_SAW_TARGET]: 4, [L.PROOF_AGREES]: 1, [L.PROOF_TESTED]: 2, [L.PROOF_KNOWN]: 1, [L.PROOF_APART]: 0,
    [L.PROOF_HURTS]: 1, [L.PROOF_HURT_BASE]: 4, [L.PROOF_HURT_BASE + 1]: 2, [L.PROOF_HURT_BASE + 2]: 60,
  })).toEqual([
    "rifle, shot 77: on your screen it met Bob 4",
    "hit Bob 4, head, at 12.3 m: 60 damage",
    "when you fired you saw them as they were 100 ms before (picture of 10.150 s): granted",
    "tested against 2 poses, as you saw it",
    "  Bob 4, head: 60",
    "blue and red are the same, bit for bit",
  ]);
});

test("a shot that was refused is said with the reason", () => {
  expect(said({ ...FIRED, [L.PROOF_VERDICT]: 0, [L.PROOF_REASON]: 9, [L.PROOF_KNOWN]: 2 })).toEqual([
    "rifle, shot 77: on your screen it met nothing",
    "refused: weapon was not ready",
    "the server keeps no poses of this shot",
  ]);
});

test("one that was judged by a later picture than it asked for says so", () => {
  const lines = said({ ...FIRED, [L.PROOF_GRANTED]: 10.2, [L.PROOF_VERDICT]: 1, [L.PROOF_MET]: 1, [L.PROOF_DISTANCE]: 3, [L.PROOF_TESTED]: 1 });
  expect(lines[1]).toBe("missed: it met the world at 3.0 m");
  expect(lines[2]).toContain("100 ms before (picture of 10.150 s): the server granted 50 ms");
  expect(lines[3]).toBe("tested against 1 pose, otherwise than you saw it");
});

test("a rocket's word is on where it ended, and on whom it spared", () => {
  const lines = said({
    ...FIRED, [L.PROOF_WEAPON]: 2, [L.PROOF_VERDICT]: 2, [L.PROOF_MET]: 1, [L.PROOF_DAMAGE]: 30, [L.PROOF_KNOWN]: 1, [L.PROOF_APART]: 0.021,
    [L.PROOF_HURTS]: 2, [L.PROOF_HURT_BASE]: 4, [L.PROOF_HURT_BASE + 2]: 30, [L.PROOF_HURT_BASE + 4]: 5, [L.PROOF_HURT_BASE + 7]: 8,
  });
  expect(lines[1]).toBe("hit: 30 damage");
  expect(lines[2]).toMatch(/^where it ended you saw them/);
  expect(lines.slice(4)).toEqual(["  Bob 4: 30", "  Bob 5: 0 (target was dead already)", "blue and red are at most 2.1 cm apart"]);
});
