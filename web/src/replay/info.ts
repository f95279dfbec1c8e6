// The contents of a recording besides its samples, and their text. Start at Info.

/** The answer of /replay/info.json, documented in docs/recording.md. */
export interface Info {
  game: string;
  match: string;
  began: string;
  program: string;
  level: string;
  world: string;
  model: string;
  tick_rate: number;
  ticks: number;
  duration: number;
  ticks_lost: number;
  closed: boolean;
  damage: string;
  weapons: { name: string; kind: string; blast: number }[];
  players: Presence[];
  shots: Shot[];
  kills: Kill[];
}

/** A player's time in the match. */
interface Presence {
  id: number;
  name: string;
  bot: boolean;
  /** 1 red, 2 blue, 0 none. */
  team: number;
  from: number;
  to: number;
}

/** A shot with its receipt. */
export interface Shot {
  t: number;
  shooter: number;
  weapon: number;
  view_requested: number;
  view_granted: number;
  verdict: string;
  reason: string;
  impact: string;
  target: number;
  part: string;
  distance: number;
  damage: number;
  damage_events: { target: number; part: string; damage: number; reason: string }[];
  agrees: boolean;
  /** Whether the shot is the end of a projectile's flight. */
  projectile_end: boolean;
  eye: [number, number, number];
  point: [number, number, number];
}

interface Kill {
  t: number;
  killer: number;
  victim: number;
  /** Number of the weapon, from 1; 0 for none. */
  weapon: number;
  head: boolean;
  distance: number;
}

/** Downloads the info; undefined if the server has no recording. */
export async function fetchInfo(server: URL): Promise<Info | undefined> {
  const reply = await fetch(new URL("/replay/info.json", server), { cache: "no-store" });
  if (!reply.ok || !(reply.headers.get("content-type") ?? "").includes("json")) return undefined;
  const info = (await reply.json()) as Info;
  for (const list of ["weapons", "players", "shots", "kills"] as const) info[list] ??= []; // Go encodes an empty list as null
  return info;
}

/** Returns the player with a number at a time, or at the nearest time. */
export function presenceOf(info: Info, id: number, time: number): Presence | undefined {
  let best: Presence | undefined;
  for (const stay of info.players) {
    if (stay.id !== id) continue;
    if (stay.from <= time && time <= stay.to) return stay;
    if (best === undefined || away(stay, time) < away(best, time)) best = stay;
  }
  return best;
}

function away(stay: Presence, time: number): number {
  return Math.max(stay.from - time, time - stay.to);
}

/** Returns the name of a player at a time. */
export function nameAt(info: Info, id: number, time: number): string {
  return presenceOf(info, id, time)?.name ?? `Player ${id}`;
}

/** Returns the name of a player. */
type NameOf = (id: number) => string;

/** Returns the text of a receipt; without a weapon name it is omitted. */
export function receiptText(shot: Shot, name: NameOf, weapon = ""): string {
  const shooter = weapon === "" ? name(shot.shooter) : `${name(shot.shooter)} (${weapon})`;
  const reason = shot.reason === "" ? "" : ` (${shot.reason})`;
  if (shot.verdict === "refused") return `${shooter}: refused${reason}`;
  if (shot.verdict === "launched") return `${name(shot.shooter)} fired a ${weapon === "" ? "projectile" : weapon}`;
  const client = shot.projectile_end ? "" : shot.agrees ? "; client agreed" : "; client disagreed";
  const ago = (time: number): string => `${Math.round((shot.t - time) * 1000)} ms`;
  const view = `rewound ${ago(shot.view_granted)}${shot.view_requested === shot.view_granted ? "" : `, requested ${ago(shot.view_requested)}`}`;
  return `${shooter} ${hitText(shot, name)}${reason}; ${view}${client}`;
}

function hitText(shot: Shot, name: NameOf): string {
  const distance = shot.projectile_end ? "" : `, ${shot.distance.toFixed(1)} m`;
  const others = shot.damage_events.filter((h) => h.target !== shot.target).map((h) => `, ${name(h.target)}: ${h.damage} damage`).join("");
  switch (shot.impact) {
    case "player":
      return `hit ${name(shot.target)}, ${shot.part}${distance}: ${shot.damage} damage${others}`;
    case "world":
      return `hit the level${distance}${others}`;
    default:
      return `hit nothing${others}`;
  }
}

/** Returns the text of a kill. */
export function killText(kill: Kill, name: NameOf, weapon = ""): string {
  if (kill.killer === 0 || kill.killer === kill.victim) return `${name(kill.victim)} ${weapon === "" ? "fell" : `died by their own ${weapon}`}`;
  const killer = weapon === "" ? name(kill.killer) : `${name(kill.killer)} (${weapon})`;
  return `${killer} killed ${name(kill.victim)}${kill.head ? ", headshot" : ""}, ${kill.distance.toFixed(1)} m`;
}

/** One entry of the list. */
export interface Entry {
  t: number;
  /** For the colour: hit, miss, launched, refused, kill. */
  kind: string;
  shot: Shot | undefined;
  kill: Kill | undefined;
}

/** Returns all shots and kills in order; a kill follows its shot. */
export function entriesOf(info: Info): Entry[] {
  const shots = info.shots.map((shot): Entry => ({ t: shot.t, kind: shot.verdict, shot, kill: undefined }));
  const kills = info.kills.map((kill): Entry => ({ t: kill.t, kind: "kill", shot: undefined, kill }));
  return [...shots, ...kills].sort((a, b) => a.t - b.t || Number(a.kill !== undefined) - Number(b.kill !== undefined));
}

/** Returns the index of the first entry after a time. */
export function firstAfter(entries: readonly { t: number }[], time: number): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.t ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** One row of the scoreboard. */
interface ScoreRow {
  id: number;
  name: string;
  /** As of Presence. */
  team: number;
  bot: boolean;
  kills: number;
  deaths: number;
}

/** Returns the players at a time with their scores, best first. */
export function scoresAt(info: Info, time: number): ScoreRow[] {
  const here = info.players.filter((p) => p.from <= time && time <= p.to);
  const lines = here.map((stay): ScoreRow => {
    const mine = info.kills.filter((k) => k.t >= stay.from && k.t <= time);
    return {
      id: stay.id, name: stay.name, team: stay.team, bot: stay.bot,
      kills: mine.filter((k) => k.killer === stay.id && k.victim !== stay.id).length,
      deaths: mine.filter((k) => k.victim === stay.id).length,
    };
  });
  return lines.sort((a, b) => b.kills - a.kills || a.deaths - b.deaths || a.id - b.id);
}

/** Formats a time as m:ss.t. */
export function clockText(time: number): string {
  const tenths = Math.floor(Math.max(time, 0) * 10 + 1e-6);
  const seconds = Math.floor(tenths / 10);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}.${tenths % 10}`;
}
