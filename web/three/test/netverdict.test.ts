import { expect, test } from "vitest";
import { graphRows } from "../src/netgraph";
import { NetHistory, netVerdict, type NetSample } from "../src/netverdict";
import type { NetStats } from "../src/session";

/** A good link after a minute; what a test says differs. */
function verdict(last: Partial<NetSample>, fps = 60): string {
  const good: NetSample = { at: 0, rtt: 0.042, jitter: 0.002, lossUp: 0, lossDown: 0, buffer: 0.08, unacknowledged: 3, corrections: 7, timeouts: 5, throttles: 0 };
  return netVerdict([good, { ...good, at: 60_000, ...last }], fps).text;
}

test("a good link has its figures", () => {
  expect(verdict({})).toBe("Good: 42 ms, no loss, 0 corrections in the last minute.");
  expect(verdict({ lossUp: 0.004, corrections: 8 })).toBe("Good: 42 ms, 0.4 % loss, 1 correction in the last minute.");
});

test("what is wrong comes with its likely cause", () => {
  expect(verdict({ lossUp: 0.12 })).toBe("Bad: 12 % of the packets to the server are lost, likely by Wi-Fi or a full line.");
  expect(verdict({ lossDown: 0.02 })).toBe("Fair: 2 % of the packets from the server are lost, likely by Wi-Fi or a full line.");
  expect(verdict({ jitter: 0.034 })).toBe("Fair: packets arrive up to 34 ms unevenly, likely by Wi-Fi or a busy line.");
  expect(verdict({ rtt: 0.3 })).toBe("Bad: 300 ms to the server and back, likely because it is far away.");
  expect(verdict({}, 14)).toBe("Fair: your page draws 14 fps, and a lower quality helps.");
});

test("corrections count in the last minute alone, by their cause", () => {
  expect(verdict({ corrections: 12, timeouts: 10 })).toBe("Fair: 5 corrections in the last minute, mostly because your moves reached the server too late.");
  expect(verdict({ corrections: 12, throttles: 4 })).toContain("your clock ran ahead");
  expect(verdict({ corrections: 27 })).toBe("Bad: 20 corrections in the last minute, mostly because others did what your page could not foresee.");
});

test("of several the worst comes first", () => {
  expect(verdict({ lossUp: 0.02, rtt: 0.3 })).toContain("300 ms");
});

test("before the first figures it measures", () => {
  expect(netVerdict([], 60).text).toBe("Measuring the connection…");
  expect(verdict({ rtt: 0 })).toBe("Measuring the connection…");
});

test("the history is the last minute, two samples a second", () => {
  const history = new NetHistory();
  const net = { rtt: 0.05, moves: { made: 9, acked: 5, dropped: 1, corrections: 0, timeouts: 0, throttles: 0 } } as unknown as NetStats;
  for (let at = 0; at <= 120_000; at += 100) history.add(net, at);
  expect(history.samples.length).toBe(121);
  expect(history.samples[0]?.at).toBe(60_000);
  expect(history.samples[0]?.unacknowledged).toBe(3);
});

test("the graph has a row of each, newest at the right", () => {
  const sample = (at: number, more: Partial<NetSample>): NetSample => ({ at, rtt: 0.05, jitter: 0, lossUp: 0, lossDown: 0, buffer: 0.1, unacknowledged: 2, corrections: 0, timeouts: 0, throttles: 0, ...more });
  const rows = graphRows([sample(0, {}), sample(30_000, { rtt: 0.2, corrections: 2 }), sample(60_000, { corrections: 2, lossDown: 0.5 })], 60_000);
  expect(rows.map((r) => r.label)).toEqual(["round trip 50 ms", "loss 50.0 %", "corrections 2 in a minute", "buffers 100 ms, 2 moves"]);
  expect(rows[0]?.points).toEqual([[0, 0.25], [0.5, 1], [1, 0.25]]);
  expect(rows[2]?.points.map(([, y]) => y)).toEqual([0, 1, 0]);
});
