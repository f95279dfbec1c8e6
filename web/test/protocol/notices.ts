/** The notices of docs/protocol.md, section 6: triggers, receipts, shots seen, damage, fields. */
import { Bits, demand, isSet, type Fields } from "./bits";

/** A field that a game declares: a text of at most so many bytes, or a number. */
export interface Declared {
  name: string;
  audience?: number; // 0 everyone, 1 owner, 2 team
  min?: number;
  max?: number;
  text?: number;
}

export function notices(b: Bits, v: Fields, declared: Declared[]): void {
  if (b.flag("triggers", v["triggers"] !== undefined)) triggers(b, v);
  row(b, v, "receipts", receipt);
  row(b, v, "shotsSeen", shotSeen);
  row(b, v, "damage", damage);
  fields(b, v, declared);
  demand(v["fields"] !== undefined || v["triggers"] !== undefined || isSet(["receipts", "shotsSeen", "damage"].map((name) => v[name].length)), "no notice");
}

/** The changes of fields: one bit before each, and a zero after the last. */
function fields(b: Bits, v: Fields, declared: Declared[]): void {
  if (!b.flag("fields", v["fields"] !== undefined)) return;
  const list: Fields[] = b.writing ? v["fields"] : (v["fields"] = []);
  for (let i = 0; b.flag("field", i < list.length); i++) field(b, (list[i] ??= {}), declared);
}

function field(b: Bits, f: Fields, declared: Declared[]): void {
  b.id(f, "owner", 0);
  b.ranged(f, "number", 0, declared.length - 1);
  b.uvarint(f, "age");
  const { min = 0, max = 0, text } = declared[f["number"]]!;
  if (text !== undefined) b.text(f, "text", text);
  else if (min === 0 && max === 0) b.varint(f, "value", -(2 ** 53), 2 ** 53);
  else b.ranged(f, "value", min, max);
}

/** The logs of movers that were triggered, by ascending mover. */
function triggers(b: Bits, v: Fields): void {
  let before = 0;
  for (const log of b.list(v, "triggers", 1, 31)) {
    b.ranged(log, "mover", 1, 1000);
    demand(log["mover"] > before, "movers that do not ascend");
    before = log["mover"];
    if (b.some(log, "start")) {
      b.varint(log["start"], "age", -(2 ** 50), 2 ** 50);
      b.uvarint(log["start"], "progress", 1e12);
      b.uvarint(log["start"], "waypoint", 4096);
      demand(log["start"].waypoint > 0, "a start without a waypoint");
    }
    let last: number | undefined;
    for (const entry of b.list(log, "entries", 0, 16)) {
      b.varint(entry, "age", -(2 ** 50), 2 ** 50);
      b.uvarint(entry, "waypoint", 4096);
      demand(last === undefined || last - entry["age"] >= 125_000, "triggers less than 125 ms apart");
      last = entry["age"];
    }
  }
}

/** Up to 16 of a kind; their numbers ascend by one from that of the first. */
function row(b: Bits, v: Fields, name: string, pack: (b: Bits, v: Fields) => void): void {
  const list = b.list(v, name, 0, 16);
  const first = list[0];
  if (first === undefined) return;
  b.uint(first, "number", 16);
  list.forEach((one, i) => {
    one["number"] = (first["number"] + i) % 65536;
    pack(b, one);
  });
}

export function receipt(b: Bits, r: Fields): void {
  b.uvarint(r, "shot", 2 ** 32 - 1);
  b.id(r, "shooter", 0);
  b.ranged(r, "weapon", 0, 7);
  b.uvarint(r, "viewRequested");
  if (b.flag("granted", (r["viewGranted"] ?? 0) === r["viewRequested"])) {
    r["viewGranted"] = r["viewRequested"];
  } else {
    b.uvarint(r, "viewGranted");
    demand(r["viewGranted"] !== r["viewRequested"], "a longer form");
  }
  b.ranged(r, "verdict", 0, 3);
  b.ranged(r, "reason", 0, 12);
  if (r["verdict"] !== 1 && r["verdict"] !== 2) return;
  r["hit"] ??= {};
  target(b, r["hit"]);
  if (r["hit"].kind === 2) b.uint(r, "life", 8);
  b.ranged(r, "distance", 0, 4096 * 64);
  b.vec(r, "point");
  b.bool(r, "agrees");
  b.ranged(r, "tested", 0, 15);
  if (r["tested"] > 0) b.uint(r, "sceneSum", 16);
  b.list(r, "victims", 0, 8).forEach((v, i) => victim(b, v, r, i === 0));
  demand(r["victims"].length > 0 === (r["verdict"] === 2), "a hit without a victim");
}

/** What a shot hit. */
export function target(b: Bits, v: Fields): void {
  b.ranged(v, "kind", 0, 2);
  if (v["kind"] !== 2) return;
  b.id(v, "target", 1);
  b.ranged(v, "hitbox", 1, 31);
  b.ranged(v, "hitGroup", 1, 7);
}

/** The first victim mostly is what was hit, once: then one bit says so. */
function victim(b: Bits, v: Fields, r: Fields, first: boolean): void {
  const usual: Fields = { target: r["hit"].target, life: r["life"], hitGroup: r["hit"].hitGroup, count: 1, heads: r["hit"].hitGroup === 2 ? 1 : 0 };
  const isUsual = (): boolean => Object.keys(usual).every((name) => (v[name] ?? 0) === (usual[name] ?? 0));
  const may = first && r["hit"].kind === 2;
  if (may && b.flag("asHit", isUsual())) {
    Object.assign(v, usual);
  } else {
    b.id(v, "target", 1);
    b.uint(v, "life", 8);
    b.ranged(v, "hitGroup", 1, 7);
    b.ranged(v, "count", 1, 16);
    b.ranged(v, "heads", 0, v["count"]);
    demand(!may || !isUsual(), "a longer form");
  }
  b.uvarint(v, "damage", 65535);
  b.ranged(v, "spared", 0, 3);
}

function shotSeen(b: Bits, v: Fields): void {
  b.player(v, "shooter");
  b.ranged(v, "weapon", 0, 7);
  b.bool(v, "detonation");
  b.vec(v, "to");
  if (v["detonation"]) {
    b.ranged(v, "ago", 0, 4095);
    return;
  }
  b.vec(v, "from");
  if (!b.flag("pellets", v["pellets"] !== undefined)) return;
  const many = { pellets: v["pellets"] };
  v["pellets"] = b.list(many, "pellets", 1, 15).map((_, i) => {
    const end = { pellet: v["pellets"]?.[i] };
    return b.vec(end, "pellets");
  });
}

function damage(b: Bits, v: Fields): void {
  b.player(v, "shooter");
  b.ranged(v, "weapon", 0, 7);
  b.ranged(v, "hitGroup", 0, 7);
  b.uint(v, "damage", 16);
  b.vec(v, "from");
  b.ranged(v, "ago", 0, 4095);
}
