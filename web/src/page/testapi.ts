// window.backstep, for tests and for the console. Return values are copies; setters act like input
// devices. Start at TestAPI.
import type { Lag, Link } from "@backstep/client";
import type { Scenery } from "@backstep/three/parts";
import * as THREE from "three";
import type { Replay } from "../replay/replay";
import type { Controls, PlayerInput } from "./controls";
import type { GameEvent } from "./events";
import type { Match } from "./match";
import type { Models } from "./models";
import { ALL_ON, type Netcode, type Network } from "./network";
import type { Tour, TourState } from "./tour";
import {
  bodyStates, entityStates, killcamState, remoteDebugStates, remoteStates, replayState, selfState, shotDebugState,
  type BodyState, type EntityState, type KillcamState, type RemoteDebugState, type RemoteState, type ReplayState, type SelfState, type ShotDebugState,
} from "./teststate";

/** The methods of window.backstep. */
interface TestAPI {
  /** Joins under a name, without the start screen or mouse capture. */
  play(name: string): Promise<void>;
  /** The state of the connection; undefined before play. */
  link(): Link | undefined;
  /** The player's own character as drawn, and network statistics. */
  self(): SelfState;
  /** All other players as drawn. */
  remotes(): RemoteState[];
  /** The moving bodies of the level as drawn. */
  bodies(): BodyState[];
  /** Entities other than players, as drawn. */
  entities(): EntityState[];
  /** The data of the F4 layer; empty while it is off. */
  remoteDebug(): RemoteDebugState[];
  /** The shot shown by F6; undefined if none. */
  shotDebug(): ShotDebugState | undefined;
  /** What the killcam shows; undefined before a match. */
  killcam(): KillcamState | undefined;
  /** Number of other characters drawn. */
  characters(): number;
  /** Duration of the core's last frame, milliseconds. */
  coreFrameTime(): number;
  /** The last 2000 events, oldest first. */
  events(): GameEvent[];
  /** Replaces the input by a script's; omitted fields are neutral. undefined returns to the
   * devices. */
  setInput(input: Partial<PlayerInput> | undefined): void;
  /** Sets the view direction, radians: yaw about +Y, pitch upwards. */
  lookAlong(yaw: number, pitch: number): void;
  /** Looks at a position in metres, from the camera's position. */
  lookAt(x: number, y: number, z: number): void;
  /** Fires for one frame. */
  fire(): void;
  /** Toggles between spectating and playing. */
  spectate(): void;
  /** The player that a spectator follows, 0 in free flight, and where the camera is. */
  camera(): { followed: number; position: [x: number, y: number, z: number] };
  /** Sets the simulated lag of each direction. */
  setLag(lag: Lag): void;
  /** Switches parts of the netcode; what is omitted is on. */
  setNetcode(netcode: Partial<Netcode>): void;
  /** Whether the match lets its players do without lag compensation. */
  optOut(): boolean;
  /** The lag and the switches as they are set. */
  network(): { lag: Lag; netcode: Netcode };
  /** The state of the guided tour; step −1 while there is none. */
  tour(): TourState;
  /** Begins the tour, in a match. */
  startTour(): void;
  stopTour(): void;
  /** Measures the frame rate for ms milliseconds; resolves to frames per second. */
  measureFPS(ms: number): Promise<number>;
  /** The vertical field of view, degrees. */
  fieldOfView(): number;
  /** What the last frame cost the graphics card: draw calls, triangles, and the bytes of all textures in
   * the scene with their mipmaps. */
  budget(): { calls: number; triangles: number; textureBytes: number };
  /** Number of bullet holes and scorch marks. */
  marks(): number;
  /** Number of lost connections and of core restarts. */
  failures(): { disconnects: number; crashes: number };
  /** The state of the replay; undefined if none is shown. */
  replay(): ReplayState | undefined;
  /** Seeks in the replay, seconds. */
  seek(time: number): void;
  /** Plays or pauses the replay. */
  playRecording(on: boolean): void;
  /** Shows the replay from a player's eyes; 0 is the free camera. */
  viewPlayer(id: number): void;
  /** Closes the connection. */
  dropConnection(): void;
  /** Fails as if the core had panicked. */
  failCore(): void;
}

/** What the test API acts on. */
interface TestTargets {
  play(name: string): Promise<void>;
  match(): Match | undefined;
  models(): Models;
  link(): Link | undefined;
  replay(): Replay | undefined;
  controls: Controls;
  camera: { position: { x: number; y: number; z: number } };
  stage: Scenery;
  network: Network;
  tour: Tour;
}

/** Returns the test API of a page. */
export function makeTestAPI(targets: TestTargets): TestAPI {
  const { controls, camera } = targets;
  return {
    play: targets.play,
    link: () => targets.link(),
    self: () => selfState(targets.match()),
    remotes: () => remoteStates(targets.match()),
    bodies: () => bodyStates(targets.match()),
    entities: () => entityStates(targets.match()),
    remoteDebug: () => remoteDebugStates(targets.match()),
    shotDebug: () => shotDebugState(targets.match()),
    killcam: () => killcamState(targets.match()),
    characters: () => targets.match()?.arena.figures.length ?? 0,
    coreFrameTime: () => targets.match()?.session.frameTime ?? 0,
    events: () => [...(targets.match()?.log ?? [])],
    setInput: (input) => controls.setScript(input),
    lookAlong: (yaw, pitch) => controls.lookAlong(yaw, pitch),
    lookAt: (x, y, z) => {
      const [dx, dy, dz] = [x - camera.position.x, y - camera.position.y, z - camera.position.z];
      controls.lookAlong(Math.atan2(-dx, -dz), Math.atan2(dy, Math.hypot(dx, dz)));
    },
    fire: () => controls.tapFire(),
    spectate: () => targets.match()?.spectate(),
    camera: () => ({ followed: targets.match()?.spectator.followed ?? 0, position: [camera.position.x, camera.position.y, camera.position.z] }),
    setLag: (lag) => targets.network.setLag(lag),
    setNetcode: (netcode) => targets.network.setNetcode({ ...ALL_ON, ...netcode }),
    optOut: () => targets.network.optOut,
    network: () => ({ lag: { ...targets.network.lag }, netcode: { ...targets.network.netcode } }),
    tour: () => targets.tour.state,
    startTour: () => targets.tour.begin(),
    stopTour: () => targets.tour.stop(),
    measureFPS,
    fieldOfView: () => targets.stage.camera.fov,
    marks: () => targets.models().effects.marks,
    budget: () => {
      const { calls, triangles } = targets.stage.renderer.info.render;
      return { calls, triangles, textureBytes: textureBytes(targets.stage.scene) };
    },
    failures: () => ({ disconnects: targets.match()?.session.disconnects ?? 0, crashes: targets.match()?.session.crashes ?? 0 }),
    replay: () => replayState(targets.replay()),
    seek: (time) => targets.replay()?.seek(time),
    playRecording: (on) => targets.replay()?.play(on),
    viewPlayer: (id) => targets.replay()?.setView(id),
    dropConnection: () => targets.match()?.session.dropConnection(),
    failCore: () => targets.match()?.session.failCore(),
  };
}

function textureBytes(scene: THREE.Scene): number {
  const textures = new Set<THREE.Texture>();
  scene.traverse((object) => {
    for (const material of [(object as THREE.Mesh).material ?? []].flat()) {
      for (const value of Object.values(material)) if (value instanceof THREE.Texture) textures.add(value);
    }
  });
  let bytes = 0;
  for (const { image, generateMipmaps } of textures) {
    const { width = 0, height = 0 } = (image ?? {}) as { width?: number; height?: number };
    bytes += width * height * 4 * (generateMipmaps ? 4 / 3 : 1);
  }
  return Math.round(bytes);
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
