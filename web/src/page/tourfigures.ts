// What a step of the tour does to the player, measured from what is drawn. Start at TourFigures.
import type { Vec3 } from "../core";
import type { GameEvent } from "./events";
import type { Match } from "./match";
import type { Activity } from "./toursteps";

/** A change of the drawn movement by so much is an answer to a key, m/s. */
const ANSWER = 0.5;
/** Others that are slower are not looked at, m/s. */
const RUNS = 1.5;
/** Others that move more in a frame were placed elsewhere, metres. */
const PLACED = 3;
/** For so long after a switch what was on its way counts for nothing, seconds. */
const SETTLE = 0.6;

/** The figures of one step. */
export class TourFigures {
  /** Last time from a key to the first change of the drawn movement, seconds; 0 before. */
  response = 0;
  /** Clean hits on the screen that the server judged, and those of them that count. */
  judged = 0;
  counted = 0;
  private pressedAt = 0;
  private velocity = { x: 0, z: 0 }; // before the key
  private readonly others = new Map<number, { x: number; z: number }>();
  private viewed = 0; // match time
  private speeds = 0;
  private offs = 0;

  constructor(private readonly began: number) {}

  /** A key was pressed or released at a time in milliseconds. */
  pressed(now: number): void {
    if (this.pressedAt === 0) this.pressedAt = now;
  }

  /** By how much others are drawn off their own speed from frame to frame, as a share; undefined before they
   * run. */
  get unevenness(): number | undefined {
    return this.speeds > 50 ? this.offs / this.speeds : undefined;
  }

  /** Measures one frame. */
  frame({ self, session }: Match, now: number): void {
    this.answer(self.velocity, now);
    const dt = session.view.now - this.viewed; // of match time: frames are late, what they show is not
    this.viewed += dt;
    for (const { id, dead, position: { x, z }, velocity } of session.remotes) {
      const before = this.others.get(id);
      this.others.set(id, { x, z });
      const speed = Math.hypot(velocity.x, velocity.z);
      if (before === undefined || dead || dt <= 0 || speed < RUNS || now - this.began < SETTLE * 1000) continue;
      const off = Math.hypot((x - before.x) / dt - velocity.x, (z - before.z) / dt - velocity.z);
      if (off * dt > PLACED) continue;
      this.speeds += speed;
      this.offs += off;
    }
  }

  /** The drawn state's own velocity, because positions without prediction come unevenly. */
  private answer({ x, z }: Vec3, now: number): void {
    if (this.pressedAt === 0) return void (this.velocity = { x, z });
    if (Math.hypot(x - this.velocity.x, z - this.velocity.z) < ANSWER) return;
    this.response = (now - this.pressedAt) / 1000;
    this.pressedAt = 0;
  }

  /** Counts a verdict; that a target had died meanwhile says nothing of the netcode. */
  onEvent(event: GameEvent, now: number): void {
    if (event.kind !== "hit" || event.state === "predicted" || event.reason === "target was dead already" || event.reason === "target evaded" || now - this.began < SETTLE * 1000) return;
    this.judged++;
    if (event.state === "confirmed") this.counted++;
  }

  /** The figure of an activity in words; empty before there is one. */
  text(activity: Activity): string {
    switch (activity) {
      case "move":
        return this.response > 0 ? `from the key to your movement: ${Math.round(this.response * 1000)} ms` : "";
      case "watch":
        return this.unevenness === undefined ? "" : `others are drawn off their speed by ${Math.round(this.unevenness * 100)} %`;
      case "shoot":
        return this.judged > 0 ? `hits that count: ${this.counted} of ${this.judged}` : "";
    }
  }
}
