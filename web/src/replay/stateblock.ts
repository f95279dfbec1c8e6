// Writes recorded samples into a state block, as the core does in a match, so that the same code
// draws both. Start at writeState.
import { Layout as L } from "../client/index";
import type { EntitySample, Vec3 } from "./samples";

const MAX_PLAYER_ID = 128; // the largest player id

/** Writes the records of players and entities, without the player of one id. */
export function writeState(state: Float64Array, all: readonly EntitySample[], without: number): void {
  let [players, entities] = [0, 0];
  for (const sample of all) {
    if (sample.id === without) continue;
    if (sample.id <= MAX_PLAYER_ID && players < L.MAX_REMOTES) writePlayer(state, L.REMOTE_BASE + players++ * L.REMOTE_STRIDE, sample);
    else if (sample.id > MAX_PLAYER_ID && entities < L.MAX_ENTITIES) writeEntity(state, L.ENTITY_BASE + entities++ * L.ENTITY_STRIDE, sample);
  }
  state[L.STATE_REMOTES] = players;
  state[L.STATE_ENTITIES] = entities;
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
  state.fill(0, at, at + L.ENTITY_STRIDE);
  state[at + L.ENTITY_ID] = t.id;
  state[at + L.ENTITY_KIND] = t.kind;
  state.set(t.position, at + L.ENTITY_X);
  state.set(t.rotation, at + L.ENTITY_QX);
  state.set(t.velocity, at + L.ENTITY_VX);
  state[at + L.ENTITY_ASLEEP] = Number(t.asleep);
  state[at + L.ENTITY_USER_DATA] = t.userData;
}

/** Writes the nearest players into the pose block, without the player of one id; returns their
 * number. deadFor returns how long a player has been dead, in seconds. */
export function writePoses(poses: Float64Array, all: readonly EntitySample[], without: number, from: Vec3, deadFor: (id: number) => number): number {
  const distance = (p: EntitySample): number => Math.hypot(...p.position.map((v, i) => v - (from[i] ?? 0)));
  const players = all.filter((t) => t.id <= MAX_PLAYER_ID && t.id !== without);
  if (players.length > L.MAX_FIGURES) players.sort((a, b) => distance(a) - distance(b));
  const count = Math.min(players.length, L.MAX_FIGURES);
  players.slice(0, count).forEach((p, i) => writePose(poses, i * L.POSE_STRIDE, p, p.dead ? deadFor(p.id) : 0));
  return count;
}

function writePose(poses: Float64Array, at: number, p: EntitySample, deadFor: number): void {
  poses[at + L.POSE_ID] = p.id;
  poses[at + L.POSE_USER_DATA] = p.userData;
  poses.set(p.position, at + L.POSE_X);
  poses.set(p.velocity, at + L.POSE_VX);
  poses[at + L.POSE_YAW] = p.yaw;
  poses[at + L.POSE_PITCH] = p.pitch;
  poses.set(p.up, at + L.POSE_UX);
  poses[at + L.POSE_STRIDE_DISTANCE] = p.strideDistance;
  poses.set(p.stance, at + L.POSE_CROUCH);
  poses[at + L.POSE_CLIP] = p.clip;
  poses[at + L.POSE_PLAYED] = p.clipTime;
  poses[at + L.POSE_DEAD] = Number(p.dead);
  poses[at + L.POSE_DEAD_TIME] = deadFor;
}
