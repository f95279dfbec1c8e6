import { expect, test } from "vitest";
import * as L from "../src/client/layout";
import { RemoteDebugView } from "../src/client/views";
import { remoteDebugText } from "../src/page/traces";

test("the debug layer says how far behind, how old, of which ways, and how", () => { // GAP-36
  const state = new Float64Array(L.STATE_LENGTH);
  const at = L.TRACE_BASE;
  state[at + L.TRACE_MODE] = 1;
  state[at + L.TRACE_FIT] = 4;
  state[at + L.TRACE_BEHIND] = 0.0904;
  state.set([0.13, 0.04, 0.06, 0.03], at + L.TRACE_AGE);
  const view = new RemoteDebugView({ state }).at(0);
  expect(remoteDebugText(view, "Bo")).toEqual({
    name: "Bo", how: "mode linear, fit extrapolated", behind: "90 ms", age: "130 ms", parts: "40 to the server + 60 here + 30 since",
  });
  state[at + L.TRACE_HEALING] = 0.5;
  state[at + L.TRACE_OFFSET] = 0.123;
  expect(remoteDebugText(view, "Bo").mode).toBe("mode linear, fit extrapolated, heals 50 %, smoothed by 0.12 m");
});
