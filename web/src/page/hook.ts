// window.backstep: what tests and curious people hold on to. Everything it
// returns is a copy; what it sets is what the hands would. Start at Hook.
import {
  bodySnapshot, proofSnapshot, remoteSnapshot, replaySnapshot, selfSnapshot, thingSnapshot, traceSnapshot,
  type BodySnapshot, type ProofSnapshot, type RemoteSnapshot, type ReplaySnapshot, type SelfSnapshot, type ThingSnapshot, type TraceSnapshot,
} from "./snapshot";
import type { Controls, Hands } from "./controls";
import type { Match } from "./match";
import type { Replay } from "../replay/replay";
import type { GameEvent, Lag, Link } from "../client/index";

/** The methods of window.backstep. */
export interface Hook {
  /** Joins under that name, without the start screen or the mouse. */
  play(name: string): Promise<void>;
  /** What the connection is doing; undefined before play. */
  link(): Link | undefined;
  /** The player's own character as drawn, and the network's figures. */
  self(): SelfSnapshot;
  /** Everybody else as drawn. */
  remotes(): RemoteSnapshot[];
  /** The level's moving bodies as drawn. */
  bodies(): BodySnapshot[];
  /** What there is beside players, as drawn. */
  things(): ThingSnapshot[];
  /** What the debug layer shows; nothing where it is off. */
  traces(): TraceSnapshot[];
  /** The shot that F6 shows; undefined where it shows none. */
  proof(): ProofSnapshot | undefined;
  /** How many others are drawn as figures. */
  figures(): number;
  /** Milliseconds that the core's last frame took. */
  coreCost(): number;
  /** The last 2000 events, oldest first. */
  events(): GameEvent[];
  /** Plays by script from now on: fields not given are still. undefined gives
   * the keyboard back. */
  setInput(hands: Partial<Hands> | undefined): void;
  /** Turns the view, radians: yaw about +Y, pitch upwards. */
  lookAlong(yaw: number, pitch: number): void;
  /** Turns the view to a place, metres; as the eye is drawn now. */
  lookAt(x: number, y: number, z: number): void;
  /** Pulls the trigger for one frame. */
  fire(): void;
  /** Asks to fly about as a spectator, or to play again. */
  watch(): void;
  /** Adds lag each way. */
  setLag(lag: Lag): void;
  /** Counts drawn pictures for so many milliseconds; resolves to a second's. */
  measureFPS(ms: number): Promise<number>;
  /** How often the connection was lost and the core had to be replaced. */
  troubles(): { losses: number; crashes: number };
  /** How a recording is looked at; undefined where the page shows none. */
  replay(): ReplaySnapshot | undefined;
  /** Goes to a time of the recording, seconds. */
  seek(time: number): void;
  /** Plays the recording, or stops. */
  playRecording(on: boolean): void;
  /** Looks through a player's eyes; 0 flies freely. */
  watchPlayer(id: number): void;
  /** Loses the connection on purpose. */
  dropConnection(): void;
  /** Fails as if the core had panicked. */
  failCore(): void;
}

/** What the hook is made from. */
export interface Grip {
  play(name: string): Promise<void>;
  match(): Match | undefined;
  replay(): Replay | undefined;
  controls: Controls;
  camera: { position: { x: number; y: number; z: number } };
  setLag(lag: Lag): void;
}

/** Makes window.backstep. */
export function makeHook(grip: Grip): Hook {
  const { controls, camera } = grip;
  return {
    play: grip.play,
    link: () => grip.match()?.link,
    self: () => selfSnapshot(grip.match()),
    remotes: () => remoteSnapshot(grip.match()),
    bodies: () => bodySnapshot(grip.match()),
    things: () => thingSnapshot(grip.match()),
    traces: () => traceSnapshot(grip.match()),
    proof: () => proofSnapshot(grip.match()),
    figures: () => grip.match()?.poses.count ?? 0,
    coreCost: () => grip.match()?.client?.frameCost ?? 0,
    events: () => [...(grip.match()?.log ?? [])],
    setInput: (hands) => controls.setScript(hands),
    lookAlong: (yaw, pitch) => controls.lookAlong(yaw, pitch),
    lookAt: (x, y, z) => {
      const [dx, dy, dz] = [x - camera.position.x, y - camera.position.y, z - camera.position.z];
      controls.lookAlong(Math.atan2(-dx, -dz), Math.atan2(dy, Math.hypot(dx, dz)));
    },
    fire: () => controls.tapFire(),
    watch: () => grip.match()?.watch(),
    setLag: grip.setLag,
    measureFPS,
    troubles: () => ({ losses: grip.match()?.client?.losses ?? 0, crashes: grip.match()?.client?.crashes ?? 0 }),
    replay: () => replaySnapshot(grip.replay()),
    seek: (time) => grip.replay()?.seek(time),
    playRecording: (on) => grip.replay()?.play(on),
    watchPlayer: (id) => grip.replay()?.watch(id),
    dropConnection: () => grip.match()?.client?.dropConnection(),
    failCore: () => grip.match()?.client?.failCore(),
  };
}

function measureFPS(ms: number): Promise<number> {
  return new Promise((resolve) => {
    const begin = performance.now();
    let pictures = 0;
    const count = (): void => {
      pictures++;
      const passed = performance.now() - begin;
      if (passed < ms) requestAnimationFrame(count);
      else resolve((pictures * 1000) / passed);
    };
    requestAnimationFrame(count);
  });
}

declare global {
  interface Window {
    backstep: Hook;
  }
}
