import { expect, test } from "vitest";
import { noticeFor } from "../src/notice.js";

const text = (status: Parameters<typeof noticeFor>[0]["status"], reason = "", place = 0): string | undefined => noticeFor({ status, reason }, place)?.text;

// The notice says why nothing can be played, and there is none while it can. [THR-32]
test("what a player reads", () => {
  expect(text("open")).toBeUndefined();
  expect(text("connecting")).toBeUndefined();
  expect(text("connecting", "", 3)).toBe("The match is full. You are number 3 in line.");
  expect(text("open", "", 1)).toBe("The match is full. You are number 1 in line.");
  expect(text("lost", "host: the server is stopping")).toBe("Connection lost: the server is stopping. Reconnecting …");
  expect(text("lost", "Connection lost.")).toBe("Connection lost. Reconnecting …");
  expect(text("lost", "serve: the next level begins")).toBe("The next level begins …");
  expect(text("ended", "host: you are banned: here")).toBe("You are banned: here.");
  expect(text("ended", "left")).toBeUndefined();
});

test("the button is where trying again is up to the player", () => {
  expect(noticeFor({ status: "ended", reason: "session: the match is full" }, 0)?.again).toBe(true);
  expect(noticeFor({ status: "lost", reason: "no data" }, 0)?.again).toBe(false);
});
