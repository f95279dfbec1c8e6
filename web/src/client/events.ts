// What happened, as a game's page wants to hear it. Start at decodeEvents.
import * as L from "./layout";
import { eachEvent, type Reader } from "./packets";

/** A place in the level: x, y, z in metres. */
export type Point = [number, number, number];

/** What became of a shot of one's own. */
export type Verdict = "predicted" | "confirmed" | "refused";

/** One thing that happened in the match, or to the connection. */
export type GameEvent =
  | { kind: "joined"; player: number; bot: boolean; name: string }
  | { kind: "left"; player: number }
  | { kind: "kill"; killer: number; victim: number; head: boolean }
  | { kind: "shot"; shooter: number; from: Point; to: Point; hit: boolean }
  | { kind: "hit"; verdict: Verdict; head: boolean; damage: number; victim: number }
  | { kind: "hurt"; damage: number; from: Point }
  | { kind: "spawned"; yaw: number }
  | { kind: "closed"; reason: string }
  | { kind: "resume"; key: string };

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
      return { kind: "joined", player: r.u32(), bot: r.u8() !== 0, name: r.string() };
    case L.EVENT_LEFT:
      return { kind: "left", player: r.u32() };
    case L.EVENT_KILL:
      return { kind: "kill", killer: r.u32(), victim: r.u32(), head: r.u8() !== 0 };
    case L.EVENT_SHOT:
      return { kind: "shot", shooter: r.u32(), from: r.vector(), to: r.vector(), hit: r.u8() !== 0 };
    case L.EVENT_HIT:
      return {
        kind: "hit",
        verdict: VERDICTS[r.u8()] ?? "refused",
        head: r.u8() !== 0,
        damage: r.u16(),
        victim: r.u32(),
      };
    case L.EVENT_HURT:
      return { kind: "hurt", damage: r.u16(), from: r.vector() };
    case L.EVENT_SPAWNED:
      return { kind: "spawned", yaw: r.f32() };
    case L.EVENT_CLOSED:
      return { kind: "closed", reason: r.string() };
    case L.EVENT_RESUME:
      return { kind: "resume", key: r.string() };
    default:
      return undefined;
  }
}
