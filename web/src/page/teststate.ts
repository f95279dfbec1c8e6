// Copies of what is drawn, as plain objects, for tests.
import type { EntityView, RemoteView } from "../client/index";
import type { Replay } from "../replay/replay";
import type { Match } from "./match";

/** The player's own character and network statistics; SI units. */
export interface SelfState {
  playing: boolean;
  id: number;
  position: [number, number, number];
  velocity: [number, number, number];
  eye: number;
  yaw: number;
  pitch: number;
  mode: number;
  /** Whether the player stands on a moving base. */
  onMovingBase: boolean;
  spectating: boolean;
  hooked: boolean;
  crouched: boolean;
  dead: boolean;
  health: number;
  ammo: number;
  /** Index of the held weapon. */
  weapon: number;
  shielded: boolean;
  kills: number;
  deaths: number;
  rtt: number;
  loss: number;
  corrections: number;
  largestCorrection: number;
  tick: number;
  interpolationDelay: number;
  bytesUp: number;
  bytesDown: number;
  shotsConfirmed: number;
  shotsMispredicted: number;
}

/** Another player as drawn; SI units. */
export interface RemoteState {
  id: number;
  name: string;
  bot: boolean;
  position: [number, number, number];
  velocity: [number, number, number];
  yaw: number;
  crouched: boolean;
  dead: boolean;
  kills: number;
  deaths: number;
}

/** A moving body of the level as drawn. */
export interface BodyState {
  position: [number, number, number];
}

/** Copies the moving bodies of the level. */
export function bodyStates(match: Match | undefined): BodyState[] {
  if (match === undefined) return [];
  return Array.from({ length: match.bodies.count }, (_, i) => {
    const b = match.bodies.at(i);
    return { position: [b.x, b.y, b.z] };
  });
}

/** An entity other than a player, as drawn. */
export interface EntityState {
  id: number;
  kind: number;
  position: [number, number, number];
  asleep: boolean;
  /** Whether it is simulated in the player's own predicted time. */
  predicted: boolean;
}

/** Copies the entities other than players. */
export function entityStates(match: Match | undefined): EntityState[] {
  return match === undefined ? [] : copyEntities(match.entities);
}

function copyEntities(entities: EntityView): EntityState[] {
  return Array.from({ length: entities.count }, (_, i) => {
    const t = entities.at(i);
    return { id: t.id, kind: t.kind, position: [t.x, t.y, t.z], asleep: t.asleep, predicted: t.predicted };
  });
}

/** How another player is drawn; SI units. */
export interface RemoteDebugState {
  id: number;
  mode: string;
  source: string;
  drawn: [number, number, number];
  extrapolated: [number, number, number];
  delay: number;
  age: number;
  samples: { age: number; keyframe: boolean; position: [number, number, number] }[];
}

/** Copies the data of the F4 layer; empty while it is off. */
export function remoteDebugStates(match: Match | undefined): RemoteDebugState[] {
  if (match === undefined) return [];
  return Array.from({ length: match.remoteDebug.count }, (_, i) => {
    const t = match.remoteDebug.at(i);
    const samples = Array.from({ length: t.samples }, (_, k) => {
      t.sampleAt(k);
      return { age: t.sampleAge, keyframe: t.sampleKeyframe, position: [t.sampleX, t.sampleY, t.sampleZ] as [number, number, number] };
    });
    return {
      id: t.id, mode: t.mode, source: t.source, delay: t.delay, age: t.age, samples,
      drawn: [t.x, t.y, t.z], extrapolated: [t.extrapolatedX, t.extrapolatedY, t.extrapolatedZ],
    };
  });
}

/** The state of a replay. */
export interface ReplayState {
  time: number;
  duration: number;
  playing: boolean;
  waiting: boolean;
  speed: number;
  view: number;
  /** Number of shots in the recording. */
  shots: number;
  players: { id: number; position: [number, number, number]; dead: boolean }[];
  entities: EntityState[];
}

/** Copies the state of a replay. */
export function replayState(replay: Replay | undefined): ReplayState | undefined {
  if (replay === undefined) return undefined;
  const { time, playing, waiting, speed, view, info } = replay;
  const shots = info.shots.length;
  return { time, duration: info.duration, playing, waiting, speed, view, shots, players: copyPlayers(replay.remotes), entities: copyEntities(replay.entities) };
}

function copyPlayers(remotes: RemoteView): ReplayState["players"] {
  return Array.from({ length: remotes.count }, (_, i) => {
    const r = remotes.at(i);
    return { id: r.id, position: [r.x, r.y, r.z], dead: r.dead };
  });
}

/** A recent shot of the player and its verdict; SI units. */
export interface ShotDebugState {
  count: number;
  index: number;
  shot: number;
  weapon: number;
  verdict: string;
  poses: string;
  /** Largest distance between a client hitbox and the same server hitbox; −1 if there is none to
   * compare. */
  maxDeviation: number;
  hitboxes: { client: number; server: number };
  segments: number;
}

/** Copies the shot shown by F6; undefined if none. */
export function shotDebugState(match: Match | undefined): ShotDebugState | undefined {
  if (match === undefined || match.shotDebug.count === 0) return undefined;
  const p = match.shotDebug;
  const judged = Array.from({ length: p.hitboxes }, (_, i) => p.hitbox.at(i).server);
  const { count: shots, index: chosen, shot, weapon, verdict, poses: known, maxDeviation: apart, segments: lines } = p;
  return { count: shots, index: chosen, shot, weapon, verdict, poses: known, maxDeviation: apart, segments: lines, hitboxes: { client: judged.filter((j) => !j).length, server: judged.filter((j) => j).length } };
}

const NO_MATCH: SelfState = {
  playing: false, id: 0, position: [0, 0, 0], velocity: [0, 0, 0], eye: 0, yaw: 0, pitch: 0, mode: 0, onMovingBase: false, spectating: false, hooked: false,
  crouched: false, dead: false, health: 0, ammo: 0, weapon: 0, shielded: false, kills: 0, deaths: 0, rtt: 0, loss: 0, corrections: 0, largestCorrection: 0,
  tick: 0, interpolationDelay: 0, bytesUp: 0, bytesDown: 0, shotsConfirmed: 0, shotsMispredicted: 0,
};

/** Copies the player's own state; all zero before a match. */
export function selfState(match: Match | undefined): SelfState {
  if (match === undefined) return { ...NO_MATCH };
  const { self, net } = match;
  return {
    playing: self.playing, id: self.id,
    position: [self.x, self.y, self.z],
    velocity: [self.vx, self.vy, self.vz],
    eye: self.eye, yaw: self.yaw, pitch: self.pitch, mode: self.mode,
    onMovingBase: self.onMovingBase, spectating: self.spectating, hooked: self.hooked,
    crouched: self.crouched, dead: self.dead, health: self.health, ammo: self.ammo, weapon: self.weapon, shielded: self.shielded, kills: self.kills, deaths: self.deaths,
    rtt: net.rtt, loss: net.lossDown, corrections: net.corrections, largestCorrection: net.largestCorrection, tick: net.tick,
    interpolationDelay: net.interpolationDelay, bytesUp: net.bytesUp, bytesDown: net.bytesDown,
    shotsConfirmed: net.shotsConfirmed, shotsMispredicted: net.shotsMispredicted,
  };
}

/** Copies all other players. */
export function remoteStates(match: Match | undefined): RemoteState[] {
  if (match === undefined) return [];
  const { remotes, roster } = match;
  return Array.from({ length: remotes.count }, (_, i) => {
    const r = remotes.at(i);
    return {
      id: r.id, name: roster.name(r.id), bot: roster.bot(r.id),
      position: [r.x, r.y, r.z], velocity: [r.vx, r.vy, r.vz],
      yaw: r.yaw, crouched: r.crouched, dead: r.dead, kills: r.kills, deaths: r.deaths,
    };
  });
}
