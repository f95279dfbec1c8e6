// What happened in a frame, as plain objects that can be kept. Start at eventsOf.
import { copy } from "@backstep/client";
import type { Correction, Detonation, Goals, HitMarker, Hurt, Join, Kill, Tracer, Weapon } from "../core";
import type { ArenaSession } from "./self";

/** A team; "" is none. */
export type Team = "" | "red" | "blue";

const TEAMS: readonly Team[] = ["", "red", "blue"];

/** Returns the team of a number of the arena's. */
export function teamOf(number: number): Team {
  return TEAMS[number] ?? "";
}

/** One event of the match; the fields are those of the core's types. */
export type GameEvent =
  | ({ kind: "joined" } & Join)
  | { kind: "left"; player: number }
  | ({ kind: "kill" } & Kill)
  | ({ kind: "shot" } & Tracer)
  | ({ kind: "hit" } & HitMarker)
  | ({ kind: "damage" } & Hurt)
  | ({ kind: "detonation" } & Detonation)
  | ({ kind: "goals" } & Goals)
  | { kind: "weapons"; weapons: readonly Weapon[] }
  | { kind: "spawned"; yaw: number }
  | { kind: "correction"; correction: Correction }
  | { kind: "notice"; text: string };

/** Returns the events of the core's last frame, in the order in which the page shows them. */
export function eventsOf(session: ArenaSession): GameEvent[] {
  const { view, arena } = session.roots;
  const events: GameEvent[] = [];
  const add = <K extends GameEvent["kind"], T>(kind: K, list: readonly T[] | undefined): void => {
    for (const item of list ?? []) events.push({ kind, ...copy(item) } as unknown as GameEvent);
  };
  if (view.events.some((event) => event.kind === "welcomed")) events.push({ kind: "weapons", weapons: copy(view.weapons) });
  const placed = view.events.findLast((event) => event.kind === "teleported");
  if (placed && arena.spawned) events.push({ kind: "spawned", yaw: placed.yaw });
  for (const text of arena.notices) events.push({ kind: "notice", text });
  add("shot", arena.tracers);
  add("hit", arena.player?.hitMarkers);
  add("detonation", arena.detonations);
  add("damage", arena.hurts);
  for (const correction of view.corrections) {
    const copied = copy(correction);
    events.push({ kind: "correction", correction: { ...copied, differences: copied.differences.filter((d) => d.field !== "") } });
  }
  add("joined", arena.joins);
  for (const player of arena.leaves) events.push({ kind: "left", player });
  add("kill", arena.player?.kills);
  if (arena.scored && arena.player !== null) add("goals", [arena.player.goals]);
  return events;
}
