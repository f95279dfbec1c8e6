// Plays for a visitor that does nothing during the tour, so that there is something to see. Start at
// TourPilot.
import type { Entity, Vec3 } from "../core";
import type { Controls, PlayerInput } from "./controls";
import type { Match } from "./match";
import type { Activity } from "./toursteps";
import { wrapAngle } from "@backstep/three/parts";

/** After so long without input the pilot takes over, seconds. */
const IDLE = 1.2;
/** It goes for so long, and stands for so long, seconds. */
const STRIDE = 0.7;
const REST = 0.6;
const CHEST = 1.1;
const TURN = 9; // 1/s
const AIMED = 0.03; // radians

/** Turns, moves and fires by the controls' script. */
export class TourPilot {
  private touched = -Infinity;
  private target = 0;
  private direction = 0; // of the last stride
  private going = false;
  private turnAt = 0;
  private scripted = false;

  /** With calm, of a visitor that asked for less motion, it does nothing. */
  constructor(private readonly controls: Controls, private readonly calm: () => boolean) {}

  /** The visitor plays. */
  input(now: number): void {
    this.touched = now;
  }

  /** Whether the pilot plays. */
  private playing(now: number): boolean {
    return !this.calm() && now - this.touched > IDLE * 1000;
  }

  /** Plays one frame. Returns whether it pressed a key to move. */
  frame(match: Match, activity: Activity, now: number, dt: number): boolean {
    if (!this.playing(now)) {
      this.stop();
      return false;
    }
    if (activity === "move") return this.walk(now);
    this.going = false;
    const target = this.choose(match);
    const input: Partial<PlayerInput> = {};
    if (target !== undefined && this.turnTo(match.self.view.eye, target.position, dt) < AIMED) input.fire = activity === "shoot";
    this.play(input);
    return false;
  }

  /** Gives the controls back. */
  stop(): void {
    if (this.controls.script === undefined || !this.scripted) return;
    this.scripted = this.going = false;
    this.turnAt = 0;
    this.controls.setScript(undefined);
  }

  /** Goes to and fro, with rests between. */
  private walk(now: number): boolean {
    if (now < this.turnAt) return false;
    this.going = !this.going;
    if (this.going) this.direction = this.direction > 0 ? -1 : 1;
    this.turnAt = now + (this.going ? STRIDE : REST) * 1000;
    this.play({ right: this.going ? this.direction : 0 });
    return this.going;
  }

  private play(input: Partial<PlayerInput>): void {
    this.scripted = true;
    this.controls.setScript(input);
  }

  /** The nearest player in sight; the one before as long as it is in sight. */
  private choose({ session, self }: Match): Entity | undefined {
    const { eye } = self.view;
    const far = ({ position: p }: Entity): number => Math.hypot(p.x - eye.x, p.y - eye.y, p.z - eye.z);
    const seen = session.remotes.filter((r) => !r.dead && session.sweep(eye, { x: r.position.x - eye.x, y: r.position.y + CHEST - eye.y, z: r.position.z - eye.z }, 0.02) > 0.97);
    const chosen = seen.find((r) => r.id === this.target) ?? seen.sort((a, b) => far(a) - far(b))[0];
    this.target = chosen?.id ?? 0;
    return chosen;
  }

  /** Turns towards a player; returns the angle that is left. */
  private turnTo(eye: Vec3, at: Vec3, dt: number): number {
    const [dx, dy, dz] = [at.x - eye.x, at.y + CHEST - eye.y, at.z - eye.z];
    const yaw = wrapAngle(Math.atan2(-dx, -dz) - this.controls.yaw);
    const pitch = Math.atan2(dy, Math.hypot(dx, dz)) - this.controls.pitch;
    const left = Math.hypot(yaw, pitch);
    const share = left < 4 * AIMED ? 1 : 1 - Math.exp(-TURN * dt);
    this.controls.lookAlong(this.controls.yaw + share * yaw, this.controls.pitch + share * pitch);
    return left;
  }
}
