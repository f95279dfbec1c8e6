// What a player sets of the network for this visit: simulated lag, input delay, and which parts of the
// netcode are off. Nothing of it is kept. Start at Network.
import { NO_LAG, type Lag } from "@backstep/client";
import type { ArenaSession } from "./self";

/** Parts of the netcode; true is on. */
export interface Netcode {
  prediction: boolean;
  interpolation: boolean;
  lagCompensation: boolean;
}

/** All of it. */
export const ALL_ON: Readonly<Netcode> = { prediction: true, interpolation: true, lagCompensation: true };

/** The settings, applied to the session of the moment. */
export class Network {
  lag: Readonly<Lag> = NO_LAG;
  netcode: Readonly<Netcode> = ALL_ON;
  /** Called after each change. */
  changed: () => void = () => undefined;
  private delay = 0;

  constructor(private readonly session: () => ArenaSession | undefined) {}

  setLag(lag: Readonly<Lag>): void {
    this.lag = lag;
    const session = this.session();
    if (session !== undefined) session.lag = lag;
    this.changed();
  }

  /** Sets the input delay in milliseconds. */
  setInputDelay(milliseconds: number): void {
    this.delay = milliseconds;
    const session = this.session();
    if (session !== undefined) session.inputDelay = milliseconds;
  }

  setNetcode(netcode: Readonly<Netcode>): void {
    this.netcode = netcode;
    this.changed();
  }

  /** Applies everything to a new session. */
  attach(session: ArenaSession): void {
    if (this.lag !== NO_LAG) session.lag = this.lag;
    session.inputDelay = this.delay;
  }

  /** Writes the switches before a frame. */
  write({ disabled }: ArenaSession["roots"]): void {
    disabled.prediction = !this.netcode.prediction;
    disabled.interpolation = !this.netcode.interpolation;
    disabled.lagCompensation = !this.netcode.lagCompensation;
  }

  /** Whether the match lets its players do without lag compensation. */
  get optOut(): boolean {
    return this.session()?.roots.disabled.lagCompensationOptOut ?? false;
  }
}
