// Writes what a recording has into a state block, as the core writes what a match has:
// so that the same figures and things draw both. Start at writeBlock.
import { Layout as L } from "../client/index";
import type { Thing } from "./frames";

const PLAYERS = 128; // the largest id of a player

/** Fills the records of players and things, without the player of one id. */
export function writeBlock(state: Float64Array, all: readonly Thing[], without: number): void {
  let [players, things] = [0, 0];
  for (const thing of all) {
    if (thing.id === without) continue;
    if (thing.id <= PLAYERS && players < L.MAX_REMOTES) writePlayer(state, L.REMOTE_BASE + players++ * L.REMOTE_STRIDE, thing);
    else if (thing.id > PLAYERS && things < L.MAX_THINGS) writeThing(state, L.THING_BASE + things++ * L.THING_STRIDE, thing);
  }
  state[L.STATE_REMOTES] = players;
  state[L.STATE_THINGS] = things;
}

function writePlayer(state: Float64Array, at: number, p: Thing): void {
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

function writeThing(state: Float64Array, at: number, t: Thing): void {
  state.fill(0, at, at + L.THING_STRIDE);
  state[at + L.THING_ID] = t.id;
  state[at + L.THING_KIND] = t.kind;
  state.set(t.position, at + L.THING_X);
  state.set(t.turn, at + L.THING_QX);
  state.set(t.velocity, at + L.THING_VX);
  state[at + L.THING_ASLEEP] = Number(t.asleep);
  state[at + L.THING_EXTRA] = t.extra;
}
