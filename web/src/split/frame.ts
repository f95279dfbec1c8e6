// A frame of the match as numbers, as examples/splitview/frame.go writes it. Start at readFrame.

/** A character as one of the three sees it: metres, m/s, radians. */
export interface Figure {
  x: number;
  y: number;
  z: number;
  vx: number;
  vy: number;
  vz: number;
  yaw: number;
  /** Share of being in the air, 0 to 1. */
  air: number;
  present: boolean;
}

/** The kinds of packets. */
export const MOVES = 0;
export const SHOT = 1;
export const SNAPSHOT = 2;
export const VERDICT = 3;

/** A packet that was sent; times in milliseconds of match time. */
export interface Packet {
  /** 0 you, 1 the opponent. */
  player: number;
  /** To the server. */
  up: boolean;
  number: number;
  kind: number;
  sent: number;
  /** When it arrives; of a lost one, when it would have. */
  due: number;
  lost: boolean;
  bytes: number;
}

/** The kinds of events. */
export const FIRED = 0;
export const JUDGED = 1;
export const SEEN = 2;
export const HURT = 3;
export const CORRECTED = 4;

/** Something that happened; examples/splitview.Event has the meanings. */
export interface SplitEvent {
  kind: number;
  player: number;
  at: number;
  from: readonly [number, number, number];
  to: readonly [number, number, number];
  hit: boolean;
  agrees: boolean;
  ago: number;
  moved: number;
  pushed: boolean;
  ghost: { x: number; y: number; z: number; yaw: number; present: boolean };
}

/** What the page draws at one instant. */
export interface Frame {
  /** Match time, milliseconds. */
  time: number;
  /** How far the server is behind your screen, and how late the opponent's screen shows you, ms. */
  serverBehind: number;
  opponentBehind: number;
  /** How late your screen shows the opponent, ms. */
  youSeeLate: number;
  roundTrip: number;
  corrections: number;
  /** Your screen, the server's truth, the opponent's screen: of each you and the opponent. */
  views: readonly (readonly [Figure, Figure])[];
  packets: Packet[];
  events: SplitEvent[];
}

const VIEWS = 3;

/** Reads a frame. */
export function readFrame(numbers: Float64Array): Frame {
  let at = 0;
  const next = (): number => numbers[at++] ?? 0;
  const flag = (): boolean => next() === 1;
  const point = (): [number, number, number] => [next(), next(), next()];
  const [time, serverBehind, opponentBehind, youSeeLate, roundTrip, corrections, packets, events] = Array.from({ length: 8 }, next) as [number, number, number, number, number, number, number, number];
  const figure = (): Figure => ({ x: next(), y: next(), z: next(), vx: next(), vy: next(), vz: next(), yaw: next(), air: next(), present: flag() });
  const packet = (): Packet => ({ player: next(), up: flag(), number: next(), kind: next(), sent: next(), due: next(), lost: flag(), bytes: next() });
  const event = (): SplitEvent => ({
    kind: next(), player: next(), at: next(), from: point(), to: point(), hit: flag(), agrees: flag(), ago: next(), moved: next(), pushed: flag(),
    ghost: { x: next(), y: next(), z: next(), yaw: next(), present: flag() },
  });
  return {
    time, serverBehind, opponentBehind, youSeeLate, roundTrip, corrections,
    views: Array.from({ length: VIEWS }, () => [figure(), figure()] as const),
    packets: Array.from({ length: packets }, packet),
    events: Array.from({ length: events }, event),
  };
}
