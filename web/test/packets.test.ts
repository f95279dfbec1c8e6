import { expect, test } from "vitest";
import { decodeEvents, type GameEvent } from "../src/client/events";
import * as L from "../src/client/layout";
import { eachPacket, Reader, writeStrings } from "../src/client/packets";

/** An event as the core writes it: length, kind, zero, body. */
function record(kind: number, ...body: number[]): number[] {
  return [body.length & 255, body.length >> 8, kind, 0, ...body];
}

function events(...bytes: number[]): GameEvent[] {
  const got: GameEvent[] = [];
  decodeEvents(new Uint8Array(bytes), (event) => got.push(event));
  return got;
}

const f32 = (value: number): number[] => [...new Uint8Array(new Float32Array([value]).buffer)];

test("events are decoded in order, with every field", () => {
  const name = [...new TextEncoder().encode("Zoë")];
  expect(
    events(
      ...record(L.EVENT_JOINED, 7, 0, 0, 0, 1, 2, name.length, ...name),
      ...record(L.EVENT_KILL, 7, 0, 0, 0, 0, 1, 0, 0, 1, 3),
      ...record(L.EVENT_SHOT, 2, 0, 0, 0, 1, ...[1, 2, 3, 4, 5, 6].flatMap(f32), 1, 1, ...[7, 8, 9].flatMap(f32)),
      ...record(L.EVENT_HIT, L.HIT_REFUSED, 5, 25, 0, 9, 0, 0, 0, 1, 77, 0, 0, 0, name.length, ...name),
      ...record(L.EVENT_DAMAGE, 50, 0, ...[1.5, 0, -2].flatMap(f32), 9, 0, 0, 0, 2, 4, ...f32(0.25)),
      ...record(L.EVENT_DETONATION, 9, 0, 0, 0, 2, ...[1, 2, 3, 4].flatMap(f32), 1),
      ...record(L.EVENT_WEAPONS, 1, name.length, ...name, 2, 4, ...[2.5, 0.5].flatMap(f32)),
      ...record(L.EVENT_LEFT, 7, 0, 0, 0),
      ...record(L.EVENT_GOALS, 2, 0, 0, 1, 1, 9, 0, 0, 0),
    ),
  ).toEqual([
    { kind: "joined", player: 7, bot: true, team: "blue", name: "Zoë" },
    { kind: "kill", killer: 7, victim: 256, head: true, weapon: 3 },
    { kind: "shot", shooter: 2, weapon: 1, from: [1, 2, 3], to: [4, 5, 6], hit: true, pellets: [[7, 8, 9]] },
    { kind: "hit", verdict: "refused", part: "shield", damage: 25, victim: 9, weapon: 1, shot: 77, reason: "Zoë" },
    { kind: "damage", damage: 50, from: [1.5, 0, -2], by: 9, weapon: 2, part: "leg", ago: 0.25 },
    { kind: "detonation", shooter: 9, weapon: 2, at: [1, 2, 3], radius: 4, corrected: true },
    { kind: "weapons", weapons: [{ name: "Zoë", kind: "projectile", magazine: 4, reload: 2.5, draw: 0.5 }] },
    { kind: "left", player: 7 },
    { kind: "goals", red: 2, blue: 256, team: "red", by: 9 },
  ]);
});

test("an unknown kind is skipped", () => {
  expect(events(...record(200, 1, 2, 3), ...record(L.EVENT_LEFT, 1, 0, 0, 0))).toEqual([{ kind: "left", player: 1 }]);
});

test("a truncated record ends the block", () => {
  expect(events(...record(L.EVENT_LEFT, 1, 0, 0, 0), 9, 0, 1)).toEqual([{ kind: "left", player: 1 }]);
  expect(events(9, 0, L.EVENT_LEFT, 0, 1)).toEqual([]);
});

test("reading past the end of an event throws", () => {
  expect(() => new Reader(new Uint8Array(3)).u32()).toThrow(RangeError);
  expect(() => new Reader(new Uint8Array([5, 65])).string()).toThrow(RangeError);
});

test("packets have their channel and range", () => {
  const got: number[][] = [];
  const outbox = new Uint8Array([2, 0, 1, 0, 9, 8, 0, 0, 0, 0, 1, 0, 0, 0, 7]);
  eachPacket(outbox, (channel, from, to) => got.push([channel, ...outbox.subarray(from, to)]));
  expect(got).toEqual([[1, 9, 8], [0], [0, 7]]);
});

test("strings follow their lengths, and long ones are cut between characters", () => {
  const into = new Uint8Array(600);
  expect(writeStrings(into, ["ab", "", "ü"])).toBe(7);
  expect([...into.subarray(0, 7)]).toEqual([2, 97, 98, 0, 2, 0xc3, 0xbc]);
  expect(writeStrings(into, ["x" + "ü".repeat(200)])).toBe(256);
  expect(writeStrings(into, ["ü".repeat(200)])).toBe(255);
});
