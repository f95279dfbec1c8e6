// What this package reads of a session: the part of the view that every game has.
import type { AnyRoots, Point } from "@backstep/client";

/** A rotation as a unit quaternion; all zero is none. */
export interface Turn extends Point {
  readonly w: number;
}

/** How a character is drawn (Go: track.Sample). */
export interface CharacterPose {
  readonly position: Point;
  readonly velocity: Point;
  readonly baseVelocity: Point;
  readonly up: Point;
  readonly yaw: number;
  readonly pitch: number;
  readonly mode: number;
  readonly userData: number;
  readonly dead: boolean;
  readonly stance: { readonly crouch: number; readonly air: number };
}

/** Another player, as the session has it (Go: browser.Entity). */
export interface Remote extends CharacterPose {
  readonly id: number;
}

/** An entity that is no player (Go: browser.Entity). */
export interface OtherEntity {
  readonly id: number;
  readonly kind: number;
  readonly position: Point;
  readonly velocity: Point;
  readonly rotation: Turn;
  readonly yaw: number;
}

/** An entity as option entity of a stage gets it: one of session.entities, or one of session.projectiles,
 * which has an id below zero and no fields. */
export type DrawnEntity<G extends DrawableRoots> = OtherEntity & { readonly fields?: Fields<G["view"]["entities"][number]> };

/** The type of the declared fields of an entity; any of a game whose types are not known. */
export type Fields<E> = 0 extends 1 & E ? any : E extends { readonly fields: infer F } ? F : undefined;

/** A projectile of the player's own (Go: combat.Projectile). */
interface OwnProjectile {
  readonly drawn: Point;
  readonly velocity: Point;
  readonly weapon: number;
  readonly shot: number;
}

/** A rigid body as it is drawn (Go: remote.DrawnBody). */
export interface DrawnBody {
  readonly id: number;
  readonly kind: number;
  readonly position: Point;
  readonly rotation: Turn;
  /** ball: half.x is the radius. box: half sizes. capsule: along its own Y, half.x the radius, half.y half
   * its length with the round ends. */
  readonly shape: string;
  readonly half: Point;
}

/** The figures of the network (Go: session.Stats): times in seconds, losses as shares. */
export interface NetStats {
  readonly rtt: number;
  readonly jitter: number;
  readonly up: number;
  readonly down: number;
  readonly clockUncertainty: number;
  readonly viewDelay: number;
  readonly lossUp: number;
  readonly lossDown: number;
  readonly quality: number;
  readonly drift: number;
  readonly tick: number;
  readonly in: Flow;
  readonly out: Flow;
  readonly moves: MoveCounters;
  readonly agreed: number;
  readonly disagreed: number;
}

/** What went one way since joining. */
interface Flow {
  readonly datagrams: number;
  readonly bytes: number;
}

/** What became of the player's moves since joining (Go: predict.OwnerCounters). */
export interface MoveCounters {
  readonly made: number;
  readonly combined: number;
  readonly sent: number;
  readonly resent: number;
  readonly acked: number;
  readonly dropped: number;
  readonly corrections: number;
  readonly teleports: number;
  readonly serverForces: number;
  readonly timeouts: number;
  readonly throttles: number;
  readonly maxDistance: number;
}

/** A correction of the player's own moves (Go: predict.Correction). */
export interface Correction {
  readonly cause: string;
  readonly known: boolean;
  readonly distance: number;
  readonly replayed: number;
  readonly differences: readonly { readonly field: string; readonly by: number }[];
}

/** From what another player is drawn (Go: browser.RemoteDebug). */
export interface RemoteDebug {
  readonly player: number;
  readonly mode: string;
  readonly source: string;
  readonly delay: number;
  readonly blending: number;
  readonly offset: number;
  readonly age: { readonly total: number; readonly server: number; readonly network: number; readonly client: number };
  readonly drawn: { readonly position: Point; readonly velocity: Point; readonly crouched: boolean };
  readonly extrapolated: Point;
  readonly past: readonly { readonly position: Point; readonly keyframe: boolean }[];
}

/** The root of a core that says from what others are drawn (Go: browser.ExtendRemoteDebug). */
export interface RemoteDebugs {
  /** Set while they are shown: they take time. */
  shown: boolean;
  readonly players: readonly RemoteDebug[];
}

/** A hitbox in the world: ball and capsule between a and b, box about a. */
export interface Hitbox {
  readonly shape: string;
  readonly a: Point;
  readonly b: Point;
  readonly radius: number;
  readonly half: Point;
  readonly rotation: Turn;
}

/** What is drawn of an event (Go: session.Event). */
interface ShotEvent {
  readonly kind: string;
  readonly weapon: number;
  readonly corrected: boolean;
  readonly from: Point;
  readonly to: Point;
  readonly points: readonly Point[];
}

/** What is drawn of a shot of the player's own (Go: combat.ClientShot). */
interface OwnShot {
  readonly claim: { readonly weapon: number };
  readonly eye: Point;
  readonly outcomes: readonly { readonly kind: string; readonly point: Point }[];
}

/** What is drawn of the view of any game (Go: browser.View). */
interface DrawnView {
  readonly pose: CharacterPose;
  readonly eye: Point;
  readonly remotes: readonly Remote[];
  readonly entities: readonly OtherEntity[];
  readonly movers: readonly { readonly translation: Point; readonly rotation: Turn }[];
  readonly projectiles: readonly OwnProjectile[];
  readonly corrections: readonly Correction[];
  readonly stats: NetStats;
  readonly inputDelay: number;
  readonly weapons: readonly { readonly kind: "hitscan" | "melee" | "projectile" | `${number}`; readonly flight: { readonly entityKind: number }; readonly blast: { readonly radius: number } }[];
  readonly events: readonly ShotEvent[];
  readonly shots: readonly OwnShot[];
}

/** The values of any game that can be drawn. The generated Roots of a game fit. */
export interface DrawableRoots extends AnyRoots {
  readonly view: Omit<AnyRoots["view"], keyof DrawnView> & DrawnView;
}

/** The rotation that is none. */
const NO_TURN: Turn = { x: 0, y: 0, z: 0, w: 0 };

/** Returns the player's own projectiles as entities. */
export function projectilesOf(view: DrawableRoots["view"]): OtherEntity[] {
  return view.projectiles.map(({ drawn, velocity, weapon, shot }) => ({
    id: -1 - shot, kind: view.weapons[weapon]?.flight.entityKind ?? 0, position: drawn, velocity, rotation: NO_TURN, yaw: Math.atan2(-velocity.x, -velocity.z),
  }));
}
