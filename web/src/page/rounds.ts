// The round: its clock, the winner, and the vote for the next level. Start at RoundPanel.
import { setText } from "@backstep/three/parts";
import type { Round } from "../core";
import { isInPanel } from "./controls";
import { element } from "./dom";

/** From so many seconds on the clock is coloured. */
const LATE = 30;

/** Returns seconds as minutes and seconds: 4:05. */
export function clockText(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** Returns who has won a round, for the player with a number. */
export function winnerText({ winner, team }: Pick<Round, "winner" | "team">, self: number, name: (id: number) => string): string {
  if (team !== 0) return `${team === 1 ? "▲ Red" : "■ Blue"} wins`;
  if (winner === 0) return "A draw";
  return winner === self ? "You win" : `${name(winner)} wins`;
}

/** One level of the vote. */
export interface Choice {
  name: string;
  votes: number;
  /** It is the level that is played. */
  current: boolean;
}

/** Returns the levels of the vote; empty without one. */
export function choicesOf({ levels, level, votes }: Pick<Round, "levels" | "level"> & { votes: ArrayLike<number> }): Choice[] {
  return levels === "" ? [] : levels.split("\n").map((name, i) => ({ name, votes: votes[i] ?? 0, current: i === level }));
}

/** Shows the clock while a round is played, and the winner and the vote after it. */
export class RoundPanel {
  private readonly clock = element("round-clock");
  private readonly end = element("round-end");
  private readonly winner = element("round-winner");
  private readonly next = element("round-next");
  private readonly vote = element("round-vote");
  private buttons: HTMLButtonElement[] = [];
  private levels = "";
  private chosen = -1;

  /** choose votes for a level by its index. */
  constructor(private readonly choose: (level: number) => void) {
    window.addEventListener("keydown", this.onKey);
  }

  /** Updates the panel by what the core knows; self is the player's number. */
  update(round: Round, self: number, name: (id: number) => string): void {
    this.clock.hidden = round.over || round.left === 0;
    if (!this.clock.hidden) {
      setText(this.clock, clockText(round.left));
      this.clock.classList.toggle("late", round.left <= LATE);
    }
    if (this.end.hidden === round.over) {
      this.end.hidden = !round.over;
      this.chosen = -1;
    }
    if (!round.over) return;
    setText(this.winner, winnerText(round, self, name));
    const choices = choicesOf(round);
    setText(this.next, `Next round in ${round.left} s${choices.length > 0 ? ". Vote for the level:" : ""}`);
    this.showChoices(round.levels, choices);
  }

  private showChoices(levels: string, choices: readonly Choice[]): void {
    if (levels !== this.levels) {
      this.levels = levels;
      this.buttons = choices.map((_, i) => {
        const button = document.createElement("button");
        button.type = "button";
        button.addEventListener("click", () => this.pick(i));
        return button;
      });
      this.vote.replaceChildren(...this.buttons);
    }
    choices.forEach(({ name, votes, current }, i) => {
      const button = this.buttons[i];
      if (button === undefined) return;
      setText(button, `${i + 1} · ${name}${current ? " again" : ""}${votes > 0 ? ` · ${votes} ${votes === 1 ? "vote" : "votes"}` : ""}`);
      button.setAttribute("aria-pressed", String(i === this.chosen));
    });
  }

  private pick(level: number): void {
    this.chosen = level;
    this.choose(level);
  }

  /** While the mouse is captured, the digits vote. */
  private readonly onKey = (e: KeyboardEvent): void => {
    const digit = Number(/^Digit([1-9])$/.exec(e.code)?.[1] ?? 0);
    if (!this.end.hidden && !e.repeat && !isInPanel(e.target) && digit >= 1 && digit <= this.buttons.length) this.pick(digit - 1);
  };

  dispose(): void {
    window.removeEventListener("keydown", this.onKey);
    this.clock.hidden = this.end.hidden = true;
    this.vote.replaceChildren();
  }
}
