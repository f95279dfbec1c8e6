// What this package reads of a session: the part of the view that every game has.
import type { AnyRoots, Point } from "@backstep/client";

/** A rotation as a unit quaternion; all zero is none. */
export interface Turn extends Point {
  readonly w: number;
}

/** Another player, as the session has it (Go: browser.Entity). */
export interface Remote {
  readonly id: number;
  readonly position: Point;
  readonly velocity: Point;
  readonly baseVelocity: Point;
  readonly up: Point;
  readonly yaw: number;
  readonly pitch: number;
  readonly dead: boolean;
  readonly stance: { readonly crouch: number; readonly air: number };
}

/** An entity that is no player (Go: browser.Entity). */
export interface OtherEntity extends Remote {
  readonly kind: number;
  readonly rotation: Turn;
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

/** What is drawn of the view of any game (Go: browser.View). */
interface DrawnView {
  readonly position: Point;
  readonly eye: Point;
  readonly remotes: readonly Remote[];
  readonly entities: readonly OtherEntity[];
  readonly bodies: readonly { readonly translation: Point; readonly rotation: Turn }[];
}

/** The values of any game that can be drawn. The generated Roots of a game fit. */
export interface DrawableRoots extends AnyRoots {
  readonly view: Omit<AnyRoots["view"], keyof DrawnView> & DrawnView;
}

/** What the states of most games have besides (Go: movement.State). A game without these fields is drawn
 * standing upright. */
export interface SelfState {
  readonly velocity?: Point;
  readonly up?: Point;
  readonly yaw?: number;
  readonly pitch?: number;
  readonly mode?: number;
  readonly crouched?: boolean;
  readonly dead?: boolean;
}
