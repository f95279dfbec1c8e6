// Typed views on the state block. A view holds no copy: each property reads the core's memory.
// Start at SelfView and RemoteView.
import type { Point } from "./events";
import * as L from "./layout";

/** An owner of a state block; the array may change after each frame. */
export interface StateSource {
  readonly state: Float64Array;
}

export abstract class View {
  constructor(private readonly owner: StateSource) {}

  protected read(index: number): number {
    return this.owner.state[index] ?? 0;
  }

  protected vector(index: number): Point {
    return [this.read(index), this.read(index + 1), this.read(index + 2)];
  }
}

/** The player's own character as drawn. Metres, m/s, radians, seconds. */
export class SelfView extends View {
  get playing(): boolean { return this.read(L.STATE_PHASE) === L.PHASE_PLAYING; }
  /** The player's number; 0 before joining. */
  get id(): number { return this.read(L.STATE_SELF); }
  /** Position of the feet. */
  get x(): number { return this.read(L.STATE_X); }
  get y(): number { return this.read(L.STATE_Y); }
  get z(): number { return this.read(L.STATE_Z); }
  /** Height of the eye above the feet. */
  get eye(): number { return this.read(L.STATE_EYE); }
  get vx(): number { return this.read(L.STATE_VX); }
  get vy(): number { return this.read(L.STATE_VY); }
  get vz(): number { return this.read(L.STATE_VZ); }
  get yaw(): number { return this.read(L.STATE_YAW); }
  get pitch(): number { return this.read(L.STATE_PITCH); }
  /** Movement mode: 1 walking, 2 falling, 3 swimming, 4 flying, 16 on the grappling hook. */
  get mode(): number { return this.read(L.STATE_MODE); }
  get crouched(): boolean { return this.read(L.STATE_CROUCHED) !== 0; }
  get dead(): boolean { return this.read(L.STATE_DEAD) !== 0; }
  /** 0 to 100. */
  get health(): number { return this.read(L.STATE_HEALTH); }
  get ammo(): number { return this.read(L.STATE_AMMO); }
  get magazine(): number { return this.read(L.STATE_MAGAZINE); }
  /** Time left of a reload; 0 if none. */
  get reload(): number { return this.read(L.STATE_RELOAD); }
  /** Time until the respawn; 0 while alive. */
  get respawn(): number { return this.read(L.STATE_RESPAWN); }
  get kills(): number { return this.read(L.STATE_KILLS); }
  get deaths(): number { return this.read(L.STATE_DEATHS); }
  /** A spectator, invisible to others. */
  get spectating(): boolean { return this.read(L.STATE_SPECTATING) !== 0; }
  /** Rotation of the moving base in this frame, to be added to the view's yaw. */
  get baseYaw(): number { return this.read(L.STATE_BASE_TURN); }
  /** Time until the next dash; 0 if ready. */
  get dashCooldown(): number { return this.read(L.STATE_DASH_COOLDOWN); }
  /** Time until the next hook; 0 if ready. */
  get hookCooldown(): number { return this.read(L.STATE_HOOK_COOLDOWN); }
  /** Whether the hook is attached, and where. */
  get hooked(): boolean { return this.read(L.STATE_HOOK) !== 0; }
  get hookX(): number { return this.read(L.STATE_HOOK_X); }
  get hookY(): number { return this.read(L.STATE_HOOK_Y); }
  get hookZ(): number { return this.read(L.STATE_HOOK_Z); }
  /** Index of the held weapon, and the rounds in any weapon's magazine. */
  get weapon(): number { return this.read(L.STATE_WEAPON); }
  rounds(weapon: number): number { return this.read(L.ROUNDS_BASE + weapon); }
  /** Time until the weapon is drawn, can fire again, and has finished its swing. */
  get draw(): number { return this.read(L.STATE_DRAW); }
  get cooldown(): number { return this.read(L.STATE_COOLDOWN); }
  get swing(): number { return this.read(L.STATE_SWING); }
  get shielded(): boolean { return this.read(L.STATE_SHIELDED) !== 0; }
  get aiming(): boolean { return this.read(L.STATE_AIMING) !== 0; }
  /** 0 to 100. */
  get armour(): number { return this.read(L.STATE_ARMOUR); }
  /** Whether the player stands on a moving base. */
  get onMovingBase(): boolean { return this.read(L.STATE_ON_MOVING_BASE) !== 0; }
}

/** Network statistics of the core. Seconds, metres, bytes since joining. */
export class NetView extends View {
  get rtt(): number { return this.read(L.STATE_RTT); }
  get jitter(): number { return this.read(L.STATE_JITTER); }
  /** Share of the server's datagrams that were lost, 0 to 1. */
  get lossDown(): number { return this.read(L.STATE_LOSS); }
  get corrections(): number { return this.read(L.STATE_CORRECTIONS); }
  /** Size of the largest correction. */
  get largestCorrection(): number { return this.read(L.STATE_CORRECTION); }
  get bytesUp(): number { return this.read(L.STATE_BYTES_UP); }
  get bytesDown(): number { return this.read(L.STATE_BYTES_DOWN); }
  /** The newest server tick received. */
  get tick(): number { return this.read(L.STATE_TICK); }
  /** Interpolation delay: how far behind the server other players are drawn. */
  get interpolationDelay(): number { return this.read(L.STATE_VIEW_DELAY); }
  /** Moves not yet acknowledged by the server. */
  get unacknowledged(): number { return this.read(L.STATE_PENDING); }
  /** Malformed packets. */
  get malformed(): number { return this.read(L.STATE_MALFORMED); }
  /** Shots on which the server agreed with the client's prediction. */
  get shotsConfirmed(): number { return this.read(L.STATE_CONFIRMED); }
  /** Shots on which it did not. */
  get shotsMispredicted(): number { return this.read(L.STATE_CONTRADICTED); }
  /** The match clock as estimated by the core. */
  get serverTime(): number { return this.read(L.STATE_SERVER_TIME); }
  /** One-way latencies; their sum is the round trip. Each may be wrong by the clock uncertainty. */
  get latencyUp(): number { return this.read(L.STATE_DELAY_UP); }
  get latencyDown(): number { return this.read(L.STATE_DELAY_DOWN); }
  get clockUncertainty(): number { return this.read(L.STATE_CLOCK_UNCERTAINTY); }
  /** Share of this client's datagrams that were lost, 0 to 1. */
  get lossUp(): number { return this.read(L.STATE_LOSS_UP); }
  /** Connection quality, 0 to 4 bars. */
  get quality(): number { return this.read(L.STATE_QUALITY); }
  /** How much faster the match clock runs than the page's, parts per million. */
  get clockDrift(): number { return this.read(L.STATE_DRIFT); }
  get datagramsUp(): number { return this.read(L.STATE_DATAGRAMS_UP); }
  get datagramsDown(): number { return this.read(L.STATE_DATAGRAMS_DOWN); }
  /** Moves made since joining. */
  get moves(): number { return this.read(L.STATE_MOVES); }
  /** Frames combined into a pending move instead of making a new one. */
  get combined(): number { return this.read(L.STATE_COMBINED); }
  /** Moves sent, and repeated for redundancy. */
  get sent(): number { return this.read(L.STATE_SENT); }
  get resent(): number { return this.read(L.STATE_RESENT); }
  /** The round trip to warn about; 0 while there is no warning. */
  get highPing(): number { return this.read(L.STATE_HIGH_PING); }
  /** Input delay requested from the server. */
  get inputDelay(): number { return this.read(L.STATE_INPUT_DELAY); }
  /** Number of corrections with the given cause, an index of CAUSES. */
  correctionsBy(cause: number): number { return this.read(L.CAUSE_BASE + cause); }
}

/** The other players; at selects one. */
export class RemoteView extends View {
  private base = L.REMOTE_BASE;

  /** Number of players. */
  get count(): number { return Math.min(this.read(L.STATE_REMOTES), L.MAX_REMOTES); }

  /** Selects the i-th player. */
  at(i: number): this {
    this.base = L.REMOTE_BASE + i * L.REMOTE_STRIDE;
    return this;
  }

  get id(): number { return this.read(this.base + L.REMOTE_ID); }
  /** Position of the feet. */
  get x(): number { return this.read(this.base + L.REMOTE_X); }
  get y(): number { return this.read(this.base + L.REMOTE_Y); }
  get z(): number { return this.read(this.base + L.REMOTE_Z); }
  get vx(): number { return this.read(this.base + L.REMOTE_VX); }
  get vy(): number { return this.read(this.base + L.REMOTE_VY); }
  get vz(): number { return this.read(this.base + L.REMOTE_VZ); }
  get yaw(): number { return this.read(this.base + L.REMOTE_YAW); }
  get pitch(): number { return this.read(this.base + L.REMOTE_PITCH); }
  get mode(): number { return this.read(this.base + L.REMOTE_MODE); }
  get crouched(): boolean { return this.read(this.base + L.REMOTE_CROUCHED) !== 0; }
  get dead(): boolean { return this.read(this.base + L.REMOTE_DEAD) !== 0; }
  /** Metres from the player's own eye. */
  get distance(): number { return this.read(this.base + L.REMOTE_DISTANCE); }
  /** Counts respawns. */
  get life(): number { return this.read(this.base + L.REMOTE_LIFE); }
  get kills(): number { return this.read(this.base + L.REMOTE_KILLS); }
  get deaths(): number { return this.read(this.base + L.REMOTE_DEATHS); }
  /** Whether the player is on a grappling hook, and where it is drawn attached. */
  get hooked(): boolean { return this.read(this.base + L.REMOTE_HOOK) !== 0; }
  get hookX(): number { return this.read(this.base + L.REMOTE_HOOK_X); }
  get hookY(): number { return this.read(this.base + L.REMOTE_HOOK_Y); }
  get hookZ(): number { return this.read(this.base + L.REMOTE_HOOK_Z); }
}

/** The moving bodies of the level as drawn in this frame; at selects one. */
export class BodyView extends View {
  private base = L.BODY_BASE;

  /** Number of bodies, in the order of their nodes in the level's file. */
  get count(): number { return Math.min(this.read(L.STATE_BODIES), L.MAX_BODIES); }

  /** Selects the i-th body. */
  at(i: number): this {
    this.base = L.BODY_BASE + i * L.BODY_STRIDE;
    return this;
  }

  /** Position of the origin. */
  get x(): number { return this.read(this.base + L.BODY_X); }
  get y(): number { return this.read(this.base + L.BODY_Y); }
  get z(): number { return this.read(this.base + L.BODY_Z); }
  /** Rotation from the pose in the file. */
  get qx(): number { return this.read(this.base + L.BODY_QX); }
  get qy(): number { return this.read(this.base + L.BODY_QY); }
  get qz(): number { return this.read(this.base + L.BODY_QZ); }
  get qw(): number { return this.read(this.base + L.BODY_QW); }
}

/** Skeletons of the nearest players, in the same pose that shots are tested against; at selects
 * one. */
export class SkeletonView extends View {
  private base = L.FIGURE_FIRST;

  /** Number of skeletons. */
  get count(): number { return Math.min(this.read(L.STATE_FIGURES), L.MAX_FIGURES); }

  /** Selects the i-th skeleton. */
  at(i: number): this {
    this.base = L.FIGURE_FIRST + i * L.FIGURE_STRIDE;
    return this;
  }

  /** The player's number. */
  get id(): number { return this.read(this.base + L.FIGURE_ID); }
  /** Index of the held weapon. */
  get weapon(): number { return this.read(this.base + L.FIGURE_HELD_STATE) & 7; }
  get shielded(): boolean { return (this.read(this.base + L.FIGURE_HELD_STATE) & 8) !== 0; }
  get aiming(): boolean { return (this.read(this.base + L.FIGURE_HELD_STATE) & 16) !== 0; }

  /** Writes the world position and rotation of a bone. */
  bone(i: number, position: SettableVector, rotation: SettableQuaternion): void {
    const at = this.base + L.FIGURE_BONES + i * L.BONE_STRIDE;
    position.set(this.read(at + L.BONE_X), this.read(at + L.BONE_Y), this.read(at + L.BONE_Z));
    rotation.set(this.read(at + L.BONE_QX), this.read(at + L.BONE_QY), this.read(at + L.BONE_QZ), this.read(at + L.BONE_QW));
  }
}

interface SettableVector { set(x: number, y: number, z: number): unknown }
interface SettableQuaternion { set(x: number, y: number, z: number, w: number): unknown }

/** Entities other than players and level bodies: balls, crates, pickups, projectiles; at selects
 * one. */
export class EntityView extends View {
  private base = L.ENTITY_BASE;

  /** Number of entities. */
  get count(): number { return Math.min(this.read(L.STATE_ENTITIES), L.MAX_ENTITIES); }

  /** Selects the i-th entity. */
  at(i: number): this {
    this.base = L.ENTITY_BASE + i * L.ENTITY_STRIDE;
    return this;
  }

  get id(): number { return this.read(this.base + L.ENTITY_ID); }
  /** One of the layout's KIND numbers. */
  get kind(): number { return this.read(this.base + L.ENTITY_KIND); }
  /** Position of the centre; of a pickup, its foot. */
  get x(): number { return this.read(this.base + L.ENTITY_X); }
  get y(): number { return this.read(this.base + L.ENTITY_Y); }
  get z(): number { return this.read(this.base + L.ENTITY_Z); }
  get qx(): number { return this.read(this.base + L.ENTITY_QX); }
  get qy(): number { return this.read(this.base + L.ENTITY_QY); }
  get qz(): number { return this.read(this.base + L.ENTITY_QZ); }
  get qw(): number { return this.read(this.base + L.ENTITY_QW); }
  get vx(): number { return this.read(this.base + L.ENTITY_VX); }
  get vy(): number { return this.read(this.base + L.ENTITY_VY); }
  get vz(): number { return this.read(this.base + L.ENTITY_VZ); }
  get asleep(): boolean { return this.read(this.base + L.ENTITY_ASLEEP) !== 0; }
  /** User data of the game. */
  get extra(): number { return this.read(this.base + L.ENTITY_USER_DATA); }
  /** Whether it is simulated in the player's own predicted time. */
  get predicted(): boolean { return this.read(this.base + L.ENTITY_PREDICTED) !== 0; }
}

const MODES = ["interpolate", "linear", "exponential", "none"] as const;
const SAMPLE_SOURCES = ["missing", "exact", "interpolated", "held", "extrapolated", "stale"] as const;

/** How other players are smoothed between snapshots. */
export type SmoothingMode = (typeof MODES)[number];
/** Where the drawn pose comes from. */
export type SampleSource = (typeof SAMPLE_SOURCES)[number];

/** How another player's drawn pose came about. Filled after Client.debugRemotes(true); at selects
 * one. */
export class RemoteDebugView extends View {
  private base = L.REMOTE_DEBUG_BASE;
  private sample = 0;

  /** Number of players, nearest first. */
  get count(): number { return Math.min(this.read(L.STATE_REMOTE_DEBUGS), L.MAX_REMOTE_DEBUGS); }

  /** Selects the i-th player. */
  at(i: number): this {
    this.base = L.REMOTE_DEBUG_BASE + i * L.REMOTE_DEBUG_STRIDE;
    return this;
  }

  get id(): number { return this.read(this.base + L.REMOTE_DEBUG_ID); }
  get mode(): SmoothingMode { return MODES[this.read(this.base + L.REMOTE_DEBUG_MODE)] ?? "interpolate"; }
  get source(): SampleSource { return SAMPLE_SOURCES[this.read(this.base + L.REMOTE_DEBUG_SOURCE)] ?? "missing"; }
  /** Position of the feet as drawn. */
  get x(): number { return this.read(this.base + L.REMOTE_DEBUG_X); }
  get y(): number { return this.read(this.base + L.REMOTE_DEBUG_Y); }
  get z(): number { return this.read(this.base + L.REMOTE_DEBUG_Z); }
  get vx(): number { return this.read(this.base + L.REMOTE_DEBUG_VX); }
  get vy(): number { return this.read(this.base + L.REMOTE_DEBUG_VY); }
  get vz(): number { return this.read(this.base + L.REMOTE_DEBUG_VZ); }
  /** The newest received sample, extrapolated to the present: where the server probably has the
   * player. */
  get extrapolatedX(): number { return this.read(this.base + L.REMOTE_DEBUG_EXTRAPOLATED_X); }
  get extrapolatedY(): number { return this.read(this.base + L.REMOTE_DEBUG_EXTRAPOLATED_Y); }
  get extrapolatedZ(): number { return this.read(this.base + L.REMOTE_DEBUG_EXTRAPOLATED_Z); }
  /** How far behind the match the player is drawn. */
  get delay(): number { return this.read(this.base + L.REMOTE_DEBUG_VIEW_DELAY); }
  /** Age of the newest sample: the sum of the three that follow. */
  get age(): number { return this.read(this.base + L.REMOTE_DEBUG_AGE); }
  get toServer(): number { return this.read(this.base + L.REMOTE_DEBUG_SERVER); }
  get transit(): number { return this.read(this.base + L.REMOTE_DEBUG_NETWORK); }
  get sinceArrival(): number { return this.read(this.base + L.REMOTE_DEBUG_CLIENT); }
  /** Remaining part of a correction blend, 1 to 0. */
  get blend(): number { return this.read(this.base + L.REMOTE_DEBUG_BLENDING); }
  /** Distance between the smoothed mesh and the simulated capsule. */
  get offset(): number { return this.read(this.base + L.REMOTE_DEBUG_OFFSET); }
  get crouched(): boolean { return this.read(this.base + L.REMOTE_DEBUG_CROUCHED) !== 0; }

  /** Number of received samples, newest first. */
  get samples(): number { return Math.min(this.read(this.base + L.REMOTE_DEBUG_STATES), L.MAX_REMOTE_DEBUG_STATES); }

  /** Selects the i-th received sample. */
  sampleAt(i: number): this {
    this.sample = this.base + L.REMOTE_DEBUG_STATES + 1 + i * L.REMOTE_DEBUG_STATE_STRIDE;
    return this;
  }

  get sampleX(): number { return this.read(this.sample + L.REMOTE_DEBUG_STATE_X); }
  get sampleY(): number { return this.read(this.sample + L.REMOTE_DEBUG_STATE_Y); }
  get sampleZ(): number { return this.read(this.sample + L.REMOTE_DEBUG_STATE_Z); }
  get sampleAge(): number { return this.read(this.sample + L.REMOTE_DEBUG_STATE_AGE); }
  /** Whether it is a keyframe between two snapshots. */
  get sampleKeyframe(): boolean { return this.read(this.sample + L.REMOTE_DEBUG_STATE_KEYFRAME) !== 0; }
}

/** The player's input of this frame, after the key bindings were applied. */
export class InputView extends View {
  /** The view direction. */
  get yaw(): number { return this.read(L.STATE_LOOK_YAW); }
  get pitch(): number { return this.read(L.STATE_LOOK_PITCH); }
  /** Whether a page action (a WISH bit) was pressed in this frame. */
  pressed(bit: number): boolean { return (this.read(L.STATE_ACTIONS_PRESSED) & bit) !== 0; }
  /** Whether a page action is held. */
  held(bit: number): boolean { return (this.read(L.STATE_ACTIONS_HELD) & bit) !== 0; }
}
