/** The inputs and states of the two games: docs/protocol.md, appendices A and B. */
import { Bits, demand, isSet, type Fields } from "./bits";
import { target, type Declared } from "./notices";

export interface Game {
  /** An input, against the one before. */
  input(b: Bits, v: Fields, before: Fields): void;
  state(b: Bits, v: Fields): void;
  fields: Declared[];
}

export const games: Record<string, Game> = {
  sled: {
    input: sledInput, state: sledState,
    fields: [{ name: "laps", max: 9 }, { name: "wind" }, { name: "colour", audience: 1, text: 12 }],
  },
  arena: {
    input: arenaInput, state: arenaState,
    fields: [
      { name: "name", text: 96 }, { name: "bot", max: 1 }, { name: "team", max: 2 }, { name: "kills", max: 65535 },
      { name: "deaths", max: 65535 }, { name: "protected", max: 1 }, { name: "playing", max: 1 }, { name: "health", audience: 1, max: 100 },
      { name: "armour", audience: 1, max: 100 }, { name: "respawn", audience: 1, max: 65535 }, { name: "hits", audience: 1, max: 255 },
      { name: "red goals", max: 65535 }, { name: "blue goals", max: 65535 }, { name: "scorer", max: 1000 }, { name: "scored", max: 2 },
      { name: "round left", max: 65535 }, { name: "round over", max: 1 }, { name: "round winner", max: 1000 }, { name: "round team", max: 2 },
      { name: "level", max: 3 }, { name: "levels", text: 128 }, ...[1, 2, 3, 4].map((n) => ({ name: `votes ${n}`, max: 1000 })), { name: "ping", max: 1000 },
    ],
  },
};

function sledInput(b: Bits, v: Fields, before: Fields): void {
  const was = before["push"] ?? 0;
  v["push"] = b.note("push", () => {
    if (b.bit((v["push"] ?? 0) === was)) return was;
    const push = b.within(-1, 1, v["push"] ?? 0);
    demand(push !== was, "a longer form");
    return push;
  });
  shot(b, v);
}

function sledState(b: Bits, v: Fields): void {
  b.varint(v, "x", -(2 ** 37), 2 ** 37);
  b.varint(v, "v", -4000, 4000);
}

/** A claim: what the player shot at, in which view. */
function shot(b: Bits, v: Fields): void {
  if (!b.some(v, "shot")) return;
  const s = v["shot"];
  b.ranged(s, "weapon", 0, 7);
  b.angle16(s, "yaw");
  b.angle16(s, "pitch");
  b.uvarint(s, "view");
  b.uint(s, "newest", 32);
  if (s.newest !== 0) {
    const mask = b.mask(s, "mask", 64);
    demand(s.newest > 64 || mask >> BigInt(s.newest - 1) === 0n, "a tick below 1");
  }
  b.ranged(s, "drawMode", 0, 3);
  const extrapolates = s.drawMode === 1 || s.drawMode === 2;
  if (b.some(s, "blend")) {
    const blend = s.blend;
    b.ranged(blend, "age", 0, 149_999);
    b.ranged(blend, "back", 0, 64);
    const mask = b.mask(blend, "mask", 64);
    const newest = s.newest - blend.back;
    demand(!extrapolates && blend.age < s.view && newest >= 1, "a blend");
    demand(newest > 64 || mask >> BigInt(newest - 1) === 0n, "a tick below 1");
  }
  if (extrapolates && b.some(s, "arrivals")) {
    const ticks = b.mask(s.arrivals, "ticks", 64);
    const times = b.mask(s.arrivals, "times", 56);
    const set = (mask: bigint): number => mask.toString(2).replaceAll("0", "").length;
    const width = (mask: bigint): number => (mask === 0n ? 0 : mask.toString(2).length);
    demand(ticks !== 0n && set(ticks) <= 28 && set(ticks) === set(times), "arrivals");
    demand(width(ticks) < s.newest && width(times) <= Math.floor(s.view / 8000) + 1, "an arrival before the match");
  }
  target(b, (s.seenHit ??= {}));
  if (!b.flag("some sceneSum", (s.sceneSum ?? 0) !== 0)) return;
  b.uint(s, "sceneSum", 16);
  demand(s.sceneSum !== 0, "a longer form");
}

const held = ["hook", "shield", "aim"];
const once = ["reload", "dash", "shot", "select", "ability"];

function arenaInput(b: Bits, v: Fields, before: Fields): void {
  movement(b, v, before);
  const acts = (): boolean => once.some((name) => isSet(v[name]) || (name === "shot" && v[name] !== undefined)) || held.some((name) => (v[name] ?? false) !== (before[name] ?? false));
  if (!b.flag("acts", acts())) {
    for (const name of held) v[name] = before[name] ?? false;
    return;
  }
  for (const name of [...held, "reload", "dash"]) b.bool(v, name);
  shot(b, v);
  if (b.flag("some select", isSet(v["select"]))) b.ranged(v, "select", 1, 8);
  if (b.flag("some ability", isSet(v["ability"]))) b.ranged(v, "ability", 1, 255);
  demand(acts(), "a longer form");
}

/** What moves, against the input before. */
function movement(b: Bits, v: Fields, before: Fields): void {
  const names = ["jump", "crouch", "forward", "right", "sprint", "buttons", "up", "request", "yaw", "pitch"];
  const value = (of: Fields, name: string): any => of[name] || (name === "request" ? [0, 0, 0] : 0);
  const was = (name: string): any => value(before, name);
  if (!b.writing) for (const name of names) v[name] = was(name);
  const differ = (of: string[]): boolean => of.some((name) => JSON.stringify(value(v, name)) !== JSON.stringify(was(name)));
  const off = (name: string): number => (((v[name] ?? 0) - was(name)) << 16) >> 16;
  const changed = (): number => {
    if (differ(names.slice(0, 8))) return 3;
    if (off("pitch") !== 0) return 2;
    return off("yaw") === 0 ? 0 : Math.abs(off("yaw")) <= 512 ? 1 : 2;
  };
  const steps = (name: string, lo: number, hi: number): void => {
    const n = off(name);
    const less = b.flag("less", n < 0);
    const size = b.note(name, () => b.within(lo, hi, Math.abs(n)));
    v[name] = ((was(name) + (less ? -size : size)) << 16) >> 16;
  };
  const angle = (name: string): void => {
    const form = (): number => [0, 32, 544, 65536].findIndex((most) => Math.abs(off(name)) <= most);
    const written = b.note("form", () => b.within(0, 3, form()));
    if (written === 1) steps(name, 1, 32);
    if (written === 2) steps(name, 33, 544);
    if (written === 3) b.angle16(v, name);
    demand(form() === written, "a longer form");
  };
  const written = b.note("changed", () => {
    const c = changed();
    let n = 0;
    while (n < 3 && b.bit(c > n)) n++;
    return n;
  });
  if (written === 1) steps("yaw", 1, 512);
  if (written === 3) {
    b.bool(v, "jump");
    b.bool(v, "crouch");
    axes();
    rest();
  }
  if (written > 1) {
    angle("yaw");
    angle("pitch");
  }
  demand(changed() === written, "a longer form");

  function axes(): void {
    if (!b.flag("axes", differ(["forward", "right"]))) return;
    const keys = [v["forward"] ?? 0, v["right"] ?? 0].every((x) => x % 127 === 0);
    if (b.flag("analog", !keys)) {
      b.ranged(v, "forward", -127, 127);
      b.ranged(v, "right", -127, 127);
      demand(v["forward"] % 127 !== 0 || v["right"] % 127 !== 0, "a longer form");
    } else {
      const key = b.note("keys", () => b.within(0, 8, 3 * ((v["forward"] ?? 0) / 127 + 1) + (v["right"] ?? 0) / 127 + 1));
      v["forward"] = 127 * (Math.floor(key / 3) - 1);
      v["right"] = 127 * ((key % 3) - 1);
    }
    demand(differ(["forward", "right"]), "a longer form");
  }
  function rest(): void {
    if (!b.flag("rest", differ(["sprint", "buttons", "up", "request"]))) return;
    const pressed = differ(["buttons"]);
    const sprint = b.flag("sprint", !!(pressed ? was("sprint") : v["sprint"]));
    let steered = b.flag("some request", differ(["up", "request"]) && !pressed);
    if (sprint === !!was("sprint") && !steered) {
      b.uint(v, "buttons", 8);
      demand(differ(["buttons"]), "a longer form");
      b.bool(v, "sprint");
      steered = b.flag("some request", differ(["up", "request"]));
    } else v["sprint"] = sprint;
    if (steered) {
      b.ranged(v, "up", -127, 127);
      b.vec(v, "request");
      demand(differ(["up", "request"]), "a longer form");
    }
  }
}

const minute = 60e6;
const far = 1e7;

function arenaState(b: Bits, v: Fields): void {
  movementState(b, v);
  loadout(b, (v["loadout"] ??= {}));
  b.uint(v, "life", 8);
  b.bool(v, "dead");
  const special = (): boolean => isSet(["spectating", "doomed", "shielded", "aiming", "dashRest", "hook"].map((name) => v[name]));
  if (!b.flag("special", special())) return;
  for (const name of ["spectating", "doomed", "shielded", "aiming"]) b.bool(v, name);
  b.varint(v, "dashRest", 0, 1.5e6);
  const hook = (v["hook"] ??= {});
  b.bool(hook, "held");
  b.varint(hook, "rest", 0, 0.8e6);
  b.varint(hook, "left", 0, 3e6);
  b.uint(hook, "mover", 16);
  bounded(b, hook, "anchor");
  demand(hook.mover < 32768, "a mover");
  demand(special(), "a longer form");
}

const length2 = (v: number[]): number => v.reduce((sum, x) => sum + x * x, 0);

/** A vector with a bounded length. */
function bounded(b: Bits, v: Fields, name: string): void {
  b.vec64(v, name);
  demand(length2(v[name]) <= 3 * far * far, "too far");
}

function rareBounded(b: Bits, v: Fields, name: string): void {
  if (!b.flag(`some ${name}`, isSet(v[name]))) return;
  bounded(b, v, name);
  demand(isSet(v[name]), "a longer form");
}

/** The state of the character movement. */
export function movementState(b: Bits, v: Fields): void {
  bounded(b, v, "position");
  bounded(b, v, "velocity");
  b.float64(v, "yaw");
  b.float64(v, "pitch");
  b.uint(v, "mode", 8);
  demand(v["mode"] <= 6 || v["mode"] >= 16, "a mode");
  for (const name of ["crouched", "jumpHeld", "forceFloor"]) b.bool(v, name);
  b.uint(v, "jumpCount", 8);
  if (b.some(v, "floor")) floor(b, v["floor"]);
  for (const name of ["impulse", "force", "launch"]) rareBounded(b, v, name);
  const rare = (): boolean => isSet(["base", "up", "rail", "nav", "jumpHold", "wantsWalking", "stuck", "motion", "speedScale", "halfHeight"].map((name) => v[name]));
  if (!b.flag("rare", rare())) return;
  if (b.some(v, "base")) {
    b.uint(v["base"], "mover", 16);
    bounded(b, v["base"], "position");
    b.float64(v["base"], "angle");
    demand(v["base"].mover >= 1 && v["base"].mover <= 32767, "a mover");
  }
  rareBounded(b, v, "up");
  if (b.some(v, "rail")) {
    b.uint(v["rail"], "path", 16);
    b.varint(v["rail"], "start");
    demand(isSet(v["rail"]), "a longer form");
  }
  if (b.some(v, "nav")) {
    b.uint(v["nav"], "polygon", 32);
    b.float64(v["nav"], "from");
    b.float64(v["nav"], "to");
    b.varint(v["nav"], "since", 0, 3600e6);
    demand(isSet(v["nav"]) && Math.abs(v["nav"].from) <= far && Math.abs(v["nav"].to) <= far, "a walk on the mesh");
  }
  b.varint(v, "jumpHold");
  b.bool(v, "wantsWalking");
  b.bool(v, "stuck");
  if (b.some(v, "motion")) motion(b, v["motion"]);
  for (const name of ["speedScale", "halfHeight"]) {
    if (!b.flag("some " + name, isSet(v[name]))) continue;
    b.float64(v, name);
    demand(isSet(v[name]) && Math.abs(v[name]) <= far, "a longer form");
  }
  demand(rare(), "a longer form");
}

function floor(b: Bits, v: Fields): void {
  bounded(b, v, "normal");
  b.float64(v, "rise");
  b.float64(v, "distance");
  b.uint(v, "shape", 32);
  if (b.flag("some mover", isSet(v["mover"]))) {
    b.uint(v, "mover", 16);
    demand(v["mover"] !== 0, "a longer form");
  }
  b.bool(v, "walkable");
  b.bool(v, "ray");
  demand(isSet(v), "a longer form");
}

function motion(b: Bits, v: Fields): void {
  b.uint(v, "lastID", 16);
  demand(v["lastID"] !== 0, "an id");
  const active = b.list(v, "active", 0, 4);
  const pending = b.list(v, "pending", 0, 2);
  for (const s of [...active, ...pending]) source(b, s);
  rareBounded(b, v, "added");
  rareBounded(b, v, "carried");
}

function source(b: Bits, s: Fields): void {
  b.ranged(s, "kind", 1, 5);
  b.ranged(s, "finish", 0, 2);
  b.ranged(s, "priority", -128, 127);
  b.uint(s, "flags", 8);
  b.uint(s, "id", 16);
  for (const name of ["start", "duration", "elapsed"]) b.varint(s, name);
  const singles = (name: string, n: number): void => {
    if (!b.flag(`some ${name}`, isSet(s[name]))) return;
    const list = b.note(name, () => Array.from({ length: n }, (_, i) => b.single(n > 1 ? (s[name]?.[i] ?? 0) : (s[name] ?? 0))));
    s[name] = n > 1 ? list : list[0];
    demand(isSet(s[name]), "a longer form");
  };
  for (const name of ["vector", "point", "finishVelocity"]) singles(name, 3);
  for (const name of ["length", "strength", "rate"]) singles(name, 1);
  for (const [name, bits] of [["landAfter", 16], ["curve", 8], ["fallOff", 8], ["offset", 8], ["clip", 8]] as const) {
    if (!b.flag(`some ${name}`, isSet(s[name]))) continue;
    b.uint(s, name, bits);
    demand(s[name] !== 0, "a longer form");
  }
  demand(s["id"] !== 0, "an id");
  demand(["start", "duration", "elapsed"].every((name) => Math.abs(s[name]) <= 2 ** 42) && s["elapsed"] >= 0, "a time");
  demand(["vector", "point", "finishVelocity"].every((name) => length2(s[name] ?? []) <= 3 * far * far), "too far");
  demand(["length", "strength", "rate"].every((name) => Math.abs(s[name] ?? 0) <= far) && (s["length"] ?? 0) >= 0, "too far");
  demand(s["kind"] !== 5 || ((s["rate"] ?? 0) >= 0.01 && s["rate"] <= 8), "a rate");
  demand((s["kind"] !== 3 && s["kind"] !== 4) || s["duration"] > 0, "a duration");
}

function loadout(b: Bits, v: Fields): void {
  b.ranged(v, "held", 0, 7);
  b.ranged(v, "next", 0, 8);
  b.uint(v, "swings", 8);
  for (const name of ["deploy", "swing", "swept"]) b.varint(v, name, 0, minute);
  b.bool(v, "due");
  const ammo: Fields[] = (v["ammo"] ??= []);
  for (let i = 0; i < 8; i++) {
    const a = (ammo[i] ??= {});
    if (!b.flag("ammo", isSet(a))) continue;
    b.uint(a, "rounds", 8);
    b.varint(a, "cooldown", -minute, minute);
    b.varint(a, "reload", 0, minute);
    demand(isSet(a), "a longer form");
  }
}

/** The arena's message from the server: a kill. */
export function arenaMessage(b: Bits, v: Fields): void {
  b.uint(v, "kind", 8);
  demand(v["kind"] === 1, "an unknown kind");
  b.ranged(v, "killer", 0, 1000);
  b.ranged(v, "victim", 0, 1000);
  b.ranged(v, "weapon", 0, 8);
  b.ranged(v, "hitGroup", 0, 7);
  b.ranged(v, "distance", 0, 10000);
  b.end();
}
/** The arena's table of weapons, in the weapons of a welcome. */
export function weaponTable(b: Bits, v: Fields): void {
  const number = (of: Fields, name: string): void => {
    if (!b.flag(`some ${name}`, isSet(of[name]))) return;
    b.float64(of, name);
    demand(of[name] !== 0, "a longer form");
  };
  for (const w of b.list(v, "weapons", 1, 8)) {
    b.bytesOf(w, "name", 32);
    b.ranged(w, "kind", 0, 2);
    number(w, "range");
    for (const name of ["cooldown", "reload", "deploy", "swingBegins", "swingLasts", "flightFuse", "cap", "cover"]) b.varint(w, name, 0, minute);
    b.uint(w, "magazine", 8);
    w["damage"] = Array.from({ length: 8 }, (_, tag) => b.uvarint({ damage: w["damage"]?.[tag] }, "damage", 65535));
    for (const name of ["falloffFrom", "falloffTo", "falloffLeast"]) number(w, name);
    b.ranged(w, "policy", 0, 1);
    b.ranged(w, "pellets", 0, 16);
    number(w, "cone");
    b.bool(w, "secret");
    for (const p of b.list(w, "pattern", 0, 16)) for (const axis of ["right", "up"]) number(p, axis);
    for (const name of ["swingArc", "swingTilt", "swingRadius", "flightSpeed", "flightGravity", "flightRadius", "flightBounce"]) number(w, name);
    b.uint(w, "entityKind", 8);
    for (const name of ["blastRadius", "blastInner", "blastLeast", "blastSelf", "blastPush"]) number(w, name);
    b.uvarint(w, "blastDamage", 65535);
    b.ranged(w, "beyond", 0, 2);
    b.ranged(w, "timeline", 0, 2);
  }
  b.end();
}
