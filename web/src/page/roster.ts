// The players of the match: names, bots and teams. Start at Roster.
import type { Team } from "./events";

/** What is known of a player. */
interface PlayerInfo {
  name: string;
  bot: boolean;
  /** "" if there are no teams. */
  team: Team;
}

/** Returns a player's name with the shape of its team, for eyes that do not tell its colour. */
export function labelOf(name: string, team: Team): string {
  return team === "" ? name : `${team === "red" ? "▲" : "■"} ${name}`;
}

/** All players in the match, including the player's own. */
export class Roster {
  private readonly players = new Map<number, PlayerInfo>();

  set(id: number, person: PlayerInfo): void {
    this.players.set(id, person);
  }

  remove(id: number): void {
    this.players.delete(id);
  }

  /** Returns a player's name, or a placeholder until it is known. */
  name(id: number): string {
    return this.players.get(id)?.name ?? `Player ${id}`;
  }

  label(id: number): string {
    return labelOf(this.name(id), this.team(id));
  }

  bot(id: number): boolean {
    return this.players.get(id)?.bot ?? false;
  }

  team(id: number): Team {
    return this.players.get(id)?.team ?? "";
  }
}
