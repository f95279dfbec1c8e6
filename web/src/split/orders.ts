// What the page and its worker say to each other.

/** Both directions of both links: milliseconds one way and at most more, and the share lost, 0 to 1. */
export interface Network {
  delay: number;
  jitter: number;
  loss: number;
}

/** What you do. */
export interface Controls {
  /** Where you run, −1 to 1 along +X and +Z; of SplitControls to the right and down the screen. */
  right: number;
  back: number;
  jump: boolean;
  fire: boolean;
  /** Where the shot goes; without, to the opponent as your screen shows it. */
  point?: readonly [number, number, number] | undefined;
}

/** From the page. */
export type Order =
  | { kind: "start"; network: Network; seed: number }
  | { kind: "network"; network: Network }
  /** So many milliseconds of match time later; without you, a bot plays you. */
  | { kind: "advance"; by: number; you?: Controls | undefined };

/** From the worker. solids: half the floor's sides, then middle and half size of each box. */
export type Answer = { kind: "ready"; solids: Float64Array } | { kind: "frame"; numbers: Float64Array } | { kind: "failed"; reason: string };
