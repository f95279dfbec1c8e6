import { afterEach, expect, test, vi } from "vitest";
import { connect } from "../src/connect.js";
import { Notice, noticeFor } from "../src/notice.js";

const text = (status: Parameters<typeof noticeFor>[0]["status"], reason = "", place = 0): string | undefined => noticeFor({ status, reason }, place)?.text;

// The notice says why nothing can be played, and there is none while it can. [THR-32]
test("what a player reads", () => {
  expect(text("open")).toBeUndefined();
  expect(text("connecting")).toBeUndefined();
  expect(text("connecting", "", 3)).toBe("The match is full. You are number 3 in the queue.");
  expect(text("open", "", 1)).toBe("The match is full. You are number 1 in the queue.");
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

/** What of a page a notice uses. */
class FakeElement {
  readonly style = { cssText: "" };
  readonly attributes: Record<string, string> = {};
  children: (FakeElement | string)[] = [];
  parent: FakeElement | undefined;
  setAttribute(name: string, value: string): void {
    this.attributes[name] = value;
  }
  append(...children: (FakeElement | string)[]): void {
    this.children.push(...children);
    for (const child of children) if (child instanceof FakeElement) child.parent = this;
  }
  replaceChildren(...children: (FakeElement | string)[]): void {
    this.children = [];
    this.append(...children);
  }
  remove(): void {
    if (this.parent !== undefined) this.parent.children = this.parent.children.filter((child) => child !== this);
    this.parent = undefined;
  }
}

function fakePage(): { body: FakeElement; pointerLockElement: object | null } {
  const page = {
    body: new FakeElement(), baseURI: "http://127.0.0.1/", pointerLockElement: null as object | null,
    createElement: () => new FakeElement(), exitPointerLock: () => void (page.pointerLockElement = null),
  };
  vi.stubGlobal("document", page);
  return page;
}
afterEach(() => vi.unstubAllGlobals());

// A screen reader reads what changes in an element that is there, not what a new one has.
test("a notice that changes keeps its element", () => {
  const { body } = fakePage();
  const notice = new Notice();
  notice.show({ text: "You are number 2 in the queue.", again: false });
  const [box] = body.children as FakeElement[];
  notice.show({ text: "You are number 1 in the queue.", again: false });
  expect(body.children).toEqual([box]);
  expect([box!.attributes["role"], box!.children]).toEqual(["status", ["You are number 1 in the queue."]]);
  notice.show({ text: "You are banned.", again: true });
  expect([(body.children[0] as FakeElement).attributes["role"], (body.children[0] as FakeElement).children.length]).toEqual(["alert", 3]);
  notice.show(undefined);
  expect(body.children).toEqual([]);
});

test("a captured mouse is let go where there is a button to click", () => {
  const page = fakePage();
  page.pointerLockElement = {};
  const notice = new Notice();
  notice.show({ text: "Connection lost. Reconnecting …", again: false });
  expect(page.pointerLockElement).not.toBeNull();
  notice.show({ text: "You are banned.", again: true });
  expect(page.pointerLockElement).toBeNull();
});

test("a page that joins again takes down the notice of the join that failed", async () => {
  const { body } = fakePage();
  vi.stubGlobal("fetch", () => Promise.reject(new Error("down")));
  await expect(connect("/")).rejects.toThrow();
  expect(body.children).toHaveLength(1);
  vi.stubGlobal("fetch", () => new Promise(() => undefined));
  void connect("/");
  expect(body.children).toHaveLength(0);
});
