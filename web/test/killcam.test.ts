import { expect, test } from "vitest";
import { killcamScreen, killcamText } from "../src/page/killcam";

const text = (figures: Partial<{ age: number; hidden: number; apart: number; direct: boolean }>): string =>
  killcamText({ age: 0.213, hidden: 0, apart: 0, direct: true, ...figures }, "Bob", "rocket");

test("a shot at a player behind cover says for how long, and why it counted", () => {
  expect(text({ hidden: 0.0904, apart: 1.21 })).toBe("You had been behind cover for 90 ms; the shot counted because Bob saw you 213 ms in the past, still in the open.");
});

test("in the open it says how far away the killer saw the player", () => {
  expect(text({ apart: 1.24 })).toBe("You were in the open: Bob saw you 213 ms in the past, 1.2 m from where you were, and a shot counts where its shooter sees it hit.");
  expect(text({ apart: 0.034 })).toBe("You were in the open, and Bob saw you within 4 cm of where you were.");
});

test("cover is no matter of a blast", () => {
  expect(text({ direct: false, apart: 0.5 })).toBe("The blast of the rocket counted where Bob saw you, 213 ms in the past and 50 cm from where you were.");
});

test("two seconds show the killer's screen and then the own, each moving and then still", () => {
  expect(killcamScreen(0, false)).toEqual({ screen: "killer", before: 0.65 });
  expect(killcamScreen(900, false)).toEqual({ screen: "killer", before: 0 });
  expect(killcamScreen(1000, false)).toEqual({ screen: "own", before: 0.65 });
  expect(killcamScreen(1999, false)).toEqual({ screen: "own", before: 0 });
  expect(killcamScreen(2000, false).screen).toBe("");
});

test("with reduced motion both are stills", () => {
  for (const shown of [0, 300, 999, 1000, 1500]) expect(killcamScreen(shown, true).before).toBe(0);
});
