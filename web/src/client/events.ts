// Events of the match, as the core reports them to the page. Start at decodeEvents.
import * as L from "./layout";
import { eachEvent, type Reader } from "./packets";

/** A position in the level: x, y, z in metres. */
export type Point = [number, number, number];

/** State of a hit of the player's own shot. */
export type Verdict = "predicted" | "confirmed" | "refused";

/** Cause of a correction, in the order of the layout's causes. */
export const CAUSES = ["misprediction", "server force", "teleport", "timeout", "throttle"] as const;
export type Cause = (typeof CAUSES)[number];

/** One mispredicted field and its error in the field's own unit; 1 for fields that are only equal
 * or not. */
export interface Difference {
  field: string;
  by: number;
}

/** A correction of the player's own moves. */
export interface Correction {
  cause: Cause;
  /** Distance between the predicted and the authoritative position, metres; undefined if the move
   * is no longer in the buffer. */
  distance: number | undefined;
  /** Number of moves replayed. */
  replayed: number;
  /** The mispredicted fields, most significant first. */
  differences: Difference[];
}

/** A team; "" is none. */
export type Team = "" | "red" | "blue";

/** Part of the body that was hit; "" is none. */
export const PARTS = ["", "body", "head", "arm", "leg", "shield"] as const;
export type Part = (typeof PARTS)[number];

/** How a weapon hits, in the order of the layout. */
const WEAPON_KINDS = ["hitscan", "melee", "projectile"] as const;

/** A weapon of the match; its index is its position in the list. */
export interface Weapon {
  name: string;
  kind: (typeof WEAPON_KINDS)[number];
  /** Rounds of a full magazine; 0 means no ammunition is needed. */
  magazine: number;
  /** Seconds to reload, and to draw the weapon. */
  reload: number;
  draw: number;
}

/** One event of the match or of the connection. */
export type GameEvent =
  | { kind: "joined"; player: number; bot: boolean; team: Team; name: string }
  | { kind: "left"; player: number }
  | { kind: "kill"; killer: number; victim: number; head: boolean; weapon: number }
  | { kind: "shot"; shooter: number; weapon: number; from: Point; to: Point; hit: boolean; pellets: Point[] }
  | { kind: "hit"; verdict: Verdict; part: Part; damage: number; victim: number; weapon: number; shot: number; reason: string }
  | { kind: "damage"; damage: number; from: Point; by: number; weapon: number; part: Part; ago: number }
  | { kind: "detonation"; shooter: number; weapon: number; at: Point; radius: number; corrected: boolean }
  | { kind: "weapons"; weapons: Weapon[] }
  | { kind: "spawned"; yaw: number }
  | { kind: "closed"; reason: string }
  | { kind: "resume"; key: string }
  | { kind: "correction"; correction: Correction }
  | { kind: "notice"; text: string }
  | { kind: "goals"; red: number; blue: number; team: Team; by: number };

const TEAMS: readonly Team[] = ["", "red", "blue"];
const VERDICTS: readonly Verdict[] = ["predicted", "confirmed", "refused"];

/** Calls visit with each event of the core's event block, oldest first. Unknown kinds are
 * skipped. */
export function decodeEvents(block: Uint8Array, visit: (event: GameEvent) => void): void {
  eachEvent(block, (kind, body) => {
    const event = decode(kind, body);
    if (event !== undefined) visit(event);
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
    case L.EVENT_DAMAGE:
      return { kind: "damage", damage: r.u16(), from: r.vector(), by: r.u32(), weapon: r.u8(), part: partOf(r), ago: r.f32() };
    case L.EVENT_DETONATION:
      return { kind: "detonation", shooter: r.u32(), weapon: r.u8(), at: r.vector(), radius: r.f32(), corrected: r.u8() !== 0 };
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
  return { name: r.string(), kind: WEAPON_KINDS[r.u8()] ?? "hitscan", magazine: r.u8(), reload: r.f32(), draw: r.f32() };
}

function correction(r: Reader): Correction {
  const cause = CAUSES[r.u8()] ?? "misprediction";
  const known = r.u8() !== 0;
  const distance = r.f32();
  const replayed = r.u16();
  const differences = Array.from({ length: r.u8() }, () => ({ field: r.string(), by: r.f32() }));
  return { cause, distance: known ? distance : undefined, replayed, differences };
}
