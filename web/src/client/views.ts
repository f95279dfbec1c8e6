// Named, typed windows on the state block. They hold no copy: each property
// reads the core's memory when it is asked. Start at SelfView and RemoteView.
import * as L from "./layout";

/** Whatever has a state block; it may be another array after each frame. */
export interface StateSource {
  readonly state: Float64Array;
}

export abstract class View {
  constructor(private readonly owner: StateSource) {}

  protected read(index: number): number {
    return this.owner.state[index] ?? 0;
  }
}

/** The player's own character as it is drawn. Metres, m/s, radians, seconds. */
export class SelfView extends View {
  get playing(): boolean { return this.read(L.STATE_PHASE) === L.PHASE_PLAYING; }
  /** The player's number; 0 before joining. */
  get id(): number { return this.read(L.STATE_SELF); }
  /** The feet. */
  get x(): number { return this.read(L.STATE_X); }
  get y(): number { return this.read(L.STATE_Y); }
  get z(): number { return this.read(L.STATE_Z); }
  /** The eye above the feet. */
  get eye(): number { return this.read(L.STATE_EYE); }
  get vx(): number { return this.read(L.STATE_VX); }
  get vy(): number { return this.read(L.STATE_VY); }
  get vz(): number { return this.read(L.STATE_VZ); }
  get yaw(): number { return this.read(L.STATE_YAW); }
  get pitch(): number { return this.read(L.STATE_PITCH); }
  /** The movement mode's number: 1 walks, 2 falls, 3 swims, 4 flies, 16 hangs on
   * the hook. */
  get mode(): number { return this.read(L.STATE_MODE); }
  get crouched(): boolean { return this.read(L.STATE_CROUCHED) !== 0; }
  get dead(): boolean { return this.read(L.STATE_DEAD) !== 0; }
  /** 0 to 100. */
  get health(): number { return this.read(L.STATE_HEALTH); }
  get ammo(): number { return this.read(L.STATE_AMMO); }
  get magazine(): number { return this.read(L.STATE_MAGAZINE); }
  /** What is left of a reload; 0: none under way. */
  get reload(): number { return this.read(L.STATE_RELOAD); }
  /** Time until the respawn; 0 while alive. */
  get respawn(): number { return this.read(L.STATE_RESPAWN); }
  get kills(): number { return this.read(L.STATE_KILLS); }
  get deaths(): number { return this.read(L.STATE_DEATHS); }
  /** A spectator, whom nobody sees. */
  get spectating(): boolean { return this.read(L.STATE_WATCHING) !== 0; }
  /** By how much what the player rides on turned in this frame: for the view. */
  get baseYaw(): number { return this.read(L.STATE_TURNED); }
  /** Until the next dash; 0: ready. */
  get dashCooldown(): number { return this.read(L.STATE_DASH_REST); }
  /** Until the hook flies again; 0: ready. */
  get hookCooldown(): number { return this.read(L.STATE_HOOK_REST); }
  /** Whether the hook holds, and where. */
  get hooked(): boolean { return this.read(L.STATE_HOOK) !== 0; }
  get hookX(): number { return this.read(L.STATE_HOOK_X); }
  get hookY(): number { return this.read(L.STATE_HOOK_Y); }
  get hookZ(): number { return this.read(L.STATE_HOOK_Z); }
  /** The index of the weapon in hand, and the rounds in any weapon's magazine. */
  get weapon(): number { return this.read(L.STATE_WEAPON); }
  rounds(weapon: number): number { return this.read(L.ROUNDS_BASE + weapon); }
  /** Until it is ready, fires again, and ends a blade's swing. */
  get draw(): number { return this.read(L.STATE_DRAW); }
  get cooldown(): number { return this.read(L.STATE_COOLDOWN); }
  get swing(): number { return this.read(L.STATE_SWING); }
  get shielded(): boolean { return this.read(L.STATE_SHIELDED) !== 0; }
  get aiming(): boolean { return this.read(L.STATE_AIMING) !== 0; }
  /** 0 to 100. */
  get armour(): number { return this.read(L.STATE_ARMOUR); }
  /** Whether it stands on something that moves. */
  get onMovingBase(): boolean { return this.read(L.STATE_RIDES) !== 0; }
}

/** The network as the core sees it. Seconds, metres, bytes since joining. */
export class NetView extends View {
  get rtt(): number { return this.read(L.STATE_RTT); }
  get jitter(): number { return this.read(L.STATE_JITTER); }
  /** Share of the server's datagrams that never came, 0 to 1. */
  get lossDown(): number { return this.read(L.STATE_LOSS); }
  get corrections(): number { return this.read(L.STATE_CORRECTIONS); }
  /** Size of the largest correction. */
  get largestCorrection(): number { return this.read(L.STATE_CORRECTION); }
  get bytesUp(): number { return this.read(L.STATE_BYTES_UP); }
  get bytesDown(): number { return this.read(L.STATE_BYTES_DOWN); }
  /** The newest server tick heard of. */
  get tick(): number { return this.read(L.STATE_TICK); }
  /** How far behind the server others are drawn. */
  get interpolationDelay(): number { return this.read(L.STATE_VIEW_DELAY); }
  /** Moves the server has not answered. */
  get unacknowledged(): number { return this.read(L.STATE_PENDING); }
  /** Packets that made no sense. */
  get malformed(): number { return this.read(L.STATE_BAD); }
  /** Shots judged as this page showed them. */
  get shotsConfirmed(): number { return this.read(L.STATE_CONFIRMED); }
  /** Shots judged otherwise. */
  get shotsMispredicted(): number { return this.read(L.STATE_CONTRADICTED); }
  /** The match clock as the core estimates it. */
  get serverTime(): number { return this.read(L.STATE_SERVER_TIME); }
  /** What packets take to the server and back, together the round trip. Either may be
   * longer by the doubt, and the other then is as much shorter. */
  get latencyUp(): number { return this.read(L.STATE_WAY_UP); }
  get latencyDown(): number { return this.read(L.STATE_WAY_DOWN); }
  get clockUncertainty(): number { return this.read(L.STATE_DOUBT); }
  /** Share of this client's datagrams that never came, 0 to 1. */
  get lossUp(): number { return this.read(L.STATE_LOSS_UP); }
  /** How fit the line is for play, 0 to 4 bars. */
  get quality(): number { return this.read(L.STATE_QUALITY); }
  /** By how much the match's clock runs faster than the page's, parts per million. */
  get clockDrift(): number { return this.read(L.STATE_DRIFT); }
  get datagramsUp(): number { return this.read(L.STATE_DATAGRAMS_UP); }
  get datagramsDown(): number { return this.read(L.STATE_DATAGRAMS_DOWN); }
  /** Moves made since joining. */
  get moves(): number { return this.read(L.STATE_MADE); }
  /** Frames that lengthened a move instead of making one. */
  get combined(): number { return this.read(L.STATE_COMBINED); }
  /** Moves sent, and sent again. */
  get sent(): number { return this.read(L.STATE_SENT); }
  get resent(): number { return this.read(L.STATE_RESENT); }
  /** The round trip to warn of; 0 while there is no warning. */
  get highPing(): number { return this.read(L.STATE_HIGH_PING); }
  /** For how long the server is asked to hold moves back. */
  get inputDelay(): number { return this.read(L.STATE_INPUT_DELAY); }
  /** How often a correction had the cause of that number, an index of CAUSES. */
  correctionsBy(cause: number): number { return this.read(L.CAUSE_BASE + cause); }
}

/** Another player; one view serves all of them, moved by at. */
export class RemoteView extends View {
  private base = L.REMOTE_BASE;

  /** How many there are. */
  get count(): number { return Math.min(this.read(L.STATE_REMOTES), L.MAX_REMOTES); }

  /** Turns the view to the i-th other player and returns it. */
  at(i: number): this {
    this.base = L.REMOTE_BASE + i * L.REMOTE_STRIDE;
    return this;
  }

  get id(): number { return this.read(this.base + L.REMOTE_ID); }
  /** The feet. */
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
  /** Whether the player hangs on a hook, and where that seems to hold. */
  get hooked(): boolean { return this.read(this.base + L.REMOTE_HOOK) !== 0; }
  get hookX(): number { return this.read(this.base + L.REMOTE_HOOK_X); }
  get hookY(): number { return this.read(this.base + L.REMOTE_HOOK_Y); }
  get hookZ(): number { return this.read(this.base + L.REMOTE_HOOK_Z); }
}

/** A moving body of the level as it is in this picture; one view serves all of
 * them, moved by at. */
export class BodyView extends View {
  private base = L.BODY_BASE;

  /** How many there are, in the order of their nodes in the level's file. */
  get count(): number { return Math.min(this.read(L.STATE_BODIES), L.MAX_BODIES); }

  /** Turns the view to the i-th body and returns it. */
  at(i: number): this {
    this.base = L.BODY_BASE + i * L.BODY_STRIDE;
    return this;
  }

  /** Its origin. */
  get x(): number { return this.read(this.base + L.BODY_X); }
  get y(): number { return this.read(this.base + L.BODY_Y); }
  get z(): number { return this.read(this.base + L.BODY_Z); }
  /** How it is turned from how it lies in the file. */
  get qx(): number { return this.read(this.base + L.BODY_QX); }
  get qy(): number { return this.read(this.base + L.BODY_QY); }
  get qz(): number { return this.read(this.base + L.BODY_QZ); }
  get qw(): number { return this.read(this.base + L.BODY_QW); }
}

/** The figure of another player, in the very pose that shots are tested against; one
 * view serves all of them, moved by at. */
export class SkeletonView extends View {
  private base = L.FIGURE_FIRST;

  /** How many there are: the nearest. */
  get count(): number { return Math.min(this.read(L.STATE_FIGURES), L.MAX_FIGURES); }

  /** Turns the view to the i-th figure and returns it. */
  at(i: number): this {
    this.base = L.FIGURE_FIRST + i * L.FIGURE_STRIDE;
    return this;
  }

  /** The player's number. */
  get id(): number { return this.read(this.base + L.FIGURE_ID); }
  /** The index of the weapon in hand. */
  get weapon(): number { return this.read(this.base + L.FIGURE_HOLDS) & 7; }
  get shielded(): boolean { return (this.read(this.base + L.FIGURE_HOLDS) & 8) !== 0; }
  get aiming(): boolean { return (this.read(this.base + L.FIGURE_HOLDS) & 16) !== 0; }

  /** Writes where a bone is: metres in the world, and a quaternion. */
  bone(i: number, position: Settable3, rotation: Settable4): void {
    const at = this.base + L.FIGURE_BONES + i * L.BONE_STRIDE;
    position.set(this.read(at + L.BONE_X), this.read(at + L.BONE_Y), this.read(at + L.BONE_Z));
    rotation.set(this.read(at + L.BONE_QX), this.read(at + L.BONE_QY), this.read(at + L.BONE_QZ), this.read(at + L.BONE_QW));
  }
}

interface Settable3 { set(x: number, y: number, z: number): unknown }
interface Settable4 { set(x: number, y: number, z: number, w: number): unknown }

/** What there is beside players and the level's own bodies: balls, crates, things to
 * pick up. One view serves all of them, moved by at. */
export class EntityView extends View {
  private base = L.THING_BASE;

  /** How many there are. */
  get count(): number { return Math.min(this.read(L.STATE_THINGS), L.MAX_THINGS); }

  /** Turns the view to the i-th thing and returns it. */
  at(i: number): this {
    this.base = L.THING_BASE + i * L.THING_STRIDE;
    return this;
  }

  get id(): number { return this.read(this.base + L.THING_ID); }
  /** One of the layout's KIND numbers. */
  get kind(): number { return this.read(this.base + L.THING_KIND); }
  /** Its middle, or the foot of a pickup. */
  get x(): number { return this.read(this.base + L.THING_X); }
  get y(): number { return this.read(this.base + L.THING_Y); }
  get z(): number { return this.read(this.base + L.THING_Z); }
  get qx(): number { return this.read(this.base + L.THING_QX); }
  get qy(): number { return this.read(this.base + L.THING_QY); }
  get qz(): number { return this.read(this.base + L.THING_QZ); }
  get qw(): number { return this.read(this.base + L.THING_QW); }
  get vx(): number { return this.read(this.base + L.THING_VX); }
  get vy(): number { return this.read(this.base + L.THING_VY); }
  get vz(): number { return this.read(this.base + L.THING_VZ); }
  get asleep(): boolean { return this.read(this.base + L.THING_ASLEEP) !== 0; }
  /** The game's own. */
  get extra(): number { return this.read(this.base + L.THING_EXTRA); }
  /** Whether it is simulated in the player's own time. */
  get predicted(): boolean { return this.read(this.base + L.THING_OWN) !== 0; }
}

const MODES = ["interpolate", "linear", "exponential", "none"] as const;
const SAMPLE_SOURCES = ["missing", "exact", "interpolated", "held", "extrapolated", "stale"] as const;

/** How others are drawn from what comes. */
export type SmoothingMode = (typeof MODES)[number];
/** How a pose was found. */
export type SampleSource = (typeof SAMPLE_SOURCES)[number];

/** How another player comes to be drawn: filled after Client.trace(true). One view
 * serves all of them, moved by at. */
export class RemoteDebugView extends View {
  private base = L.TRACE_BASE;
  private sample = 0;

  /** How many there are, the nearest first. */
  get count(): number { return Math.min(this.read(L.STATE_TRACES), L.MAX_TRACES); }

  /** Turns the view to the i-th player and returns it. */
  at(i: number): this {
    this.base = L.TRACE_BASE + i * L.TRACE_STRIDE;
    return this;
  }

  get id(): number { return this.read(this.base + L.TRACE_ID); }
  get mode(): SmoothingMode { return MODES[this.read(this.base + L.TRACE_MODE)] ?? "interpolate"; }
  get source(): SampleSource { return SAMPLE_SOURCES[this.read(this.base + L.TRACE_FIT)] ?? "missing"; }
  /** The feet, as drawn. */
  get x(): number { return this.read(this.base + L.TRACE_X); }
  get y(): number { return this.read(this.base + L.TRACE_Y); }
  get z(): number { return this.read(this.base + L.TRACE_Z); }
  get vx(): number { return this.read(this.base + L.TRACE_VX); }
  get vy(): number { return this.read(this.base + L.TRACE_VY); }
  get vz(): number { return this.read(this.base + L.TRACE_VZ); }
  /** Where the server probably has the player now. */
  get extrapolatedX(): number { return this.read(this.base + L.TRACE_GHOST_X); }
  get extrapolatedY(): number { return this.read(this.base + L.TRACE_GHOST_Y); }
  get extrapolatedZ(): number { return this.read(this.base + L.TRACE_GHOST_Z); }
  /** How far behind the match the player is drawn. */
  get delay(): number { return this.read(this.base + L.TRACE_BEHIND); }
  /** How old the newest state is: the sum of the three that follow. */
  get age(): number { return this.read(this.base + L.TRACE_AGE); }
  get toServer(): number { return this.read(this.base + L.TRACE_SERVER); }
  get transit(): number { return this.read(this.base + L.TRACE_WAY); }
  get sinceArrival(): number { return this.read(this.base + L.TRACE_HERE); }
  /** How much of a recovery is still to come, 1 to 0. */
  get blend(): number { return this.read(this.base + L.TRACE_HEALING); }
  /** How far smoothing draws the player from the body. */
  get offset(): number { return this.read(this.base + L.TRACE_OFFSET); }
  get crouched(): boolean { return this.read(this.base + L.TRACE_CROUCHED) !== 0; }

  /** How many received states there are, the newest first. */
  get samples(): number { return Math.min(this.read(this.base + L.TRACE_STATES), L.MAX_TRACE_STATES); }

  /** Turns the view to the i-th received state and returns it. */
  sampleAt(i: number): this {
    this.sample = this.base + L.TRACE_STATES + 1 + i * L.TRACE_STATE_STRIDE;
    return this;
  }

  get sampleX(): number { return this.read(this.sample + L.TRACE_STATE_X); }
  get sampleY(): number { return this.read(this.sample + L.TRACE_STATE_Y); }
  get sampleZ(): number { return this.read(this.sample + L.TRACE_STATE_Z); }
  get sampleAge(): number { return this.read(this.sample + L.TRACE_STATE_AGE); }
  /** Whether it is a bend of the path between two states. */
  get sampleKeyframe(): boolean { return this.read(this.sample + L.TRACE_STATE_KINK) !== 0; }
}

/** What the hands asked for in this frame. */
export class InputView extends View {
  /** Where the player looks once the devices have turned the view. */
  get yaw(): number { return this.read(L.STATE_LOOK_YAW); }
  get pitch(): number { return this.read(L.STATE_LOOK_PITCH); }
  /** Whether one of the Wish bits was pressed in this frame. */
  pressed(bit: number): boolean { return (this.read(L.STATE_WISHED) & bit) !== 0; }
  /** Whether one of the Wish bits is held. */
  held(bit: number): boolean { return (this.read(L.STATE_WISHES) & bit) !== 0; }
}
