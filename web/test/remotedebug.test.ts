import { expect, test } from "vitest";
import * as L from "../src/client/layout";
import { RemoteDebugView } from "../src/client/views";
import { remoteDebugText } from "../src/page/remotedebug";

test("the remote debug layer shows delay, age with its parts, smoothing mode and sample source", () => { // GAP-36
  const state = new Float64Array(L.STATE_LENGTH);
  const at = L.REMOTE_DEBUG_BASE;
  state[at + L.REMOTE_DEBUG_MODE] = 1;
  state[at + L.REMOTE_DEBUG_SOURCE] = 4;
  state[at + L.REMOTE_DEBUG_VIEW_DELAY] = 0.0904;
  state.set([0.13, 0.04, 0.06, 0.03], at + L.REMOTE_DEBUG_AGE);
  const view = new RemoteDebugView({ state }).at(0);
  expect(remoteDebugText(view, "Bo")).toEqual({
    name: "Bo", mode: "linear, extrapolated", delay: "90 ms behind", age: "130 ms old", parts: "40 to server + 60 to client + 30 since arrival",
  });
  state[at + L.REMOTE_DEBUG_BLENDING] = 0.5;
  state[at + L.REMOTE_DEBUG_OFFSET] = 0.123;
  expect(remoteDebugText(view, "Bo").mode).toBe("linear, extrapolated, blending 50 %, offset 0.12 m");
});
