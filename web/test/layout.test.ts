import { expect, test } from "vitest";
import * as L from "../src/client/layout";
import { EntityView, NetView, RemoteDebugView, RemoteView, SelfView } from "../src/client/views";

test("the indices of the state block are unique and within it", () => {
  const indices = Object.entries(L).filter(([name]) => /^STATE_(?!LENGTH|CLOCK_UNCERTAINTY|ENTITIES|REMOTE_DEBUGS|FIGURES|BONES|WEAPON|DRAW|COOLDOWN|SWING|SHIELDED|AIMING|ARMOUR)/.test(name));
  expect(indices.length).toBeGreaterThan(30);
  expect(new Set(indices.map(([, at]) => at)).size).toBe(indices.length);
  for (const [name, at] of indices) expect(at, name).toBeLessThan(L.REMOTE_BASE);
});

test("remote records fit their stride, and the parts of the block are adjacent", () => {
  const fields = Object.entries(L).filter(([name]) => /^REMOTE_(?!DEBUG|BASE|STRIDE)/.test(name));
  expect(new Set(fields.map(([, at]) => at)).size).toBe(fields.length);
  for (const [name, at] of fields) expect(at, name).toBeLessThan(L.REMOTE_STRIDE);
  expect(L.REMOTE_BASE + L.MAX_REMOTES * L.REMOTE_STRIDE).toBe(L.BODY_BASE);
  expect(L.BODY_BASE + L.MAX_BODIES * L.BODY_STRIDE).toBe(L.CAUSE_BASE);
  expect(L.CAUSE_BASE + L.CAUSES).toBe(L.STATE_CLOCK_UNCERTAINTY);
  expect([L.STATE_CLOCK_UNCERTAINTY + 1, L.STATE_CLOCK_UNCERTAINTY + 2]).toEqual([L.STATE_ENTITIES, L.STATE_REMOTE_DEBUGS]);
  expect(L.STATE_REMOTE_DEBUGS + 1).toBe(L.ENTITY_BASE);
  expect(L.ENTITY_BASE + L.MAX_ENTITIES * L.ENTITY_STRIDE).toBe(L.REMOTE_DEBUG_BASE);
  expect(L.REMOTE_DEBUG_BASE + L.MAX_REMOTE_DEBUGS * L.REMOTE_DEBUG_STRIDE).toBe(L.FIGURE_BASE);
  expect(L.FIGURE_FIRST + L.MAX_FIGURES * L.FIGURE_STRIDE).toBe(L.STATE_WEAPON);
  expect(L.ROUNDS_BASE + L.MAX_WEAPONS).toBe(L.SHOT_DEBUG_BASE);
  expect(L.SHOT_DEBUG_VOLUME_BASE + L.MAX_SHOT_DEBUG_VOLUMES * L.SHOT_DEBUG_VOLUME_STRIDE).toBe(L.SHOT_DEBUG_LINE_BASE);
  expect(L.SHOT_DEBUG_LINE_BASE + L.MAX_SHOT_DEBUG_LINES * L.SHOT_DEBUG_LINE_STRIDE).toBe(L.STATE_LENGTH);
});

test.each([
  ["ENTITY", L.ENTITY_STRIDE, /^ENTITY_(?!BASE|STRIDE)/],
  ["REMOTE_DEBUG", L.REMOTE_DEBUG_STATES + 1, /^REMOTE_DEBUG_(?!BASE|STRIDE|STATE_)/],
  ["VOLUME", L.SHOT_DEBUG_VOLUME_STRIDE, /^VOLUME_/],
  ["LINE", L.SHOT_DEBUG_LINE_STRIDE, /^LINE_/],
  ["POSE", L.POSE_STRIDE, /^POSE_(?!LENGTH|STRIDE)/],
  ["REMOTE_DEBUG_STATE", L.REMOTE_DEBUG_STATE_STRIDE, /^REMOTE_DEBUG_STATE_(?!STRIDE)/],
])("the fields of %s are unique and fit", (_, size, pattern) => {
  const fields = Object.entries(L).filter(([name]) => pattern.test(name));
  expect(fields.length).toBeGreaterThan(4);
  expect(new Set(fields.map(([, at]) => at)).size).toBe(fields.length);
  for (const [name, at] of fields) expect(at, name).toBeLessThan(size);
});

test("views read the block in place, also after it was replaced", () => {
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

test("a remote debug view selects samples, and an entity has its kind", () => {
  const source = { state: new Float64Array(L.STATE_LENGTH) };
  const [debug, entities] = [new RemoteDebugView(source), new EntityView(source)];
  source.state[L.STATE_REMOTE_DEBUGS] = 2;
  const at = L.REMOTE_DEBUG_BASE + L.REMOTE_DEBUG_STRIDE;
  source.state.set([7, 1, 4], at);
  source.state[at + L.REMOTE_DEBUG_STATES] = 2;
  source.state.set([1, 2, 3, 0.05, 0, 4, 5, 6, 0.1, 1], at + L.REMOTE_DEBUG_STATES + 1);
  const t = debug.at(1);
  expect([t.id, t.mode, t.source, t.samples]).toEqual([7, "linear", "extrapolated", 2]);
  expect([t.sampleAt(0).sampleX, t.sampleKeyframe]).toEqual([1, false]);
  expect([t.sampleAt(1).sampleZ, t.sampleAge, t.sampleKeyframe]).toEqual([6, 0.1, true]);
  source.state.set([130, L.KIND_CRATE], L.ENTITY_BASE);
  expect([entities.at(0).id, entities.kind]).toEqual([130, L.KIND_CRATE]);
});
