// window.backstep, for tests and for the console. Return values are copies; setters act like input
// devices. Start at makeTestAPI.
import type { Lag, Link } from "@backstep/client";
import type { Scenery } from "@backstep/three/parts";
import * as THREE from "three";
import type { Replay } from "../replay/replay";
import type { Controls, PlayerInput } from "./controls";
import type { Match } from "./match";
import type { Models } from "./models";
import { ALL_ON, type Netcode, type Network } from "./network";
import type { Tour } from "./tour";
import { moverStates, entityStates, killcamState, remoteDebugStates, remoteStates, replayState, selfState, shotDebugState } from "./teststate";

/** What the test API acts on. */
interface TestTargets {
  play(name: string): Promise<void>;
  match(): Match | undefined;
  models(): Models;
  link(): Link | undefined;
  replay(): Replay | undefined;
  controls: Controls;
  stage: Scenery;
  network: Network;
  tour: Tour;
}

/** Returns the test API of a page. */
export function makeTestAPI(targets: TestTargets) {
  const { controls, stage: { camera } } = targets;
  return {
    /** Joins under a name, without the start screen or mouse capture. */
    play: targets.play,
    /** The state of the connection; undefined before play. */
    link: targets.link,
    /** The player's own character as drawn, and network statistics. */
    self: () => selfState(targets.match()),
    /** All other players as drawn. */
    remotes: () => remoteStates(targets.match()),
    /** The movers of the level as drawn. */
    movers: () => moverStates(targets.match()),
    /** Entities other than players, as drawn. */
    entities: () => entityStates(targets.match()),
    /** The data of the F4 layer; empty while it is off. */
    remoteDebug: () => remoteDebugStates(targets.match()),
    /** The shot shown by F6; undefined if none. */
    shotDebug: () => shotDebugState(targets.match()),
    /** What the killcam shows; undefined before a match. */
    killcam: () => killcamState(targets.match()),
    /** Number of other characters drawn. */
    characters: () => targets.match()?.arena.figures.length ?? 0,
    /** Duration of the core's last frame, milliseconds. */
    coreFrameTime: () => targets.match()?.session.frameTime ?? 0,
    /** The last 2000 events, oldest first. */
    events: () => [...(targets.match()?.log ?? [])],
    /** Replaces the input by a script's; omitted fields are neutral. undefined returns to the
     * devices. */
    setInput: (input: Partial<PlayerInput> | undefined) => controls.setScript(input),
    /** Sets the view direction, radians: yaw about +Y, pitch upwards. */
    lookAlong: (yaw: number, pitch: number) => controls.lookAlong(yaw, pitch),
    /** Looks at a position in metres, from the camera's position. */
    lookAt: (x: number, y: number, z: number) => {
      const [dx, dy, dz] = [x - camera.position.x, y - camera.position.y, z - camera.position.z];
      controls.lookAlong(Math.atan2(-dx, -dz), Math.atan2(dy, Math.hypot(dx, dz)));
    },
    /** Fires for one frame. */
    fire: () => controls.tapFire(),
    /** Toggles between spectating and playing. */
    spectate: () => targets.match()?.spectate(),
    /** The player that a spectator follows, 0 in free flight, and where the camera is. */
    camera: () => ({ followed: targets.match()?.spectator.followed ?? 0, position: [camera.position.x, camera.position.y, camera.position.z] }),
    /** Sets the simulated lag of each direction. */
    setLag: (lag: Lag) => targets.network.setLag(lag),
    /** Switches parts of the netcode; what is omitted is on. */
    setNetcode: (netcode: Partial<Netcode>) => targets.network.setNetcode({ ...ALL_ON, ...netcode }),
    /** Whether the match lets its players do without lag compensation. */
    optOut: () => targets.network.optOut,
    /** The lag and the switches as they are set. */
    network: () => ({ lag: { ...targets.network.lag }, netcode: { ...targets.network.netcode } }),
    /** The state of the guided tour; step −1 while there is none. */
    tour: () => targets.tour.state,
    /** Begins the tour, in a match. */
    startTour: () => targets.tour.begin(),
    stopTour: () => targets.tour.stop(),
    /** Measures the frame rate for ms milliseconds; resolves to frames per second. */
    measureFPS,
    /** The vertical field of view, degrees. */
    fieldOfView: () => camera.fov,
    /** Number of bullet holes and scorch marks. */
    marks: () => targets.models().effects.marks,
    /** What the last frame cost the graphics card: draw calls, triangles, and the bytes of all textures in
     * the scene with their mipmaps. */
    budget: () => {
      const { calls, triangles } = targets.stage.renderer.info.render;
      return { calls, triangles, textureBytes: textureBytes(targets.stage.scene) };
    },
    /** Number of lost connections and of core restarts. */
    failures: () => ({ disconnects: targets.match()?.session.disconnects ?? 0, crashes: targets.match()?.session.crashes ?? 0 }),
    /** The state of the replay; undefined if none is shown. */
    replay: () => replayState(targets.replay()),
    /** Seeks in the replay, seconds. */
    seek: (time: number) => targets.replay()?.seek(time),
    /** Plays or pauses the replay. */
    playRecording: (on: boolean) => targets.replay()?.play(on),
    /** Shows the replay from a player's eyes; 0 is the free camera. */
    viewPlayer: (id: number) => targets.replay()?.setView(id),
    /** Closes the connection. */
    dropConnection: () => targets.match()?.session.dropConnection(),
    /** Fails as if the core had panicked. */
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
    backstep: ReturnType<typeof makeTestAPI>;
  }
}
