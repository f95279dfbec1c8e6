import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { failedLately, keepFailure } from "../src/transportmemory.js";

const URL_A = "https://a.example:4433/play";
const URL_B = "https://b.example:4433/play";
const HOUR = 3600_000;

const stored = new Map<string, string>();

beforeEach(() => {
  stored.clear();
  vi.stubGlobal("localStorage", { getItem: (key: string) => stored.get(key) ?? null, setItem: (key: string, text: string) => stored.set(key, text) });
});
afterEach(() => vi.unstubAllGlobals());

test("a failure is kept for a day, for its server alone", () => {
  expect(failedLately(URL_A, 0)).toBe(false);
  keepFailure(URL_A, true, HOUR);
  expect(failedLately(URL_A, 2 * HOUR)).toBe(true);
  expect(failedLately(URL_B, 2 * HOUR)).toBe(false);
  expect(failedLately(URL_A, 24 * HOUR)).toBe(true);
  expect(failedLately(URL_A, 25 * HOUR)).toBe(false);
});

test("it is forgotten once WebTransport opens", () => {
  keepFailure(URL_A, true, HOUR);
  keepFailure(URL_B, true, HOUR);
  keepFailure(URL_A, false, 2 * HOUR);
  expect(failedLately(URL_A, 2 * HOUR)).toBe(false);
  expect(failedLately(URL_B, 2 * HOUR)).toBe(true);
});

test("what is kept is bounded", () => {
  for (let i = 0; i < 50; i++) keepFailure(`https://${i}.example/play`, true, HOUR + i);
  expect(Object.keys(JSON.parse([...stored.values()][0] ?? "{}") as object)).toHaveLength(20);
  expect(failedLately("https://49.example/play", 2 * HOUR)).toBe(true);
});

test("without storage, or with rubbish in it, nothing has failed", () => {
  stored.set("backstep.webtransport", "[1");
  expect(failedLately(URL_A, HOUR)).toBe(false);
  stored.set("backstep.webtransport", "null");
  expect(failedLately(URL_A, HOUR)).toBe(false);
  vi.stubGlobal("localStorage", undefined);
  keepFailure(URL_A, true, HOUR);
  expect(failedLately(URL_A, HOUR)).toBe(false);
});
