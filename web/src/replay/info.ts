// What there is in a recording beside its frames, and how to say it. Start at Info.

/** The answer of /replay/info.json; docs/recording.md says what each field is. */
export interface Info {
  game: string;
  match: string;
  began: string;
  program: string;
  level: string;
  world: string;
  glb: string;
  tick_rate: number;
  ticks: number;
  duration: number;
  lost: number;
  closed: boolean;
  damage: string;
  weapons: { name: string; kind: string; blast: number }[];
  players: Presence[];
  shots: Shot[];
  kills: Kill[];
}

/** A player's time in the match. */
export interface Presence {
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
  view_asked: number;
  view_granted: number;
  verdict: string;
  reason: string;
  met: string;
  target: number;
  part: string;
  distance: number;
  damage: number;
  hurts: { target: number; part: string; damage: number; reason: string }[];
  agrees: boolean;
  /** Of where a projectile ended. */
  flew: boolean;
  eye: [number, number, number];
  point: [number, number, number];
}

export interface Kill {
  t: number;
  killer: number;
  victim: number;
  /** The number of the weapon, from 1; 0: none. */
  weapon: number;
  head: boolean;
  distance: number;
}

/** Fetches what there is; undefined where the server has no recording. */
export async function fetchInfo(server: URL): Promise<Info | undefined> {
  const reply = await fetch(new URL("/replay/info.json", server), { cache: "no-store" });
  if (!reply.ok || !(reply.headers.get("content-type") ?? "").includes("json")) return undefined;
  const info = (await reply.json()) as Info;
  for (const list of ["weapons", "players", "shots", "kills"] as const) info[list] ??= []; // nothing is null in Go's JSON
  return info;
}

/** Who had a number at a time, or nearest to it. */
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

/** The name of a player at a time. */
export function nameAt(info: Info, id: number, time: number): string {
  return presenceOf(info, id, time)?.name ?? `Player ${id}`;
}

/** Says who somebody is. */
export type NameOf = (id: number) => string;

/** What a receipt says, in words; the weapon is named where it is known. */
export function receiptText(shot: Shot, name: NameOf, weapon = ""): string {
  const who = weapon === "" ? name(shot.shooter) : `${name(shot.shooter)}, ${weapon},`;
  if (shot.verdict === "refused") return `${name(shot.shooter)}: ${weapon === "" ? "" : `${weapon} `}refused, ${shot.reason === "" ? "no reason given" : shot.reason}`;
  if (shot.verdict === "launched") return `${name(shot.shooter)} fired ${weapon === "" ? "something that flies" : `a ${weapon}`}`;
  const screen = shot.flew ? "" : shot.agrees ? "; the shooter's screen showed the same" : "; the shooter's screen showed something else";
  const distance = shot.flew ? "" : ` at ${shot.distance.toFixed(1)} m`;
  const back = shot.t - shot.view_granted;
  const view = `judged ${Math.round(back * 1000)} ms in the past${shot.view_asked === shot.view_granted ? "" : `, asked for ${Math.round((shot.t - shot.view_asked) * 1000)} ms`}`;
  const reason = shot.reason === "" ? "" : ` (${shot.reason})`;
  return `${who} ${hitText(shot, name, distance)}${reason}; ${view}${screen}`;
}

function hitText(shot: Shot, name: NameOf, distance: string): string {
  const others = shot.hurts.filter((h) => h.target !== shot.target).map((h) => `${name(h.target)}: ${h.damage}`).join(", ");
  switch (shot.met) {
    case "player":
      return `hit ${name(shot.target)}, ${shot.part}${distance === "" ? "" : `,${distance}`}: ${shot.damage} damage${others === "" ? "" : ` (${others})`}`;
    case "world":
      return `met the world${distance}${others === "" ? "" : `: ${others}`}`;
    default:
      return `met nothing${others === "" ? "" : `: ${others}`}`;
  }
}

/** What a kill says, in words. */
export function killText(kill: Kill, name: NameOf, weapon = ""): string {
  const own = weapon === "" ? "" : ` by the own ${weapon}`;
  if (kill.killer === 0 || kill.killer === kill.victim) return `${name(kill.victim)} fell${own}`;
  return `${name(kill.killer)} killed ${name(kill.victim)}${weapon === "" ? "" : ` with the ${weapon}`}${kill.head ? ", in the head," : ""} at ${kill.distance.toFixed(1)} m`;
}

/** One line of the list beside the picture. */
export interface Entry {
  t: number;
  /** What it is, for its colour: hit, miss, refused, kill. */
  kind: string;
  shot: Shot | undefined;
  kill: Kill | undefined;
}

/** All shots and kills, in order; a kill after the shot that made it. */
export function entriesOf(info: Info): Entry[] {
  const shots = info.shots.map((shot): Entry => ({ t: shot.t, kind: shot.verdict, shot, kill: undefined }));
  const kills = info.kills.map((kill): Entry => ({ t: kill.t, kind: "kill", shot: undefined, kill }));
  return [...shots, ...kills].sort((a, b) => a.t - b.t || Number(a.kill !== undefined) - Number(b.kill !== undefined));
}

/** The index of the first entry after a time. */
export function firstAfter(entries: readonly { t: number }[], time: number): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.t ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** One line of the scoreboard. */
export interface ScoreRow {
  id: number;
  name: string;
  bot: boolean;
  kills: number;
  deaths: number;
}

/** Who is there at a time and how they stand, best first. */
export function scoresAt(info: Info, time: number): ScoreRow[] {
  const here = info.players.filter((p) => p.from <= time && time <= p.to);
  const lines = here.map((stay): ScoreRow => {
    const mine = info.kills.filter((k) => k.t >= stay.from && k.t <= time);
    return {
      id: stay.id, name: stay.name, bot: stay.bot,
      kills: mine.filter((k) => k.killer === stay.id && k.victim !== stay.id).length,
      deaths: mine.filter((k) => k.victim === stay.id).length,
    };
  });
  return lines.sort((a, b) => b.kills - a.kills || a.deaths - b.deaths || a.id - b.id);
}

/** A time as m:ss.t. */
export function clockText(time: number): string {
  const tenths = Math.floor(Math.max(time, 0) * 10 + 1e-6);
  const seconds = Math.floor(tenths / 10);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}.${tenths % 10}`;
}
