// Recorded samples in the form of the core's values, so that the code of a match draws them too. Start
// at drawnOf.
import type { Roots, Transform, Vec3 } from "../core";
import type { PlayerState } from "../page/characters";
import type { EntityPose } from "../page/entities";
import { FIRST_MOVER, type EntitySample } from "./samples";

/** Reports whether a sample is a player's: no other entity of an arena is a character. */
const isPlayer = ({ id, kind }: EntitySample): boolean => kind === 0 && id < FIRST_MOVER;

/** A recorded player. */
type DrawnPlayer = PlayerState & { position: Vec3 };
/** A recorded entity that is no player. None is predicted. */
type DrawnEntity = EntityPose & { predicted: boolean };

/** Returns the players and the other entities, without the player of one id. */
export function drawnOf(all: readonly EntitySample[], without: number): { players: DrawnPlayer[]; entities: DrawnEntity[] } {
  const players = all.filter((t) => isPlayer(t) && t.id !== without);
  const entities = all.filter((t) => !isPlayer(t) && t.id < FIRST_MOVER);
  return {
    players: players.map(({ id, dead, mode, position }) => ({ id, dead, mode, position })),
    entities: entities.map(({ id, kind, asleep, position, velocity, rotation }) => ({ id, kind, asleep, predicted: false, position, velocity, rotation })),
  };
}

/** Returns the poses of the level's movers: of those that were triggered as recorded, of the others
 * as they are at rest or on their way through match time. */
export function moversOf(all: readonly EntitySample[], atRest: readonly Transform[]): Transform[] {
  const movers = [...atRest];
  for (const { id, position, rotation } of all) {
    if (movers[id - FIRST_MOVER] !== undefined) movers[id - FIRST_MOVER] = { translation: position, rotation };
  }
  return movers;
}

/** Where the core reads recorded players. */
type Recorded = Roots["controls"]["recorded"];

/** Writes the nearest players for the core to pose, without the player of one id; returns their
 * number. deadFor returns how long a player has been dead, in seconds. */
export function writeRecorded(recorded: Recorded, all: readonly EntitySample[], without: number, from: Vec3, deadFor: (id: number) => number): number {
  const distance = (p: EntitySample): number => p.position.distanceTo(from);
  const players = all.filter((t) => isPlayer(t) && t.id !== without);
  if (players.length > recorded.length) players.sort((a, b) => distance(a) - distance(b));
  const count = Math.min(players.length, recorded.length);
  for (let i = 0; i < count; i++) {
    const [p, record] = [players[i], recorded[i]];
    if (p !== undefined && record !== undefined) writePlayer(record, p, p.dead ? deadFor(p.id) : 0);
  }
  return count;
}

function writePlayer(record: Recorded[number], p: EntitySample, deadFor: number): void {
  const { id, userData, yaw, pitch, strideDistance, clip, dead, position, velocity, up, stance } = p;
  Object.assign(record, { id, userData, yaw, pitch, strideDistance, clip, dead, deadFor, played: p.clipTime, position, velocity, up, stance });
}
