import { expect, test } from "vitest";
import { SimulatedLink } from "../src/client/badlink";
import { CHANNEL_DATAGRAM, CHANNEL_STREAM } from "../src/client/layout";

/** Time that stands still until it is moved, and chance from a list. */
class Lab {
  time = 0;
  private timers: { at: number; run: () => void }[] = [];
  constructor(private readonly chances: number[] = []) {}

  now = (): number => this.time;
  later = (ms: number, run: () => void): void => void this.timers.push({ at: this.time + Math.trunc(ms), run });
  chance = (): number => this.chances.shift() ?? 0;

  moveTo(time: number): void {
    this.time = time;
    const due = this.timers.filter((t) => t.at <= time).sort((a, b) => a.at - b.at);
    this.timers = this.timers.filter((t) => t.at > time);
    for (const timer of due) timer.run();
  }
}

test("without lag everything passes at once", () => {
  const got: string[] = [];
  const link = new SimulatedLink(new Lab());
  link.send(CHANNEL_DATAGRAM, () => got.push("datagram"));
  link.send(CHANNEL_STREAM, () => got.push("stream"));
  expect(got).toEqual(["datagram", "stream"]);
});

test("latency and jitter delay, each message by its own draw", () => {
  const lab = new Lab([0.5, 0]);
  const link = new SimulatedLink(lab);
  const got: string[] = [];
  link.lag = { latency: 100, jitter: 40, loss: 0 };
  link.send(CHANNEL_DATAGRAM, () => got.push("slow"));
  link.send(CHANNEL_DATAGRAM, () => got.push("fast"));
  lab.moveTo(99);
  expect(got).toEqual([]);
  lab.moveTo(100);
  expect(got).toEqual(["fast"]);
  lab.moveTo(120);
  expect(got).toEqual(["fast", "slow"]);
});

test("loss takes datagrams and never the stream", () => {
  const link = new SimulatedLink(new Lab());
  const got: string[] = [];
  link.lag = { latency: 0, jitter: 0, loss: 1 };
  link.send(CHANNEL_DATAGRAM, () => got.push("datagram"));
  link.send(CHANNEL_STREAM, () => got.push("stream"));
  expect(got).toEqual(["stream"]);
});

test("the stream keeps its order through jitter, rounded timers and the end of the lag", () => {
  const lab = new Lab([0.9, 0.1, 0.4]);
  const link = new SimulatedLink(lab);
  const got: number[] = [];
  link.lag = { latency: 10.7, jitter: 50, loss: 0 };
  for (const n of [1, 2, 3]) {
    lab.moveTo(n * 0.4);
    link.send(CHANNEL_STREAM, () => got.push(n));
  }
  link.lag = { latency: 0, jitter: 0, loss: 0 };
  link.send(CHANNEL_STREAM, () => got.push(4));
  lab.moveTo(200);
  expect(got).toEqual([1, 2, 3, 4]);
});
