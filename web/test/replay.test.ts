import { Quaternion, Vector3 } from "three";
import { expect, test } from "vitest";
import type { Roots, Transform } from "../src/core";
import { moversOf, drawnOf, writeRecorded } from "../src/replay/drawn";
import { clockText, entriesOf, firstAfter, killText, nameAt, receiptText, scoresAt, type Info, type Shot } from "../src/replay/info";
import { Recording } from "../src/replay/recording";
import { decodeTicks, FIRST_MOVER, interpolate, isContinuous, type EntitySample } from "../src/replay/samples";

const RATE = 60;
const v = (x: number, y: number, z: number): Vector3 => new Vector3(x, y, z);

/** An entity standing at the origin at time 0, with changes. */
function sample(change: Partial<EntitySample> = {}): EntitySample {
  return {
    id: 1, kind: 0, crouched: false, dead: false, asleep: false, mode: 1, life: 1, jumps: 0, clip: 0,
    position: v(0, 0, 0), velocity: v(0, 0, 0), yaw: 0, pitch: 0, rotation: new Quaternion(0, 0, 0, 1), userData: 0, base: 0, time: 0,
    strideDistance: 0, stance: { crouch: 0, air: 0, swim: 0 }, up: v(0, 0, 0), clipTime: 0, ...change,
  };
}

/** Encodes an answer of /replay/samples (docs/recording.md). */
function answer(...ticks: { tick: number; entities: EntitySample[] }[]): ArrayBuffer {
  const size = 12 + ticks.reduce((sum, t) => sum + 8 + 100 * t.entities.length, 0);
  const view = new DataView(new ArrayBuffer(size));
  [0x42, 0x53, 0x52, 0x46, 3].forEach((b, i) => view.setUint8(i, b));
  view.setUint32(8, ticks.length, true);
  let at = 12;
  for (const { tick, entities } of ticks) {
    view.setUint32(at, tick, true);
    view.setUint32(at + 4, entities.length, true);
    at += 8;
    for (const t of entities) {
      view.setUint16(at, t.id, true);
      [t.kind, (t.crouched ? 1 : 0) | (t.dead ? 2 : 0) | (t.asleep ? 4 : 0), t.mode, t.life, t.jumps, t.clip].forEach((b, i) => view.setUint8(at + 2 + i, b));
      const floats = [...t.position, ...t.velocity, t.yaw, t.pitch, ...t.up, ...t.rotation.toArray(), 0, 0, 0];
      floats.forEach((f, i) => view.setFloat32(at + 8 + 4 * i, f, true));
      view.setUint16(at + 80, t.userData, true);
      view.setUint16(at + 82, t.base, true);
      view.setFloat32(at + 84, t.time - tick / RATE, true);
      view.setFloat32(at + 88, t.strideDistance, true);
      [t.stance.crouch, t.stance.air, t.stance.swim].forEach((v, i) => view.setUint8(at + 92 + i, Math.round(255 * v)));
      view.setFloat32(at + 96, t.clipTime, true);
      at += 100;
    }
  }
  return view.buffer as ArrayBuffer;
}

test("an answer is decoded with every field", () => {
  const given = sample({
    id: 130, kind: 3, crouched: true, asleep: true, mode: 4, life: 7, jumps: 2, clip: 9, position: v(1, 2, 3), velocity: v(4, 5, 6),
    yaw: 0.5, pitch: -0.25, rotation: new Quaternion(0, 0.5, 0, 0.75), userData: 50, base: 2, time: 2 - 0.03125,
    strideDistance: 31.25, stance: { crouch: 1, air: 0, swim: 0.2 }, up: v(0, 0, 1), clipTime: 0.5,
  });
  const [first, second] = decodeTicks(answer({ tick: 119, entities: [] }, { tick: 120, entities: [sample({ time: 2, rotation: new Quaternion(0, 0, 0, 0) }), given] }), RATE);
  expect([first?.tick, first?.entities.size, second?.tick]).toEqual([119, 0, 120]);
  expect(second?.entities.get(130)).toEqual(given);
  expect(second?.entities.get(1)?.rotation.toArray(), "all zero is the identity").toEqual([0, 0, 0, 1]);
});

test("a door that was triggered is drawn as recorded, other movers as they are", () => {
  const pose = (x: number) => ({ translation: { x, y: 0, z: 0 }, rotation: { x: 0, y: 0, z: 0, w: 1 } });
  const all = [sample({ id: 130, kind: 3 }), sample({ id: FIRST_MOVER + 1, position: v(1.5, 0, 0) }), sample({ id: FIRST_MOVER + 7 })];
  const plain = ({ translation, rotation: { x, y, z, w } }: Transform) => ({ translation, rotation: { x, y, z, w } });
  expect(moversOf(all, [pose(10), pose(20), pose(30)]).map(plain)).toEqual([pose(10), pose(1.5), pose(30)]);
  expect(drawnOf(all, 0).entities.map((e) => e.id), "a body is not an entity").toEqual([130]);
});

test("malformed and truncated answers are errors", () => {
  const whole = answer({ tick: 1, entities: [sample()] });
  expect(() => decodeTicks(new ArrayBuffer(4), RATE)).toThrow("not samples");
  expect(() => decodeTicks(new TextEncoder().encode("404 page not found").buffer as ArrayBuffer, RATE)).toThrow("not samples");
  expect(() => decodeTicks(whole.slice(0, whole.byteLength - 1), RATE)).toThrow("in tick 1");
  expect(() => decodeTicks(whole.slice(0, 15), RATE)).toThrow("in a header");
});

test("interpolation follows the velocities", () => {
  const [a, b] = [sample({ time: 1, velocity: v(6, 0, 0) }), sample({ time: 1.1, position: v(0.6, 0, 0), velocity: v(6, 0, 0) })];
  expect(interpolate(a, b, 1.025).position.x).toBeCloseTo(0.15, 9);
  expect(interpolate(a, b, 0.9)).toBe(a);
  expect(interpolate(a, b, 1.2)).toBe(b);
  const start = interpolate(sample({ time: 1 }), b, 1.05); // from a stand
  expect(start.position.x).toBeGreaterThan(0);
  expect(start.position.x).toBeLessThan(0.3);
});

test("a bounce neither overshoots nor runs backwards", () => {
  const [a, b] = [sample({ time: 0, velocity: v(0, -9, 0) }), sample({ time: 0.1, position: v(0, 0.2, 0), velocity: v(0, 9, 0) })];
  let last = 0;
  for (let t = 0; t <= 0.1; t += 0.005) {
    const y = interpolate(a, b, t).position.y;
    expect(y).toBeGreaterThanOrEqual(last - 1e-12);
    expect(y).toBeLessThanOrEqual(0.2 + 1e-12);
    last = y;
  }
});

test("angles and quaternions are interpolated the shorter way", () => {
  const [a, b] = [sample({ yaw: 3.1 }), sample({ yaw: -3.1, time: 0.1, rotation: new Quaternion(0, 0, 0, -1) })];
  const middle = interpolate(a, b, 0.05);
  expect(Math.abs(Math.abs(middle.yaw) - Math.PI)).toBeLessThan(1e-9);
  expect(middle.rotation.toArray().map((v) => Math.abs(v))).toEqual([0, 0, 0, 1]);
});

test.each([["life", { life: 2 }], ["jumps", { jumps: 1 }], ["dead", { dead: true }]])("nothing is interpolated across a change of %s", (_, change) => {
  const [a, b] = [sample(), sample({ time: 0.1, position: v(10, 0, 0), ...change })];
  expect(isContinuous(a, b)).toBe(false);
  expect(interpolate(a, b, 0.09)).toBe(a);
  expect(interpolate(a, b, 0.1)).toBe(b);
});

/** A recording of a minute: player 1 runs at 6 m/s with samples 30 ms older than their ticks; player 2
 * joins at 10 s. */
function runner(): { recording: Recording; requested: number[] } {
  const requested: number[] = [];
  const recording = new Recording(RATE, 3600, (from, to) => {
    requested.push(from);
    const ticks = Array.from({ length: to - from }, (_, i) => {
      const tick = from + i;
      const at = tick / RATE - 0.03;
      const one = sample({ time: at, position: v(6 * at, 0, 0), velocity: v(6, 0, 0) });
      return { tick, entities: tick < 600 ? [one] : [one, sample({ id: 2, time: tick / RATE })] };
    });
    return Promise.resolve(answer(...ticks));
  });
  return { recording, requested };
}

async function readyAt(recording: Recording, time: number): Promise<void> {
  for (let i = 0; i < 20 && !recording.ready(time); i++) await Promise.resolve();
  expect(recording.ready(time)).toBe(true);
}

test("chunks ahead are downloaded once, and samples are found by their own times", async () => {
  const { recording, requested } = runner();
  expect(recording.ready(0)).toBe(false);
  expect(recording.entities(0)).toEqual([]);
  await readyAt(recording, 0);
  expect(requested).toEqual([0, 240, 480]);
  for (const time of [0.5, 1.234, 3.99, 4.01]) {
    const [one, two] = recording.entities(time);
    expect(one?.position.x, `at ${time} s`).toBeCloseTo(6 * time, 4);
    expect(two).toBeUndefined();
  }
  await readyAt(recording, 50);
  expect(requested.slice(3)).toEqual([2880, 3120, 3360, 2640]);
  expect(recording.entities(50).map((t) => t.id)).toEqual([1, 2]);
  expect(recording.entity(2, 50)?.time).toBeCloseTo(50, 6);
});

test("a failed download is reported and retried later", async () => {
  const recording = new Recording(RATE, 100, () => Promise.reject(new Error("gone")));
  for (let i = 0; i < 5; i++) {
    expect(recording.ready(0)).toBe(false);
    await Promise.resolve();
  }
  expect(recording.error).toBe("gone");
});

test("players and entities are drawn as those of a match, without the player whose eyes are used", () => {
  const { players, entities } = drawnOf([sample({ id: 3 }), sample({ id: 4, position: v(1, 2, 3), dead: true }), sample({ id: 200, kind: 1, rotation: new Quaternion(0, 1, 0, 0) })], 3);
  expect(players).toEqual([{ id: 4, dead: true, mode: 1, position: { x: 1, y: 2, z: 3 } }]);
  expect(entities).toHaveLength(1);
  expect(entities[0]).toMatchObject({ id: 200, kind: 1, rotation: { x: 0, y: 1, z: 0, w: 0 }, predicted: false });
});

test("the nearest players are written for the core to pose", () => {
  const recorded = Array.from({ length: 64 }, () => ({})) as unknown as Roots["controls"]["recorded"];
  const bob = sample({ id: 4, position: v(1, 2, 3), velocity: v(0, 0, -5), strideDistance: 12.5, stance: { crouch: 1, air: 0.5, swim: 0 }, up: v(0, 0, 1), userData: 10, dead: true });
  expect(writeRecorded(recorded, [sample({ id: 3 }), bob, sample({ id: 200, kind: 1 })], 3, v(0, 0, 0), () => 1.5)).toBe(1);
  expect(recorded[0]).toMatchObject({
    id: 4, userData: 10, position: { x: 1, y: 2, z: 3 }, velocity: { z: -5 }, up: { z: 1 },
    strideDistance: 12.5, stance: { crouch: 1, air: 0.5, swim: 0 }, dead: true, deadFor: 1.5,
  });
  const crowd = Array.from({ length: 128 }, (_, i) => sample({ id: i + 1, position: v(i, 0, 0) }));
  expect(writeRecorded(recorded, crowd, 0, v(100, 0, 0), () => 0)).toBe(64);
  expect(recorded[0]?.id).toBe(101);
});

test("stride distance wraps, and the stance is interpolated", () => {
  const [a, b] = [sample({ strideDistance: 63.5, stance: { crouch: 0, air: 0, swim: 0 } }), sample({ strideDistance: 0.5, stance: { crouch: 1, air: 0, swim: 0.5 }, time: 0.1 })];
  expect(interpolate(a, b, 0.075).strideDistance).toBeCloseTo(0.25, 9);
  expect(interpolate(a, b, 0.05).stance).toEqual({ crouch: 0.5, air: 0, swim: 0.25 });
});

const SHOT: Shot = {
  t: 5, shooter: 1, weapon: 0, view_requested: 4.875, view_granted: 4.875, verdict: "hit", reason: "", impact: "player", target: 2, part: "head",
  distance: 12.34, damage: 80, damage_events: [{ target: 2, part: "head", damage: 80, reason: "" }], agrees: true, projectile_end: false, eye: [0, 1.52, 0], point: [3, 1.6, -11.9],
};
const INFO: Info = {
  game: "arena", match: "arena", began: "2026-11-21T17:12:05Z", program: "v0", level: "", world: "", model: "", tick_rate: 60, ticks: 600,
  duration: 10, ticks_lost: 0, closed: true, damage: "", weapons: [],
  players: [
    { id: 1, name: "Ada", bot: true, team: 0, from: 0, to: 10 }, { id: 2, name: "Bo", bot: true, team: 0, from: 0, to: 6 }, { id: 2, name: "Cy", bot: false, team: 0, from: 7, to: 10 },
  ],
  shots: [SHOT], kills: [{ t: 5, killer: 1, victim: 2, weapon: 1, head: true, distance: 12.34 }, { t: 8, killer: 2, victim: 2, weapon: 0, head: false, distance: 0 }],
};

test("a receipt has a text", () => {
  const name = (id: number): string => nameAt(INFO, id, 5);
  expect(receiptText(SHOT, name)).toBe("Ada hit Bo, head, 12.3 m: 80 damage; rewound 125 ms; client agreed");
  const miss = { ...SHOT, verdict: "miss", impact: "world", agrees: false, view_requested: 4.75, reason: "too old" };
  expect(receiptText(miss, name)).toBe(
    "Ada hit the level, 12.3 m (too old); rewound 125 ms, requested 250 ms; client disagreed",
  );
  expect(receiptText({ ...SHOT, verdict: "refused", reason: "too fast" }, name)).toBe("Ada: refused (too fast)");
  expect(receiptText(SHOT, name, "rifle")).toMatch(/^Ada \(rifle\) hit Bo, head, 12.3 m/);
  expect(receiptText({ ...SHOT, verdict: "launched" }, name, "rocket")).toBe("Ada fired a rocket");
  const blast = { ...SHOT, impact: "world", target: 0, projectile_end: true, agrees: false, damage_events: [{ target: 2, part: "", damage: 31, reason: "" }] };
  expect(receiptText(blast, name, "rocket"), "the client's prediction is not known").toBe("Ada (rocket) hit the level, Bo: 31 damage; rewound 125 ms");
  expect(INFO.kills.map((k) => killText(k, (id) => nameAt(INFO, id, k.t)))).toEqual(["Ada killed Bo, headshot, 12.3 m", "Cy fell"]);
});

test("names and scores of a number depend on the time", () => {
  expect([nameAt(INFO, 2, 3), nameAt(INFO, 2, 9), nameAt(INFO, 2, 6.2), nameAt(INFO, 9, 1)]).toEqual(["Bo", "Cy", "Bo", "Player 9"]);
  expect(scoresAt(INFO, 4).map((l) => [l.name, l.kills, l.deaths])).toEqual([["Ada", 0, 0], ["Bo", 0, 0]]);
  expect(scoresAt(INFO, 9).map((l) => [l.name, l.kills, l.deaths])).toEqual([["Ada", 1, 0], ["Cy", 0, 1]]);
});

test("entries are sorted and found by time", () => {
  const entries = entriesOf(INFO);
  expect(entries.map((e) => e.kind)).toEqual(["hit", "kill", "kill"]);
  expect([firstAfter(entries, 4.9), firstAfter(entries, 5), firstAfter(entries, 9)]).toEqual([0, 2, 3]);
  expect([clockText(0), clockText(65.04), clockText(3599.99)]).toEqual(["0:00.0", "1:05.0", "59:59.9"]);
});
