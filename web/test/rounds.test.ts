import { describe, expect, it } from "vitest";
import { choicesOf, clockText, winnerText } from "../src/page/rounds";

const name = (id: number): string => `Player ${id}`;

describe("the round", () => {
  it("shows seconds as minutes and seconds", () => {
    expect([300, 61, 9, 0].map(clockText)).toEqual(["5:00", "1:01", "0:09", "0:00"]);
  });

  it("names the winner, the team, or nobody", () => {
    expect(winnerText({ winner: 2, team: 0 }, 1, name)).toBe("Player 2 wins");
    expect(winnerText({ winner: 1, team: 0 }, 1, name)).toBe("You win");
    expect(winnerText({ winner: 0, team: 0 }, 1, name)).toBe("A draw");
    expect(winnerText({ winner: 0, team: 2 }, 1, name)).toBe("■ Blue wins");
  });

  it("has no choices without a vote", () => {
    expect(choicesOf({ levels: "", level: 0, votes: [0, 0, 0, 0] })).toEqual([]);
  });

  it("has a choice for each level, and marks the one that is played", () => {
    expect(choicesOf({ levels: "Arena\nYard", level: 1, votes: [2, 1, 0, 0] })).toEqual([
      { name: "Arena", votes: 2, current: false }, { name: "Yard", votes: 1, current: true },
    ]);
  });
});
