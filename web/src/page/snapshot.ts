// Copies of what is drawn, as plain objects, for tests.
import type { RemoteView, ThingView } from "../client/index";
import type { Replay } from "../replay/replay";
import type { Match } from "./match";

/** The player's own character and the network's figures; SI. */
export interface SelfSnapshot {
  playing: boolean;
  id: number;
  position: [number, number, number];
  velocity: [number, number, number];
  eye: number;
  yaw: number;
  pitch: number;
  mode: number;
  /** Whether it stands on something that moves. */
  rides: boolean;
  watching: boolean;
  hooked: boolean;
  crouched: boolean;
  dead: boolean;
  health: number;
  ammo: number;
  /** The index of the weapon in hand. */
  weapon: number;
  shielded: boolean;
  kills: number;
  deaths: number;
  rtt: number;
  loss: number;
  corrections: number;
  correction: number;
  tick: number;
  viewDelay: number;
  bytesUp: number;
  bytesDown: number;
  confirmed: number;
  contradicted: number;
}

/** Another player as drawn; SI. */
export interface RemoteSnapshot {
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
export interface BodySnapshot {
  position: [number, number, number];
}

/** Copies where the level's moving bodies are. */
export function bodySnapshot(match: Match | undefined): BodySnapshot[] {
  if (match === undefined) return [];
  return Array.from({ length: match.bodies.count }, (_, i) => {
    const b = match.bodies.at(i);
    return { position: [b.x, b.y, b.z] };
  });
}

/** What lies or hovers about, as drawn. */
export interface ThingSnapshot {
  id: number;
  kind: number;
  position: [number, number, number];
  asleep: boolean;
  /** Simulated or flown in the player's own time. */
  own: boolean;
}

/** Copies what there is beside players. */
export function thingSnapshot(match: Match | undefined): ThingSnapshot[] {
  return match === undefined ? [] : copyThings(match.things);
}

function copyThings(things: ThingView): ThingSnapshot[] {
  return Array.from({ length: things.count }, (_, i) => {
    const t = things.at(i);
    return { id: t.id, kind: t.kind, position: [t.x, t.y, t.z], asleep: t.asleep, own: t.own };
  });
}

/** How another player comes to be drawn: SI. */
export interface TraceSnapshot {
  id: number;
  mode: string;
  fit: string;
  drawn: [number, number, number];
  ghost: [number, number, number];
  behind: number;
  age: number;
  states: { age: number; kink: boolean; position: [number, number, number] }[];
}

/** Copies what the debug layer shows; nothing where it is off. */
export function traceSnapshot(match: Match | undefined): TraceSnapshot[] {
  if (match === undefined) return [];
  return Array.from({ length: match.traces.count }, (_, i) => {
    const t = match.traces.at(i);
    const states = Array.from({ length: t.states }, (_, k) => {
      t.stateAt(k);
      return { age: t.stateAge, kink: t.stateKink, position: [t.stateX, t.stateY, t.stateZ] as [number, number, number] };
    });
    return {
      id: t.id, mode: t.mode, fit: t.fit, behind: t.behind, age: t.age, states,
      drawn: [t.x, t.y, t.z], ghost: [t.ghostX, t.ghostY, t.ghostZ],
    };
  });
}

/** A recording as it is looked at. */
export interface ReplaySnapshot {
  time: number;
  duration: number;
  playing: boolean;
  waiting: boolean;
  speed: number;
  view: number;
  /** Shots of the whole recording. */
  shots: number;
  players: { id: number; position: [number, number, number]; dead: boolean }[];
  things: ThingSnapshot[];
}

/** Copies how a recording is looked at. */
export function replaySnapshot(replay: Replay | undefined): ReplaySnapshot | undefined {
  if (replay === undefined) return undefined;
  const { time, playing, waiting, speed, view, info } = replay;
  const shots = info.shots.length;
  return { time, duration: info.duration, playing, waiting, speed, view, shots, players: places(replay.remotes), things: copyThings(replay.things) };
}

function places(remotes: RemoteView): ReplaySnapshot["players"] {
  return Array.from({ length: remotes.count }, (_, i) => {
    const r = remotes.at(i);
    return { id: r.id, position: [r.x, r.y, r.z], dead: r.dead };
  });
}

/** How one of the player's own last shots was judged; SI. */
export interface ProofSnapshot {
  shots: number;
  chosen: number;
  shot: number;
  weapon: number;
  verdict: string;
  known: number;
  /** The largest distance between blue and red; −1: nothing to compare. */
  apart: number;
  volumes: { seen: number; judged: number };
  lines: number;
}

/** Copies the shot that F6 shows; undefined where it shows none. */
export function proofSnapshot(match: Match | undefined): ProofSnapshot | undefined {
  if (match === undefined || match.proof.shots === 0) return undefined;
  const p = match.proof;
  const judged = Array.from({ length: p.volumes }, (_, i) => p.volume.at(i).judged);
  const { shots, chosen, shot, weapon, verdict, known, apart, lines } = p;
  return { shots, chosen, shot, weapon, verdict, known, apart, lines, volumes: { seen: judged.filter((j) => !j).length, judged: judged.filter((j) => j).length } };
}

const NOWHERE: SelfSnapshot = {
  playing: false, id: 0, position: [0, 0, 0], velocity: [0, 0, 0], eye: 0, yaw: 0, pitch: 0, mode: 0, rides: false, watching: false, hooked: false,
  crouched: false, dead: false, health: 0, ammo: 0, weapon: 0, shielded: false, kills: 0, deaths: 0, rtt: 0, loss: 0, corrections: 0, correction: 0,
  tick: 0, viewDelay: 0, bytesUp: 0, bytesDown: 0, confirmed: 0, contradicted: 0,
};

/** Copies the player's own state; all zero before a match. */
export function selfSnapshot(match: Match | undefined): SelfSnapshot {
  if (match === undefined) return { ...NOWHERE };
  const { self, net } = match;
  return {
    playing: self.playing, id: self.id,
    position: [self.x, self.y, self.z],
    velocity: [self.vx, self.vy, self.vz],
    eye: self.eye, yaw: self.yaw, pitch: self.pitch, mode: self.mode,
    rides: self.rides, watching: self.watching, hooked: self.hooked,
    crouched: self.crouched, dead: self.dead, health: self.health, ammo: self.ammo, weapon: self.weapon, shielded: self.shielded, kills: self.kills, deaths: self.deaths,
    rtt: net.rtt, loss: net.loss, corrections: net.corrections, correction: net.correction, tick: net.tick,
    viewDelay: net.viewDelay, bytesUp: net.bytesUp, bytesDown: net.bytesDown,
    confirmed: net.confirmed, contradicted: net.contradicted,
  };
}

/** Copies everybody else. */
export function remoteSnapshot(match: Match | undefined): RemoteSnapshot[] {
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
