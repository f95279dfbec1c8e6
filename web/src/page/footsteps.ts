// When a foot comes down. Start at Footsteps.
import type { Vec3 } from "../core";

/** The ground of a step: of the level, of a mover, or under water. */
export type Ground = "stone" | "metal" | "water";

/** A player that may be walking. */
export interface Walker {
  id: number;
  /** The distance walked, metres; it wraps, and it stands still in the air. */
  strideDistance: number;
  position: Vec3;
  /** The mover that it stands on; 0: none. */
  base: number;
  airborne: boolean;
  dead: boolean;
}

/** Metres from one foot to the other. */
const STEP = 1.6;

/** Counts the steps of all players. */
export class Footsteps {
  private readonly steps = new Map<number, number>();

  /** Returns the walkers that have put a foot down since the last call. */
  advance(walkers: readonly Walker[]): Walker[] {
    const down = walkers.filter(({ id, strideDistance, airborne, dead }) => {
      const step = Math.floor(strideDistance / STEP);
      const before = this.steps.get(id);
      this.steps.set(id, step);
      return before !== undefined && before !== step && !airborne && !dead;
    });
    if (this.steps.size > 2 * walkers.length + 8) this.steps.clear(); // players that have left
    return down;
  }
}
