import { expect, test } from "vitest";
import * as L from "../src/client/layout";
import { NetView, RemoteView, SelfView } from "../src/client/views";

test("no two places of the state block are the same, and all lie in it", () => {
  const places = Object.entries(L).filter(([name]) => /^STATE_(?!LENGTH|DOUBT)/.test(name));
  expect(places.length).toBeGreaterThan(30);
  expect(new Set(places.map(([, at]) => at)).size).toBe(places.length);
  for (const [name, at] of places) expect(at, name).toBeLessThan(L.REMOTE_BASE);
});

test("the records of others fit their stride, and the block", () => {
  const fields = Object.entries(L).filter(([name]) => /^REMOTE_(?!BASE|STRIDE)/.test(name));
  expect(new Set(fields.map(([, at]) => at)).size).toBe(fields.length);
  for (const [name, at] of fields) expect(at, name).toBeLessThan(L.REMOTE_STRIDE);
  expect(L.REMOTE_BASE + L.MAX_REMOTES * L.REMOTE_STRIDE).toBe(L.BODY_BASE);
  expect(L.BODY_BASE + L.MAX_BODIES * L.BODY_STRIDE).toBe(L.CAUSE_BASE);
  expect(L.CAUSE_BASE + L.CAUSES).toBe(L.STATE_DOUBT);
  expect(L.STATE_DOUBT + 1).toBe(L.STATE_LENGTH);
});

test("views read the block in place, and another block after the memory grew", () => {
  const source = { state: new Float64Array(L.STATE_LENGTH) };
  const [self, net, remotes] = [new SelfView(source), new NetView(source), new RemoteView(source)];
  source.state[L.STATE_HEALTH] = 75;
  source.state[L.STATE_RTT] = 0.05;
  source.state[L.STATE_REMOTES] = 2;
  source.state[L.REMOTE_BASE + L.REMOTE_STRIDE + L.REMOTE_ID] = 9;
  expect([self.health, net.rtt, remotes.count, remotes.at(1).id]).toEqual([75, 0.05, 2, 9]);
  source.state = new Float64Array(L.STATE_LENGTH);
  expect([self.health, remotes.count]).toEqual([0, 0]);
});
