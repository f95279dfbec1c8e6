// The loop of a page, with a browser that hands over messages when the test says so.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { animate } from "../src/frames.js";

/** What the browser has yet to do. */
let messages: (() => void)[] = [];
let requests: { id: number; draw: (now: number) => void }[] = [];
let requested = 0;
let drawn: number[] = [];

class FakeChannel {
  port1 = { onmessage: undefined as ((event: { data: number }) => void) | undefined, close: () => (this.port1.onmessage = undefined) };
  port2 = { postMessage: (data: number) => messages.push(() => this.port1.onmessage?.({ data })) };
}

beforeEach(() => {
  [messages, requests, drawn] = [[], [], []];
  vi.stubGlobal("MessageChannel", FakeChannel);
  vi.stubGlobal("requestAnimationFrame", (draw: (now: number) => void) => {
    requests.push({ id: ++requested, draw });
    return requested;
  });
  vi.stubGlobal("cancelAnimationFrame", (id: number) => (requests = requests.filter((r) => r.id !== id)));
});

afterEach(() => vi.unstubAllGlobals());

function screen(now: number): void {
  const due = requests;
  requests = [];
  for (const { draw } of due) draw(now);
}

function handOver(): void {
  for (const message of messages.splice(0)) message();
}

const begin = (): (() => void) => animate((now) => drawn.push(now));

test("a page whose messages are handed over draws every frame of the screen", () => {
  begin();
  for (const now of [16, 33, 50]) {
    screen(now);
    handOver();
  }
  expect(drawn).toEqual([16, 33, 50]);
});

test("a frame is put off while messages wait, and drawn once with the next frame of the screen after them", () => {
  begin();
  screen(16);
  for (const now of [33, 50, 66]) screen(now); // the browser prefers frames
  expect(drawn).toEqual([16]);
  messages.push(() => expect(drawn).toEqual([16])); // what came meanwhile is handed over first
  handOver();
  screen(83);
  handOver();
  screen(100);
  expect(drawn).toEqual([16, 83, 100]);
});

test("a frame waits for all messages, not for those alone that came before the last frame", () => {
  begin();
  screen(16);
  screen(33);
  messages.shift()!(); // the page's own of the first frame
  screen(50);
  expect(drawn).toEqual([16]);
  handOver();
  screen(66);
  expect(drawn).toEqual([16, 66]);
});

test("a message that is lost puts a frame off for two seconds", () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  begin();
  screen(16);
  screen(33);
  messages = [];
  vi.advanceTimersByTime(1999);
  screen(2016);
  expect(drawn).toEqual([16]);
  vi.advanceTimersByTime(1);
  screen(2033);
  handOver();
  screen(2050);
  expect(drawn).toEqual([16, 2033, 2050]);
  vi.useRealTimers();
});

test("the loop ends, also while a frame is put off", () => {
  const end = begin();
  screen(16);
  screen(33);
  end();
  handOver();
  expect(requests).toEqual([]);
  screen(50);
  expect(drawn).toEqual([16]);
  const endNow = begin();
  endNow();
  screen(66);
  expect(drawn).toEqual([16]);
});

test("a frame that throws does not end the loop", () => {
  animate((now) => {
    drawn.push(now);
    if (now === 16) throw new Error("of the game");
  });
  expect(() => screen(16)).toThrow("of the game");
  handOver();
  screen(33);
  expect(drawn).toEqual([16, 33]);
});
