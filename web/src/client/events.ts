// What happened, as a game's page wants to hear it. Start at decodeEvents.
import * as L from "./layout";
import { eachEvent, type Reader } from "./packets";

/** A place in the level: x, y, z in metres. */
export type Point = [number, number, number];

/** What became of a shot of one's own. */
export type Verdict = "predicted" | "confirmed" | "refused";

/** Why a correction was made; in the order of the layout's causes. */
export const CAUSES = ["mistaken", "altered", "placed", "overtaken", "slowed"] as const;
export type Cause = (typeof CAUSES)[number];

/** One field in which a prediction was wrong, and by how much in its own unit: 1 for
 * what is only equal or not. */
export interface Difference {
  field: string;
  by: number;
}

/** A correction of the player's own moves. */
export interface Correction {
  cause: Cause;
  /** Between the predicted place and the true one, metres; undefined where the move
   * was known no more. */
  distance: number | undefined;
  /** Moves that were simulated again. */
  replayed: number;
  /** What was not as predicted, the most telling first. */
  differences: Difference[];
}

/** Who scored last; "" before the first goal. */
export type Team = "" | "red" | "blue";

/** What a hit counts as; "" is nothing. */
export const PARTS = ["", "body", "head", "arm", "leg", "shield"] as const;
export type Part = (typeof PARTS)[number];

/** How a weapon hits. */
const WEAPON_KINDS = ["rays", "blade", "projectile"] as const;

/** A weapon of the match; its index is its place in the list. */
export interface Weapon {
  name: string;
  kind: (typeof WEAPON_KINDS)[number];
  /** Rounds when full; 0: it needs none. */
  magazine: number;
  /** Seconds to reload, and to have it ready. */
  reload: number;
  draw: number;
}

/** One thing that happened in the match, or to the connection. */
export type GameEvent =
  | { kind: "joined"; player: number; bot: boolean; team: Team; name: string }
  | { kind: "left"; player: number }
  | { kind: "kill"; killer: number; victim: number; head: boolean; weapon: number }
  | { kind: "shot"; shooter: number; weapon: number; from: Point; to: Point; hit: boolean; pellets: Point[] }
  | { kind: "hit"; verdict: Verdict; part: Part; damage: number; victim: number; weapon: number; shot: number; reason: string }
  | { kind: "hurt"; damage: number; from: Point; by: number; weapon: number; part: Part; ago: number }
  | { kind: "burst"; shooter: number; weapon: number; at: Point; radius: number; corrected: boolean }
  | { kind: "weapons"; weapons: Weapon[] }
  | { kind: "spawned"; yaw: number }
  | { kind: "closed"; reason: string }
  | { kind: "resume"; key: string }
  | { kind: "correction"; correction: Correction }
  | { kind: "notice"; text: string }
  | { kind: "goals"; red: number; blue: number; team: Team; by: number };

const TEAMS: readonly Team[] = ["", "red", "blue"];
const VERDICTS: readonly Verdict[] = ["predicted", "confirmed", "refused"];

/** Calls take with each event of the core's event block, oldest first. A kind
 * that this page does not know is skipped. */
export function decodeEvents(block: Uint8Array, take: (event: GameEvent) => void): void {
  eachEvent(block, (kind, body) => {
    const event = decode(kind, body);
    if (event !== undefined) take(event);
  });
}

function decode(kind: number, r: Reader): GameEvent | undefined {
  switch (kind) {
    case L.EVENT_JOINED:
      return { kind: "joined", player: r.u32(), bot: r.u8() !== 0, team: TEAMS[r.u8()] ?? "", name: r.string() };
    case L.EVENT_LEFT:
      return { kind: "left", player: r.u32() };
    case L.EVENT_KILL:
      return { kind: "kill", killer: r.u32(), victim: r.u32(), head: r.u8() !== 0, weapon: r.u8() };
    case L.EVENT_SHOT:
      return {
        kind: "shot", shooter: r.u32(), weapon: r.u8(), from: r.vector(), to: r.vector(), hit: r.u8() !== 0,
        pellets: Array.from({ length: r.u8() }, () => r.vector()),
      };
    case L.EVENT_HIT:
      return {
        kind: "hit",
        verdict: VERDICTS[r.u8()] ?? "refused",
        part: partOf(r),
        damage: r.u16(),
        victim: r.u32(),
        weapon: r.u8(),
        shot: r.u32(),
        reason: r.string(),
      };
    case L.EVENT_HURT:
      return { kind: "hurt", damage: r.u16(), from: r.vector(), by: r.u32(), weapon: r.u8(), part: partOf(r), ago: r.f32() };
    case L.EVENT_BURST:
      return { kind: "burst", shooter: r.u32(), weapon: r.u8(), at: r.vector(), radius: r.f32(), corrected: r.u8() !== 0 };
    case L.EVENT_WEAPONS:
      return { kind: "weapons", weapons: Array.from({ length: r.u8() }, () => weapon(r)) };
    case L.EVENT_SPAWNED:
      return { kind: "spawned", yaw: r.f32() };
    case L.EVENT_CLOSED:
      return { kind: "closed", reason: r.string() };
    case L.EVENT_RESUME:
      return { kind: "resume", key: r.string() };
    case L.EVENT_CORRECTION:
      return { kind: "correction", correction: correction(r) };
    case L.EVENT_NOTICE:
      return { kind: "notice", text: r.string() };
    case L.EVENT_GOALS:
      return { kind: "goals", red: r.u16(), blue: r.u16(), team: TEAMS[r.u8()] ?? "", by: r.u32() };
    default:
      return undefined;
  }
}

function partOf(r: Reader): Part {
  return PARTS[r.u8()] ?? "";
}

function weapon(r: Reader): Weapon {
  return { name: r.string(), kind: WEAPON_KINDS[r.u8()] ?? "rays", magazine: r.u8(), reload: r.f32(), draw: r.f32() };
}

function correction(r: Reader): Correction {
  const cause = CAUSES[r.u8()] ?? "mistaken";
  const known = r.u8() !== 0;
  const distance = r.f32();
  const replayed = r.u16();
  const differences = Array.from({ length: r.u8() }, () => ({ field: r.string(), by: r.f32() }));
  return { cause, distance: known ? distance : undefined, replayed, differences };
}
