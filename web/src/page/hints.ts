// Three hints of the first minute, each shown when it matters, once in a browser. Start at Hints.
import { element } from "./dom";
import type { Self } from "./self";
import { load, save } from "./storage";

const SETTING = "backstep.hints";
/** For how long a hint is shown at most, ms. */
const SHOWN = 9000;
/** How long a player stands still before the first hint, ms. */
const STILL = 4000;

/** What a hint depends on. */
export interface Situation {
  /** For how long the player has not moved since it first played, ms; 0 once it has. */
  still: number;
  /** Rounds in the magazine and its size, 0 for a blade; whether it is being reloaded. */
  ammo: number;
  magazine: number;
  reloading: boolean;
  /** 0 to 100. */
  health: number;
}

/** A hint, as in the page's data-hint. */
export type Hint = "move" | "reload" | "health";

/** Returns the hint that matters now, undefined for none. */
export function hintFor({ still, ammo, magazine, reloading, health }: Situation): Hint | undefined {
  if (health < 40) return "health";
  if (magazine > 0 && ammo <= 0.2 * magazine && !reloading) return "reload";
  return still > STILL ? "move" : undefined;
}

/** Shows the hints of one match. */
export class Hints {
  private readonly root = element("hint");
  private readonly seen = new Set(load(SETTING).split(" "));
  private shown: Hint | undefined;
  private ends = 0;
  private began = 0; // when it first played; −1 once it has moved

  /** Updates the hint, once a frame; now in ms. */
  update(self: Self, now: number): void {
    const out = self.dead || self.spectating || !self.playing;
    if (Math.hypot(self.velocity.x, self.velocity.z) > 1) this.began = -1;
    else if (this.began === 0 && !out) this.began = now;
    const still = this.began > 0 ? now - this.began : 0;
    const wanted = out ? undefined : hintFor({ still, ammo: self.ammo, magazine: self.magazine, reloading: self.reload > 0, health: self.health });
    if (this.shown !== undefined && (now > this.ends || wanted !== this.shown)) this.show(undefined);
    if (this.shown !== undefined || wanted === undefined || this.seen.has(wanted)) return;
    this.seen.add(wanted);
    save(SETTING, [...this.seen].join(" ").trim());
    this.ends = now + SHOWN;
    this.show(wanted);
  }

  hide(): void {
    this.show(undefined);
  }

  private show(hint: Hint | undefined): void {
    this.shown = hint;
    this.root.hidden = hint === undefined;
    for (const line of this.root.querySelectorAll<HTMLElement>("[data-hint]")) line.hidden = line.dataset["hint"] !== hint;
  }
}
