import { expect, test } from "vitest";
import { remoteDebugText } from "../src/remotedebug";

test("the remote debug layer shows delay, age with its parts, smoothing mode and sample source", () => { // GAP-36
  const debug = {
    mode: "linear", source: "extrapolated", delay: 0.0904, blending: 0, offset: 0,
    age: { total: 0.13, server: 0.04, network: 0.06, client: 0.03 },
  } as const;
  expect(remoteDebugText(debug, "Bo")).toEqual({
    name: "Bo", mode: "linear, extrapolated", delay: "90 ms behind", age: "130 ms old", parts: "40 to server + 60 to client + 30 since arrival",
  });
  expect(remoteDebugText({ ...debug, blending: 0.5, offset: 0.123 }, "Bo").mode).toBe("linear, extrapolated, blending 50 %, offset 0.12 m");
});
