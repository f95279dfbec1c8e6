/** The datagrams of docs/protocol.md, sections 4 to 6, without the part and the games' own. */
import { Bits, demand, mod, type Fields } from "./bits";
import { games } from "./games";
import { notices } from "./notices";
import { part, type Snapshot, type Used } from "./part";

/** What the reader of a client's datagram must know; moves in grains of 40 µs. */
export interface ClientContext {
  game: string;
  playersBlock?: boolean;
  tickRate: number;
  snapshotRate: number;
  newestTick: number; // newest snapshot that was sent
  lastMove: number; // newest move that was run or refused
  now: number; // match time in grains
  baseline?: Fields; // the move that the section refers to
}

/** What the reader of a server's datagram must know. */
export interface ServerContext {
  game: string;
  tickRate: number;
  sequence: number; // newest that was sent
  snapshots: Snapshot[]; // what the reader has, oldest first
}

/** Thrown where a section refers to a move that is not known: it is ignored, without fault. */
export class UnknownBaseline extends Error {
  constructor(readonly low: number) {
    super(`no baseline ${low}`);
  }
}

/** Whether a tick is sent as a snapshot. */
export const isSent = (tick: number, c: { tickRate: number; snapshotRate: number }): boolean => {
  const share = (n: number): number => Math.floor((n * c.snapshotRate) / c.tickRate);
  return share(tick) !== share(tick - 1);
};

/** An acknowledgement. */
function ack(b: Bits, v: Fields, width: number, sent: number, sends: (n: number) => boolean): void {
  if (!b.some(v, "received")) return;
  const a = v["received"];
  const low = b.note("newest", () => b.number(width, mod(a.newest ?? 0, 2 ** width)));
  a.newest = sent - mod(sent - low, 2 ** width);
  demand(a.newest >= 1, "acknowledges what was not sent");
  const candidates: number[] = [];
  for (let n = a.newest - 1; n >= 1 && n >= a.newest - 64; n--) if (sends(n)) candidates.push(n);
  const old: number[] = a.missing ?? [];
  a.missing = [];
  if (b.flag("missing", old.length > 0)) {
    const k = candidates.length;
    const count = b.note("count", () => b.within(1, 11, Math.min(old.length, 11)));
    demand(count <= k, "more missing than candidates");
    if (count < 11) {
      for (let r = count, least = 0; r > 0; r--) {
        const at = b.note("place", () => b.within(least, k - r, candidates.indexOf(old[count - r]!)));
        a.missing.push(candidates[at]!);
        least = at + 1;
      }
    } else {
      const came = b.note("mask", () => b.big(k, candidates.reduce((m, n, i) => m | (old.includes(n) ? 0n : 1n << BigInt(i)), 0n)));
      a.missing = candidates.filter((_, i) => ((came >> BigInt(i)) & 1n) === 0n);
      demand(a.missing.length >= 11, "a longer form");
    }
  }
  if (b.flag("ackDelay", a.ackDelay !== -1)) b.uint(a, "ackDelay", 11);
  else a.ackDelay = -1;
}

/** A duration against that of the move before. */
function duration(b: Bits, before: number, v: number): number {
  const off = v - before;
  if (b.bit(off === 0)) return before;
  if (b.bit(Math.abs(off) === 1)) return before + (b.bit(off > 0) ? 1 : -1);
  if (b.bit(Math.abs(off) <= 33)) {
    const more = b.bit(off > 0);
    const n = 2 + b.number(5, Math.abs(off) - 2);
    return before + (more ? n : -n);
  }
  v = b.number(12, v);
  demand(Math.abs(v - before) >= 34, "a longer form");
  return v;
}

/** A move behind another one, with so many moves between them. */
function nextMove(b: Bits, m: Fields, before: Fields, between: number): void {
  m["duration"] = b.note("duration", () => duration(b, before["duration"], m["duration"]));
  demand(m["duration"] >= 1 && m["duration"] <= 3125, "a duration");
  const end = before["stamp"] + between * before["duration"] + m["duration"];
  const pause = b.note("pause", () => {
    if (b.bit(m["stamp"] === end)) return 0;
    const n = Number(b.signed(BigInt((m["stamp"] ?? end) - end)));
    demand(n !== 0 && Math.abs(n) <= 2 ** 35, "a pause");
    return n;
  });
  m["number"] = before["number"] + 1 + between;
  m["stamp"] = end + pause;
  demand(m["stamp"] > before["stamp"], "a stamp");
}

/** The section of moves. */
function moves(b: Bits, v: Fields, c: ClientContext): void {
  const game = games[c.game]!;
  b.uint(v, "epoch", 6);
  const list: Fields[] = (v["list"] ??= []);
  let count = b.note("count", () => b.number(4, list.length > 15 ? 0 : list.length));
  if (count === 0) {
    count = b.note("count", () => b.number(7, list.length));
    demand(count === 0 || (count >= 16 && count <= 120), "a count of moves");
  }
  if (count === 0) return;
  let before: Fields = { number: 0, stamp: 0, duration: 0, input: {} };
  let between = 0;
  const hasBaseline = b.flag("hasBaseline", v["baseline"] !== undefined);
  if (hasBaseline) {
    const low = b.note("baseline", () => b.number(10, mod(v["baseline"] ?? 0, 1024)));
    between = b.note("between", () => Number(b.small(BigInt(b.writing ? list[0]!["number"] - v["baseline"] - 1 : 0))));
    demand(between <= 255, "too far from the baseline");
    if (c.baseline === undefined || mod(c.baseline["number"], 1024) !== low) throw new UnknownBaseline(low);
    before = c.baseline;
    v["baseline"] = before["number"];
  }
  for (let i = 0; i < count; i++) {
    const m = (list[i] ??= {});
    if (i > 0 || hasBaseline) {
      nextMove(b, m, before, between);
    } else {
      const nearest = (name: string, width: number, near: number): void => {
        const low = b.note(name, () => b.number(width, mod(m[name] ?? 0, 2 ** width)));
        const off = mod(low - near, 2 ** width);
        m[name] = near + (off >= 2 ** (width - 1) ? off - 2 ** width : off);
      };
      nearest("number", 16, c.lastMove);
      nearest("stamp", 19, c.now);
      b.uint(m, "duration", 12);
      demand(m["stamp"] >= 1 && m["duration"] >= 1 && m["duration"] <= 3125, "a first move");
    }
    m["input"] ??= {};
    if (c.playersBlock) seen(b, m["input"], before["input"]);
    game.input(b, m["input"], before["input"]);
    before = m;
    between = 0;
  }
  const claim = (v["claim"] ??= {});
  for (const axis of ["x", "y", "z"]) b.uint(claim, axis, 10);
  b.uint(claim, "check", 8);
}

/** The newest snapshot that the client had, where players block each other. */
function seen(b: Bits, v: Fields, before: Fields): void {
  v["seen"] = b.note("seen", () => {
    const was = before["seen"] ?? 0;
    const step = (v["seen"] ?? 0) - was;
    if (b.bit(step === 1)) return was + 1;
    const more = Number(b.signed(BigInt(step)));
    demand(more !== 1 && more === (more | 0), "a longer form");
    return mod(was + more, 2 ** 32);
  });
}

export function clientDatagram(b: Bits, v: Fields, c: ClientContext): void {
  demand(b.note("kind", () => b.number(3, 1)) === 1, "kind");
  b.uint(v, "sequence", 10);
  ack(b, v, 12, c.newestTick, (tick) => isSent(tick, c));
  if (b.some(v, "moves")) moves(b, v["moves"], c);
  b.end();
}

export function serverDatagram(b: Bits, v: Fields, c: ServerContext, used?: Used): void {
  demand(b.note("kind", () => b.number(3, 2)) === 2, "kind");
  b.uint(v, "tick", 32);
  demand(v["tick"] > 0, "tick 0");
  if (b.flag("skipped", (v["skipped"] ?? 0) > 0)) b.ranged(v, "skipped", 1, 64);
  ack(b, v, 10, c.sequence, () => true);
  if (b.some(v, "verdict")) verdict(b, v["verdict"], c.game);
  if (b.some(v, "notices")) notices(b, v["notices"], games[c.game]!.fields);
  part(b, (v["part"] ??= {}), { tick: v["tick"], tickRate: c.tickRate, snapshots: c.snapshots, used });
  b.end();
}

function verdict(b: Bits, v: Fields, game: string): void {
  b.uint(v, "move", 32);
  if (!b.some(v, "correction")) return;
  const correction = v["correction"];
  b.ranged(correction, "cause", 0, 4);
  b.uint(correction, "teleports", 8);
  b.angle16(correction, "yaw");
  b.angle16(correction, "pitch");
  b.uint(correction, "epoch", 8);
  games[game]!.state(b, (correction.state ??= {}));
}
