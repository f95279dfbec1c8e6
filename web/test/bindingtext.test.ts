import { describe, expect, it } from "vitest";
import { keyFor, rebind } from "../src/page/bindingtext";

const text = ["# mine", "forward = +KeyW -KeyS +ArrowUp -Pad.LeftY", "yaw = -Mouse.X -Pad.RightX", "jump    = Space Pad.A  # up", "fire = Mouse.Left Pad.RT", "hook = KeyE toggle", "net = F3"].join("\n");

describe("bindings by click", () => {
  it("finds the first key of an action and of a direction, no gamepad's", () => {
    expect(keyFor(text, { action: "forward", sign: "+" })).toBe("KeyW");
    expect(keyFor(text, { action: "forward", sign: "-" })).toBe("KeyS");
    expect(keyFor(text, { action: "fire", sign: "" })).toBe("Mouse.Left");
    expect(keyFor(text, { action: "yaw", sign: "-" })).toBe("");
    expect(keyFor(text, { action: "dance", sign: "" })).toBe("");
  });

  it("replaces it and keeps the rest, comments and options too", () => {
    const changed = rebind(text, { action: "forward", sign: "+" }, "KeyI");
    expect(changed).toBe(text.replace("+KeyW", "+KeyI"));
    expect(rebind(text, { action: "hook", sign: "" }, "KeyX")).toBe(text.replace("KeyE toggle", "KeyX toggle"));
  });

  it("gives the old key to the action that had the new one", () => {
    const changed = rebind(text, { action: "jump", sign: "" }, "KeyE");
    expect(keyFor(changed, { action: "jump", sign: "" })).toBe("KeyE");
    expect(keyFor(changed, { action: "hook", sign: "" })).toBe("Space");
  });

  it("changes nothing for an action without a key", () => {
    expect(rebind(text, { action: "yaw", sign: "-" }, "KeyE")).toBe(text);
  });
});
