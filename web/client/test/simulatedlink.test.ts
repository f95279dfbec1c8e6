import { expect, test } from "vitest";
import { DATAGRAM, STREAM } from "../src/transports.js";
import { SimulatedLink, type Environment } from "../src/simulatedlink.js";

/** A clock moved by hand, and random numbers from a list. */
class TestEnvironment implements Environment {
  time = 0;
  private timers: { at: number; run: () => void }[] = [];
  constructor(private readonly randoms: number[] = []) {}

  now = (): number => this.time;
  schedule = (ms: number, run: () => void): void => void this.timers.push({ at: this.time + Math.trunc(ms), run });
  random = (): number => this.randoms.shift() ?? 0;

  moveTo(time: number): void {
    this.time = time;
    const due = this.timers.filter((t) => t.at <= time).sort((a, b) => a.at - b.at);
    this.timers = this.timers.filter((t) => t.at > time);
    for (const timer of due) timer.run();
  }
}

test("without lag, messages pass at once", () => {
  const got: string[] = [];
  const link = new SimulatedLink(new TestEnvironment());
  link.send(DATAGRAM, () => got.push("datagram"));
  link.send(STREAM, () => got.push("stream"));
  expect(got).toEqual(["datagram", "stream"]);
});

test("latency and jitter delay each message by its own random number", () => {
  const env = new TestEnvironment([0.5, 0]);
  const link = new SimulatedLink(env);
  const got: string[] = [];
  link.lag = { latency: 100, jitter: 40, loss: 0 };
  link.send(DATAGRAM, () => got.push("slow"));
  link.send(DATAGRAM, () => got.push("fast"));
  env.moveTo(99);
  expect(got).toEqual([]);
  env.moveTo(100);
  expect(got).toEqual(["fast"]);
  env.moveTo(120);
  expect(got).toEqual(["fast", "slow"]);
});

test("loss drops datagrams but never the stream", () => {
  const link = new SimulatedLink(new TestEnvironment());
  const got: string[] = [];
  link.lag = { latency: 0, jitter: 0, loss: 1 };
  link.send(DATAGRAM, () => got.push("datagram"));
  link.send(STREAM, () => got.push("stream"));
  expect(got).toEqual(["stream"]);
});

test("the stream keeps its order despite jitter, rounded timers and the end of the lag", () => {
  const env = new TestEnvironment([0.9, 0.1, 0.4]);
  const link = new SimulatedLink(env);
  const got: number[] = [];
  link.lag = { latency: 10.7, jitter: 50, loss: 0 };
  for (const n of [1, 2, 3]) {
    env.moveTo(n * 0.4);
    link.send(STREAM, () => got.push(n));
  }
  link.lag = { latency: 0, jitter: 0, loss: 0 };
  link.send(STREAM, () => got.push(4));
  env.moveTo(200);
  expect(got).toEqual([1, 2, 3, 4]);
});
