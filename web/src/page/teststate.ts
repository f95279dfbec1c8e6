// Copies of what is drawn, as plain objects in SI units, for tests.
import type { Replay } from "../replay/replay";
import type { DrawnEntity, Vec3 } from "../core";
import type { PlayerState } from "./characters";
import type { Match } from "./match";
import { posesStatus } from "./shotdebug";

type Point = [x: number, y: number, z: number];

function point({ x, y, z }: Vec3): Point {
  return [x, y, z];
}

/** Copies the movers of the level. */
export function moverStates(match: Match | undefined) {
  return (match?.session.movers ?? []).map(({ translation }) => ({ position: point(translation) }));
}

/** Copies the entities other than players. */
export function entityStates(match: Match | undefined) {
  return copyEntities(match?.arena.entities ?? []);
}

function copyEntities(entities: readonly Omit<DrawnEntity, "userData">[]) {
  return entities.map(({ id, kind, position, asleep, predicted }) => ({ id, kind, position: point(position), asleep, predicted }));
}

/** Copies the data of the F4 layer; empty while it is off. */
export function remoteDebugStates(match: Match | undefined) {
  return (match?.session.roots.remoteDebug.players ?? []).map(({ player, mode, source, drawn, extrapolated, delay, age, past }) => ({
    id: player, mode, source, delay, age: age.total, drawn: point(drawn.position), extrapolated: point(extrapolated),
    samples: past.map((p) => ({ age: p.age, keyframe: p.keyframe, position: point(p.position) })),
  }));
}

/** Copies the state of a replay. */
export function replayState(replay: Replay | undefined) {
  if (replay === undefined) return undefined;
  const { time, playing, waiting, speed, view, info } = replay;
  const shots = info.shots.length;
  return { time, duration: info.duration, playing, waiting, speed, view, shots, players: copyPlayers(replay.drawn.players), entities: copyEntities(replay.drawn.entities) };
}

function copyPlayers(players: readonly (PlayerState & { position: Vec3 })[]) {
  return players.map(({ id, position, dead }) => ({ id, position: point(position), dead }));
}

/** Copies the shot shown by F6 with its verdict; undefined if none. maxDeviation is the largest distance between a client
 * hitbox and the same server hitbox, −1 if there is none to compare; targets and eye are where the server had its targets,
 * their feet, and the shooter's eye, none before they have come. */
export function shotDebugState(match: Match | undefined) {
  const shown = match?.arena.shot;
  const record = shown?.record;
  if (shown === undefined || record === undefined || record === null) return undefined;
  const { stored: count, selected: index, hitboxError: maxDeviation, lines, hitboxes } = shown;
  const { number: shot, weapon, answered, receipt } = record;
  const server = hitboxes.filter((v) => v.judged).length;
  const targets = (record.debug?.targets ?? []).map(({ id, position }) => ({ id, position: point(position) }));
  return {
    count, index, shot, weapon, verdict: answered ? receipt.verdict : "waiting", poses: posesStatus(record), maxDeviation,
    hitboxes: { client: hitboxes.length - server, server }, segments: lines.length,
    targets, eye: point(record.debug?.eye ?? { x: 0, y: 0, z: 0 }),
  };
}

/** Copies the killcam; undefined before a match. The screen is "" while none is shown; age, hidden and apart are the
 * server's figures. */
export function killcamState(match: Match | undefined) {
  if (match === undefined) return undefined;
  const { age, hidden, apart, eye, players } = match.arena.killcam;
  return { ...match.killcam.state, age, hidden, apart, eye: point(eye), players: players.map(({ id, position }) => ({ id, position: point(position) })) };
}

const ORIGIN: Point = [0, 0, 0];
const NO_MATCH = {
  playing: false, id: 0, position: ORIGIN, velocity: ORIGIN, eye: 0, yaw: 0, pitch: 0, mode: 0, onMovingBase: false, spectating: false, hooked: false,
  crouched: false, dead: false, health: 0, ammo: 0, weapon: 0, shielded: false, kills: 0, deaths: 0, rtt: 0, loss: 0, corrections: 0, largestCorrection: 0,
  tick: 0, now: 0, interpolationDelay: 0, bytesUp: 0, bytesDown: 0, shotsConfirmed: 0, shotsMispredicted: 0,
};

/** Copies the player's own state and network statistics; all zero before a match. */
export function selfState(match: Match | undefined): typeof NO_MATCH {
  if (match === undefined) return { ...NO_MATCH };
  const { self } = match;
  const { stats, score } = self;
  return {
    playing: self.playing, id: self.id,
    position: point(self.position),
    velocity: point(self.velocity),
    eye: self.eye, yaw: self.hero.yaw, pitch: self.hero.pitch, mode: self.mode,
    onMovingBase: self.onMovingBase, spectating: self.spectating, hooked: self.hooked,
    crouched: self.crouched, dead: self.dead, health: self.health, ammo: self.ammo, weapon: self.weapon, shielded: self.shielded,
    kills: score?.kills ?? 0, deaths: score?.deaths ?? 0,
    rtt: stats.rtt, loss: stats.lossDown, corrections: stats.moves.corrections, largestCorrection: stats.moves.maxDistance, tick: stats.tick, now: match.session.view.now,
    interpolationDelay: stats.viewDelay, bytesUp: stats.out.bytes, bytesDown: stats.in.bytes,
    shotsConfirmed: stats.agreed, shotsMispredicted: stats.disagreed,
  };
}

/** Copies all other players. */
export function remoteStates(match: Match | undefined) {
  if (match === undefined) return [];
  const { session, self, roster } = match;
  return session.remotes.map((r) => {
    const score = self.scoreOf(r.id);
    return {
      id: r.id, name: roster.name(r.id), bot: roster.bot(r.id),
      position: point(r.position), velocity: point(r.velocity),
      yaw: r.yaw, crouched: r.crouched, dead: r.dead, kills: score?.kills ?? 0, deaths: score?.deaths ?? 0,
    };
  });
}
