import { expect, test } from "vitest";
import { causesText, CorrectionLog, correctionRow, fieldText, lengthText, type TimedCorrection } from "../src/corrections";
import { rates, type Totals } from "../src/netpanel";

const MISPREDICTION: Omit<TimedCorrection, "seen"> = {
  cause: "misprediction", known: true, distance: 0.12, replayed: 9,
  differences: [{ field: "position", by: 0.12 }, { field: "velocity", by: 1.4 }, { field: "mode", by: 1 }],
};

test("a row has the age, cause, distance, fields and number of replayed moves", () => {
  expect(correctionRow({ ...MISPREDICTION, seen: 1000 }, 4240)).toEqual({
    ago: "3.2 s", cause: "misprediction", distance: "0.12 m", fields: "position 0.12 m, velocity 1.4 m/s, mode", replayed: "9 replayed",
  });
});

test("without a known move there is no distance, without differences no fields", () => {
  const row = correctionRow({ cause: "teleport", known: false, distance: 0, replayed: 0, differences: [], seen: 0 }, 61_000);
  expect([row.ago, row.distance, row.fields]).toEqual(["1 min", "", ""]);
});

test("times and lengths stay short at any size", () => {
  const ago = (ms: number) => correctionRow({ ...MISPREDICTION, seen: 0 }, ms).ago;
  expect([0, 9_940, 9_960, 59_000, 60_000, 3_599_000, 3_600_000, -5].map(ago)).toEqual([
    "0.0 s", "9.9 s", "10 s", "59 s", "1 min", "59 min", "1 h", "0.0 s",
  ]);
  expect([0, 0.00001, 0.0004, 0.004, 0.012, 0.1, 3.4, 150].map(lengthText)).toEqual(["0", "< 0.1 mm", "0.4 mm", "4 mm", "12 mm", "0.10 m", "3.40 m", "150 m"]);
});

test("fields have units: degrees for angles, counts, and names alone for the rest", () => {
  const text = (name: string, by: number) => fieldText({ field: name, by });
  expect(text("yaw", Math.PI / 6)).toBe("yaw 30°");
  expect(text("rounds", 2)).toBe("rounds 2");
  expect(text("cool-down", 0.0238)).toBe("cool-down 0.02 s");
  expect(text("velocity", 0.0001)).toBe("velocity < 0.001 m/s");
  expect(text("place on the base", 1)).toBe("place on the base");
});

test("the log keeps the last sixteen, newest first", () => {
  const log = new CorrectionLog();
  for (let i = 0; i < 20; i++) log.add({ ...MISPREDICTION, replayed: i }, i);
  expect(log.list.map((c) => c.replayed)).toEqual([19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4]);
});

test("causes are counted by name, without those that did not occur", () => {
  const none = { corrections: 0, serverForces: 0, teleports: 0, timeouts: 0, throttles: 0 };
  expect(causesText(none)).toBe("none");
  expect(causesText({ ...none, corrections: 2, teleports: 1 })).toBe("2 misprediction, 1 teleport");
  expect(causesText({ ...none, serverForces: 3 })).toBe("3 server force");
});

test("rates are per second, and zero across a new session", () => {
  const at = (at: number, n: number): Totals => ({
    at, bytesUp: 100 * n, bytesDown: 50 * n, datagramsUp: n, datagramsDown: n, moves: n, combined: n / 2, sent: n, resent: 2 * n,
  });
  const per = rates(at(1000, 10), at(1500, 40));
  expect([per.bytesUp, per.datagramsUp, per.combined, per.resent]).toEqual([6000, 60, 30, 120]);
  expect(rates(at(1000, 40), at(1500, 10)).moves).toBe(0);
  expect(rates(at(1000, 10), at(1000, 10)).moves).toBe(0);
});
