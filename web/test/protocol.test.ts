// A second implementation of docs/protocol.md, by that page and without code of ours. It
// reads every recorded packet into fields and writes it again; the messages of the suite
// and the examples of the page are its own: npx vitest run test/protocol.test.ts -u
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Bits, hex, lean, mod, Refused, trace, unhex, type Fields } from "./protocol/bits";
import { clientDatagram, serverDatagram, UnknownBaseline, type ClientContext } from "./protocol/datagrams";
import { arenaMessage, games, movementState, weaponTable } from "./protocol/games";
import { groups, whole } from "./protocol/part";
import { pack, packets, type Vector } from "./protocol/recording";
import { streamMessage } from "./protocol/stream";
import { messages } from "./protocol/vectors";

const root = new URL("../../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), "utf8");
const lines = (name: string): any[] => read(`testdata/conformance/${name}`).trim().split("\n").map((line) => JSON.parse(line));
const logs = ["sled", "arena"].map((game) => lines(`${game}-session.jsonl`));
const suite = messages(logs);

/** Reads a vector's bytes: its fields, and the notes of where they lie. */
function readVector(v: Omit<Vector, "fields">): { fields: Fields; b: Bits } {
  const b = new Bits(unhex(v.bytes));
  const got = { ...v, fields: {} };
  pack(b, got);
  return { fields: lean(got.fields), b };
}

/** Writes a vector's fields, without what may be left out. */
function written(v: Omit<Vector, "bytes">): string {
  const b = new Bits();
  pack(b, { ...v, fields: structuredClone(lean(v.fields)) });
  return hex(b.written);
}

// Every form of the formats is read as the page says and written as the same bytes. [GAP-04, HIT-01]
test.each(["sled", "arena"])("every packet of the %s session is read and written again", (game) => {
  let count = 0;
  for (const p of packets(game === "sled" ? logs[0]! : logs[1]!)) {
    const v = { ...p, ...(p.context && { context: lean(p.context) }) };
    expect(written(v), `line ${p.line}`).toBe(p.bytes);
    count++;
  }
  expect(count).toBeGreaterThan(700);
});

test("the messages of the suite", async () => {
  const text = suite.map((v) => JSON.stringify(v) + "\n").join("");
  await expect(text).toMatchFileSnapshot(new URL("testdata/conformance/messages.jsonl", root).pathname);
});

test.each(suite)("$name", (v: Vector) => {
  expect(readVector(v).fields).toEqual(v.fields);
  expect(written(v)).toBe(v.bytes);
});

/** A vector as the page shows it. */
function shown(v: Vector): string {
  const known = v.context === undefined || Object.keys(v.context).length === 0 ? "" : `# context ${JSON.stringify(v.context)}\n`;
  const bytes = v.bytes.match(/.{1,64}/g)!.map((row) => row.match(/../g)!.join(" ") + "\n").join("");
  return known + bytes + trace(readVector(v).b.notes);
}

test("the messages of the suite, field by field", async () => {
  const text = suite.map((v) => `${v.name}\n${shown(v)}\n`).join("");
  await expect(text).toMatchFileSnapshot(new URL("testdata/conformance/messages.txt", root).pathname);
});

test("the examples of the page are the suite's", async () => {
  const page = read("docs/protocol.md").replaceAll(/```example ([^\n]*)\n[^`]*```/g, (_, name) => {
    const v = suite.find((one) => one.name === name);
    expect(v, `docs/protocol.md shows ${name}`).toBeDefined();
    return "```example " + name + "\n" + shown(v!) + "```";
  });
  await expect(page).toMatchFileSnapshot(new URL("docs/protocol.md", root).pathname);
});

test("primitive codes", () => {
  const angle = (n: number) => (b: Bits, v: number): number => {
    const code = b.number(n, mod(Math.floor((v * 2 ** n) / (2 * Math.PI) + 0.5), 2 ** n));
    return (code >= 2 ** (n - 1) ? code - 2 ** n : code) * ((2 * Math.PI) / 2 ** n);
  };
  const codes: Record<string, (b: Bits, v: any, ...of: number[]) => unknown> = {
    uint: (b, v, n) => Number(b.big(n!, BigInt(v))),
    uvarint: (b, v) => Number(b.small(BigInt(v))),
    varint: (b, v) => Number(b.signed(BigInt(v))),
    ranged: (b, v, lo, hi) => b.within(lo!, hi!, v),
    float64: (b, v) => b.double(v),
    vec64: (b, v) => [0, 1, 2].map((i) => b.double(v[i])),
    angle16: angle(16),
    angle8: angle(8),
    grid: (b, v, lo, hi, s) => {
      const most = Math.floor((hi! - lo!) / s! + 1e-9);
      return Math.min(lo! + b.within(0, most, Math.max(0, Math.min(most, Math.floor((v - lo!) / s! + 0.5)))) * s!, hi!);
    },
    vec: (b, v, scale) => b.gridded([0, 1, 2].map((i) => Math.max(-(2 ** 30), Math.min(2 ** 30 - 1, Math.floor((v[i] ?? 0) * scale! + 0.5))))).map((x) => x / scale!),
    blob: (b, v, max) => new TextDecoder().decode(unhex(b.blob(max!, hex(new TextEncoder().encode(v))))),
  };
  for (const v of lines("primitives.jsonl")) {
    const [, first, name, of] = /^(bool )?(\w+)(?:\((.*)\))?$/.exec(v.code)!;
    const code = codes[name!]!;
    const params = (of ?? "").split(",").map(Number);
    const ahead = v.after + (first === undefined ? 0 : 1);
    const reader = new Bits(unhex(v.bytes));
    const parse = (): unknown => {
      reader.number(ahead, 0);
      const got = code(reader, name === "blob" ? "" : name!.startsWith("vec") ? [0, 0, 0] : 0, ...params);
      reader.end();
      return got;
    };
    if (v.error !== undefined) {
      expect(parse, `${v.code} ${v.bytes}`).toThrow(Refused);
      continue;
    }
    expect(parse(), `${v.code} of ${v.value}`).toEqual(v.read ?? v.value);
    const writer = new Bits();
    writer.number(ahead, 2 ** ahead - 1);
    code(writer, v.value, ...params);
    expect(hex(writer.written), `${v.code} of ${v.value}`).toBe(v.bytes);
  }
});

// [REP-02, REP-03, REP-07]
test("samples", () => {
  for (const v of lines("samples.jsonl")) {
    const sample = (b: Bits, s: Fields): Fields => {
      const ref = whole(v.reference ?? { at: v.tick });
      if (v.keyframe) return groups(b, whole(s), ref.at - b.within(1, 20000, ref.at - s["at"]), ref, true);
      const usual = v.reference ? ref.at - v.referenceTick : 0;
      return groups(b, whole(s), v.tick + usual + b.residual(2, s["at"] - v.tick - usual), ref, v.reference !== undefined);
    };
    const reader = new Bits(unhex(v.bytes));
    expect(lean(sample(reader, { at: 0 })), v.bytes).toEqual(v.sample);
    reader.end();
    const writer = new Bits();
    sample(writer, v.sample);
    expect(hex(writer.written)).toBe(v.bytes);
  }
});

test("the states of the moves are what their bytes say", () => {
  const moves = lines("movement.jsonl").flatMap((line) => line.move ?? []);
  expect(moves.length).toBeGreaterThan(100);
  for (const { before, after } of moves) {
    for (const { state, bytes } of [before, after]) {
      const reader = new Bits(unhex(bytes));
      const got = {};
      movementState(reader, got);
      reader.end();
      expect(lean(got)).toEqual(state);
      const writer = new Bits();
      movementState(writer, structuredClone(state));
      expect(hex(writer.written)).toBe(bytes);
    }
  }
});

test("the arena's message", () => {
  for (const [code, v] of [
    [arenaMessage, { kind: 1, killer: 1, victim: 2, weapon: 8, hitGroup: 7, distance: 9999 }],
  ] as [(b: Bits, v: Fields) => void, Fields][]) {
    const b = new Bits();
    code(b, { ...v });
    const got = {};
    code(new Bits(b.written), got);
    expect(got).toEqual(v);
  }
});

test("the arena's table of weapons", () => {
  const sent = lines("arena-session.jsonl").find((l) => l.end === "server" && l.do === "send" && l.channel === 1);
  const welcome: Fields = {};
  streamMessage(new Bits(unhex(sent.bytes)), welcome);
  const bytes = unhex(welcome["weapons"]);
  const table: Fields = {};
  weaponTable(new Bits(bytes), table);
  expect(table["weapons"].map((w: Fields) => new TextDecoder().decode(unhex(w["name"])))).toContain("sword");
  expect(table["weapons"][0].damage).toEqual([0, 25, 60, 20, 20, 0, 0, 0]);
  const b = new Bits();
  weaponTable(b, table);
  expect(hex(b.written)).toBe(hex(bytes));
});

test("what an end must refuse is refused", () => {
  const client: ClientContext = { game: "sled", tickRate: 60, snapshotRate: 30, newestTick: 60, lastMove: 60, now: 25_000 };
  const bad = lines("answers.jsonl").filter((a) => a.answer !== "accepted" && a.peer !== 9 && a.bytes !== "" && a.bytes !== "00");
  let [refused, others] = [0, 0];
  for (const a of bad) {
    const b = new Bits(unhex(a.bytes));
    try {
      if (a.channel === 1) streamMessage(b, {});
      else if (a.to === "server") clientDatagram(b, {}, client);
      else serverDatagram(b, {}, { game: "sled", tickRate: 60, sequence: 60, snapshots: [] });
    } catch (error) {
      if (error instanceof Refused) refused++;
      else expect(error, a.name).toBeInstanceOf(UnknownBaseline);
      continue;
    }
    // These are well formed, and wrong where they come or at that end.
    expect(a.name).toMatch(/^(a second|a server's|a client's request)/);
    others++;
  }
  expect(refused).toBeGreaterThan(25);
  expect(others).toBe(7);
});

/** Section 3: the format of a game. */
function format(game: string): number {
  let [sum, random] = [2166136261, 0x9e3779b97f4a7c15n];
  const mix = (byte: number): number => (sum = Math.imul(sum ^ byte, 16777619) >>> 0);
  const next = (): bigint => {
    random = BigInt.asUintN(64, random ^ (random << 13n));
    random ^= random >> 7n;
    return (random = BigInt.asUintN(64, random ^ (random << 17n)));
  };
  const probe = new Uint8Array(512);
  const attempt = (code: (b: Bits, v: Fields) => void): Fields | undefined => {
    const [b, v] = [new Bits(probe), {}];
    let fault = false;
    try {
      code(b, v);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      fault = true;
    }
    mix(b.at & 255);
    mix(b.at >> 8);
    if (fault) return void mix(1);
    const writer = new Bits();
    code(writer, v);
    writer.written.forEach(mix);
    return v;
  };
  for (let i = 0, before: Fields = {}; i < 128; i++) {
    probe.fill(0);
    if (i < 48) probe[i >> 3] = 1 << (i & 7);
    else {
      for (let word = 0; word < 64; word++) {
        let w = next();
        for (let n = 0; n < i % 6; n++) w &= next();
        for (let k = 0; k < 8; k++) probe[8 * word + k] = Number((w >> BigInt(8 * k)) & 255n);
      }
    }
    before = attempt((b, v) => games[game]!.input(b, v, before)) ?? {};
    attempt((b, v) => games[game]!.state(b, v));
  }
  for (const f of games[game]!.fields) {
    new TextEncoder().encode(f.name).forEach(mix);
    for (const n of [f.audience, f.min, f.max, f.text]) {
      for (let k = 0; k < 8; k++) mix(Number((BigInt(n ?? 0) >> BigInt(8 * k)) & 255n));
    }
  }
  return sum;
}

test.each([["sled", logs[0]!], ["arena", logs[1]!]])("the format of the %s game", (game, log) => {
  const hello = packets(log).next().value!.fields;
  expect(format(game)).toBe(hello["format"]);
});

/** Section 5, the check of a claim. */
function check(number: number, x: number, digest: number): number {
  const u = BigInt.asUintN;
  const mix = (h: bigint): bigint => {
    h = u(64, h + 0x9e3779b97f4a7c15n);
    h = u(64, (h ^ (h >> 30n)) * 0xbf58476d1ce4e5b9n);
    h = u(64, (h ^ (h >> 27n)) * 0x94d049bb133111ebn);
    return h ^ (h >> 31n);
  };
  let h = BigInt(number) * 65536n + BigInt(digest);
  for (const axis of [x, 0, 0]) h = mix(u(64, h + (BigInt(axis) >> 10n)));
  return Number(h & 255n);
}

test("a client's claims are what its moves come to, until it is corrected", () => {
  const modified = logs[0]!.findIndex((e) => e["do"] === "modify");
  let state = { x: 2 ** 25, v: 0 };
  let [made, tested] = [0, 0];
  for (const p of packets(logs[0]!.slice(0, modified))) {
    const section = p.fields["moves"];
    if (p.from !== "client" || section === undefined || logs[0]![p.line - 1]!["end"] !== "client 1") continue;
    for (const move of section.list) {
      if (move.number <= made) continue;
      expect(move.number).toBe(++made);
      state.v = Math.max(-4000, Math.min(4000, state.v + move.input.push * move.duration));
      state = { v: state.v, x: state.x + state.v * move.duration };
    }
    if (section.claim === undefined) continue;
    const u = Math.floor((state.x / 2 ** 24) * 256 + 0.5);
    expect(section.claim).toEqual({ x: mod(u, 1024), y: 0, z: 0, check: check(made, u, mod(state.v, 65536)) });
    tested++;
  }
  expect(tested).toBeGreaterThan(30);
});
