// Who is in the match: names, bots and teams, as the server tells them. Start at Roster.
import type { Team } from "../client/index";

/** What is known of a player. */
export interface PlayerInfo {
  name: string;
  bot: boolean;
  /** Whose side; "" where everybody plays for themselves. */
  team: Team;
}

/** Everybody who has joined and not left, oneself included. */
export class Roster {
  private readonly players = new Map<number, PlayerInfo>();

  set(id: number, person: PlayerInfo): void {
    this.players.set(id, person);
  }

  remove(id: number): void {
    this.players.delete(id);
  }

  /** A player's name, or a stand-in until it is known. */
  name(id: number): string {
    return this.players.get(id)?.name ?? `Player ${id}`;
  }

  bot(id: number): boolean {
    return this.players.get(id)?.bot ?? false;
  }

  team(id: number): Team {
    return this.players.get(id)?.team ?? "";
  }

  /** Everybody, in no order that matters. */
  all(): IterableIterator<[number, PlayerInfo]> {
    return this.players.entries();
  }
}
