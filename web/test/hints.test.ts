import { describe, expect, it } from "vitest";
import { hintFor, type Situation } from "../src/page/hints";

const fine: Situation = { still: 0, ammo: 30, magazine: 30, reloading: false, health: 100 };

describe("the hints", () => {
  it("say nothing while all is well", () => {
    expect(hintFor(fine)).toBeUndefined();
  });

  it("say how to move to a player that stands still for four seconds", () => {
    expect(hintFor({ ...fine, still: 3900 })).toBeUndefined();
    expect(hintFor({ ...fine, still: 4100 })).toBe("move");
  });

  it("say how to reload when a fifth of the magazine is left, unless it is being reloaded", () => {
    expect(hintFor({ ...fine, ammo: 6 })).toBe("reload");
    expect(hintFor({ ...fine, ammo: 6, reloading: true })).toBeUndefined();
    expect(hintFor({ ...fine, ammo: 0, magazine: 0 })).toBeUndefined(); // a sword
  });

  it("say where to get health below 40, which comes first", () => {
    expect(hintFor({ ...fine, health: 39, ammo: 0 })).toBe("health");
  });
});
