// window.backstep: what tests and curious people hold on to. Everything it
// returns is a copy; what it sets is what the hands would. Start at Hook.
import {
  bodyStates, shotDebugState, remoteStates, replayState, selfState, entityStates, remoteDebugStates,
  type BodyState, type ShotDebugState, type RemoteState, type ReplayState, type SelfState, type EntityState, type RemoteDebugState,
} from "./snapshot";
import type { Controls, PlayerInput } from "./controls";
import type { Match } from "./match";
import type { Replay } from "../replay/replay";
import type { GameEvent, Lag, Link } from "../client/index";

/** The methods of window.backstep. */
export interface TestAPI {
  /** Joins under that name, without the start screen or the mouse. */
  play(name: string): Promise<void>;
  /** What the connection is doing; undefined before play. */
  link(): Link | undefined;
  /** The player's own character as drawn, and the network's figures. */
  self(): SelfState;
  /** Everybody else as drawn. */
  remotes(): RemoteState[];
  /** The level's moving bodies as drawn. */
  bodies(): BodyState[];
  /** What there is beside players, as drawn. */
  entities(): EntityState[];
  /** What the debug layer shows; nothing where it is off. */
  remoteDebug(): RemoteDebugState[];
  /** The shot that F6 shows; undefined where it shows none. */
  shotDebug(): ShotDebugState | undefined;
  /** How many others are drawn as figures. */
  characters(): number;
  /** Milliseconds that the core's last frame took. */
  coreFrameTime(): number;
  /** The last 2000 events, oldest first. */
  events(): GameEvent[];
  /** Plays by script from now on: fields not given are still. undefined gives
   * the keyboard back. */
  setInput(input: Partial<PlayerInput> | undefined): void;
  /** Turns the view, radians: yaw about +Y, pitch upwards. */
  lookAlong(yaw: number, pitch: number): void;
  /** Turns the view to a place, metres; as the eye is drawn now. */
  lookAt(x: number, y: number, z: number): void;
  /** Pulls the trigger for one frame. */
  fire(): void;
  /** Asks to fly about as a spectator, or to play again. */
  spectate(): void;
  /** Adds lag each way. */
  setLag(lag: Lag): void;
  /** Counts drawn pictures for so many milliseconds; resolves to a second's. */
  measureFPS(ms: number): Promise<number>;
  /** How often the connection was lost and the core had to be replaced. */
  failures(): { losses: number; crashes: number };
  /** How a recording is looked at; undefined where the page shows none. */
  replay(): ReplayState | undefined;
  /** Goes to a time of the recording, seconds. */
  seek(time: number): void;
  /** Plays the recording, or stops. */
  playRecording(on: boolean): void;
  /** Looks through a player's eyes; 0 flies freely. */
  viewPlayer(id: number): void;
  /** Loses the connection on purpose. */
  dropConnection(): void;
  /** Fails as if the core had panicked. */
  failCore(): void;
}

/** What the hook is made from. */
export interface TestTargets {
  play(name: string): Promise<void>;
  match(): Match | undefined;
  replay(): Replay | undefined;
  controls: Controls;
  camera: { position: { x: number; y: number; z: number } };
  setLag(lag: Lag): void;
}

/** Makes window.backstep. */
export function makeTestAPI(targets: TestTargets): TestAPI {
  const { controls, camera } = targets;
  return {
    play: targets.play,
    link: () => targets.match()?.link,
    self: () => selfState(targets.match()),
    remotes: () => remoteStates(targets.match()),
    bodies: () => bodyStates(targets.match()),
    entities: () => entityStates(targets.match()),
    remoteDebug: () => remoteDebugStates(targets.match()),
    shotDebug: () => shotDebugState(targets.match()),
    characters: () => targets.match()?.skeletons.count ?? 0,
    coreFrameTime: () => targets.match()?.client?.frameTime ?? 0,
    events: () => [...(targets.match()?.log ?? [])],
    setInput: (hands) => controls.setScript(hands),
    lookAlong: (yaw, pitch) => controls.lookAlong(yaw, pitch),
    lookAt: (x, y, z) => {
      const [dx, dy, dz] = [x - camera.position.x, y - camera.position.y, z - camera.position.z];
      controls.lookAlong(Math.atan2(-dx, -dz), Math.atan2(dy, Math.hypot(dx, dz)));
    },
    fire: () => controls.tapFire(),
    spectate: () => targets.match()?.spectate(),
    setLag: targets.setLag,
    measureFPS,
    failures: () => ({ losses: targets.match()?.client?.disconnects ?? 0, crashes: targets.match()?.client?.crashes ?? 0 }),
    replay: () => replayState(targets.replay()),
    seek: (time) => targets.replay()?.seek(time),
    playRecording: (on) => targets.replay()?.play(on),
    viewPlayer: (id) => targets.replay()?.setView(id),
    dropConnection: () => targets.match()?.client?.dropConnection(),
    failCore: () => targets.match()?.client?.failCore(),
  };
}

function measureFPS(ms: number): Promise<number> {
  return new Promise((resolve) => {
    const begin = performance.now();
    let frames = 0;
    const count = (): void => {
      frames++;
      const passed = performance.now() - begin;
      if (passed < ms) requestAnimationFrame(count);
      else resolve((frames * 1000) / passed);
    };
    requestAnimationFrame(count);
  });
}

declare global {
  interface Window {
    backstep: TestAPI;
  }
}
