// The camera of a spectator: in free flight, or behind a player that it follows. Start at Spectator.
import * as THREE from "three";
import { PlayerCamera, type Sweep } from "@backstep/three/parts";
import type { Entity } from "../core";
import { isInPanel } from "./controls";

/** Height of a followed player's eye, metres. */
const EYE = 1.6;

/** Returns the player after one of the ids, in ascending order; 0, free flight, after the last. */
export function nextFollowed(ids: readonly number[], now: number): number {
  const next = Math.min(...ids.filter((id) => id > now)); // of none: infinity
  return Number.isFinite(next) ? next : 0;
}

/** The camera of a spectator. */
export class Spectator {
  /** The followed player; 0: free flight. */
  followed = 0;
  private readonly camera: PlayerCamera;
  private readonly eye = new THREE.Vector3();
  private asked = false;

  constructor(sweep: Sweep) {
    this.camera = new PlayerCamera({ distance: 3.4 }, sweep);
    addEventListener("keydown", this.onKey);
  }

  dispose(): void {
    removeEventListener("keydown", this.onKey);
  }

  /** Follows the next player, as the fire button asks for. */
  next(): void {
    this.asked = true;
  }

  /** Places the camera behind the followed player, if there is one that lives; dt is seconds since the last frame. */
  place(camera: THREE.PerspectiveCamera, players: readonly Entity[], yaw: number, pitch: number, dt: number): void {
    if (this.asked) this.followed = nextFollowed(players.filter((p) => !p.dead).map((p) => p.id), this.followed);
    this.asked = false;
    const player = players.find((p) => p.id === this.followed);
    if (player === undefined) this.followed = 0;
    if (player === undefined) return;
    const { x, y, z } = player.position;
    this.camera.place(camera, "third", this.eye.set(x, y + EYE, z), yaw, pitch, dt);
  }

  /** In a life of its own a player follows nobody. */
  end(): void {
    this.followed = 0;
    this.asked = false;
  }

  private readonly onKey = (e: KeyboardEvent): void => {
    this.asked ||= e.code === "Enter" && !e.repeat && !isInPanel(e.target);
  };
}
