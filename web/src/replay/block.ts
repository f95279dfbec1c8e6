// Writes what a recording has into a state block, as the core writes what a match has:
// so that the same figures and things draw both. Start at writeBlock.
import { Layout as L } from "../client/index";
import type { EntitySample, Vec3 } from "./frames";

const MAX_PLAYER_ID = 128; // the largest id of a player

/** Fills the records of players and things, without the player of one id. */
export function writeState(state: Float64Array, all: readonly EntitySample[], without: number): void {
  let [players, things] = [0, 0];
  for (const thing of all) {
    if (thing.id === without) continue;
    if (thing.id <= MAX_PLAYER_ID && players < L.MAX_REMOTES) writePlayer(state, L.REMOTE_BASE + players++ * L.REMOTE_STRIDE, thing);
    else if (thing.id > MAX_PLAYER_ID && things < L.MAX_THINGS) writeEntity(state, L.THING_BASE + things++ * L.THING_STRIDE, thing);
  }
  state[L.STATE_REMOTES] = players;
  state[L.STATE_THINGS] = things;
}

function writePlayer(state: Float64Array, at: number, p: EntitySample): void {
  state.fill(0, at, at + L.REMOTE_STRIDE);
  state[at + L.REMOTE_ID] = p.id;
  state.set(p.position, at + L.REMOTE_X);
  state.set(p.velocity, at + L.REMOTE_VX);
  state[at + L.REMOTE_YAW] = p.yaw;
  state[at + L.REMOTE_PITCH] = p.pitch;
  state[at + L.REMOTE_MODE] = p.mode;
  state[at + L.REMOTE_CROUCHED] = Number(p.crouched);
  state[at + L.REMOTE_DEAD] = Number(p.dead);
  state[at + L.REMOTE_LIFE] = p.life;
}

function writeEntity(state: Float64Array, at: number, t: EntitySample): void {
  state.fill(0, at, at + L.THING_STRIDE);
  state[at + L.THING_ID] = t.id;
  state[at + L.THING_KIND] = t.kind;
  state.set(t.position, at + L.THING_X);
  state.set(t.rotation, at + L.THING_QX);
  state.set(t.velocity, at + L.THING_VX);
  state[at + L.THING_ASLEEP] = Number(t.asleep);
  state[at + L.THING_EXTRA] = t.userData;
}

/** Writes whom to pose into the pose block, the nearest to a place, without the player of
 * one id; returns how many. Since when the dead lie is asked of lies, in seconds. */
export function writePoses(poses: Float64Array, all: readonly EntitySample[], without: number, from: Vec3, deadFor: (id: number) => number): number {
  const far = (p: EntitySample): number => Math.hypot(...p.position.map((v, i) => v - (from[i] ?? 0)));
  const players = all.filter((t) => t.id <= MAX_PLAYER_ID && t.id !== without);
  if (players.length > L.MAX_FIGURES) players.sort((a, b) => far(a) - far(b));
  const count = Math.min(players.length, L.MAX_FIGURES);
  players.slice(0, count).forEach((p, i) => writePose(poses, i * L.POSE_STRIDE, p, p.dead ? deadFor(p.id) : 0));
  return count;
}

function writePose(poses: Float64Array, at: number, p: EntitySample, lies: number): void {
  poses[at + L.POSE_ID] = p.id;
  poses[at + L.POSE_EXTRA] = p.userData;
  poses.set(p.position, at + L.POSE_X);
  poses.set(p.velocity, at + L.POSE_VX);
  poses[at + L.POSE_YAW] = p.yaw;
  poses[at + L.POSE_PITCH] = p.pitch;
  poses.set(p.up, at + L.POSE_UX);
  poses[at + L.POSE_WALKED] = p.strideDistance;
  poses.set(p.stance, at + L.POSE_LOW);
  poses[at + L.POSE_CLIP] = p.clip;
  poses[at + L.POSE_PLAYED] = p.clipTime;
  poses[at + L.POSE_DEAD] = Number(p.dead);
  poses[at + L.POSE_LIES] = lies;
}
