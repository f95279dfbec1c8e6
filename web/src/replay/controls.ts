// The controls of a replay: play, seek, speed, view, scores, and the list of shots. They only
// display and report; replay.ts decides. Start at ReplayControls.
import { make, setText } from "@backstep/three/parts";
import { playerColour, teamColour } from "../page/characters";
import { element } from "../page/dom";
import { teamOf } from "../page/events";
import { scoreTable } from "../page/panels";
import { labelOf } from "../page/roster";
import { clockText, entriesOf, firstAfter, killText, nameAt, receiptText, scoresAt, type Entry, type Info } from "./info";

const UPDATE_MS = 200; // ms between two updates of list and scores
const ROWS_BEFORE = 24; // entries listed before the current time
const ROWS_AFTER = 16; // and after it
const SPEEDS = [0.25, 0.5, 1, 2, 4];

/** Colours of the marks on the timeline. */
const MARK_COLOURS: Readonly<Record<string, string>> = { kill: "#ff5a4f", hit: "#ffb454", miss: "#5a7086", launched: "#5a7086", refused: "#c06bff" };

/** Filters of the list; the first is selected at the start. */
const FILTERS: Readonly<Record<string, (e: Entry, view: number) => boolean>> = {
  "hits and kills": (e) => e.kind === "hit" || e.kind === "kill",
  "all shots": () => true,
  "client disagreed": (e) => e.shot?.agrees === false && !e.shot.projectile_end && e.kind !== "launched",
  "refused": (e) => e.kind === "refused",
  "current view": (e, view) => view === 0 || e.shot?.shooter === view || e.shot?.target === view || e.kill?.killer === view || e.kill?.victim === view,
};

/** Actions of the controls. */
interface ReplayActions {
  play(on: boolean): void;
  seek(time: number): void;
  speed(times: number): void;
  /** Selects a player's view; 0 is the free camera. */
  view(id: number): void;
  /** Shows an entry of the list. */
  select(entry: Entry): void;
}

/** The state of the playback. */
interface PlaybackState {
  time: number;
  playing: boolean;
  speed: number;
  view: number;
  /** The current error; empty if none. */
  error: string;
}

/** The controls below and beside the scene. */
export class ReplayControls {
  private readonly root = element("replay");
  private readonly play = element<HTMLButtonElement>("replay-play");
  private readonly clock = element("replay-time");
  private readonly seek = element<HTMLInputElement>("replay-seek");
  private readonly marks = element<HTMLCanvasElement>("replay-marks");
  private readonly speed = element<HTMLSelectElement>("replay-speed");
  private readonly view = element<HTMLSelectElement>("replay-view");
  private readonly filter = element<HTMLSelectElement>("replay-filter");
  private readonly list = element("replay-list");
  private readonly scores = element("replay-scores");
  private readonly status = element("replay-status");
  private readonly crosshair = element("replay-crosshair");
  private readonly entries: readonly Entry[];
  private next = 0;
  private listed = "";
  private views = "";
  private selected: Entry | undefined;
  private readonly mouse = matchMedia("(hover: hover)"); // a finger leaves the list hovered

  constructor(private readonly info: Info, private readonly actions: ReplayActions) {
    this.entries = entriesOf(info);
    this.root.hidden = false;
    this.seek.max = String(info.duration);
    this.speed.replaceChildren(...SPEEDS.map((s) => option(String(s), `× ${s}`)));
    this.filter.replaceChildren(...Object.keys(FILTERS).map((name) => option(name, name)));
    const [problems, file] = [problemsOf(info).join(" · "), fileText(info)];
    const about = element("replay-about");
    setText(about, problems === "" ? file : `${problems} · ${file}`);
    about.title = `${file}\n${problems}`;
    about.classList.toggle("error", problems !== "");
    this.listen();
    this.paint();
  }

  private listen(): void {
    const { actions } = this;
    this.play.addEventListener("click", () => actions.play(this.play.dataset["playing"] !== "yes"));
    this.seek.addEventListener("input", () => actions.seek(Number(this.seek.value)));
    this.seek.addEventListener("change", () => this.seek.blur());
    this.speed.addEventListener("change", () => (actions.speed(Number(this.speed.value)), this.speed.blur()));
    this.view.addEventListener("change", () => (actions.view(Number(this.view.value)), this.view.blur()));
    this.filter.addEventListener("change", () => ((this.next = 0), this.filter.blur()));
    this.list.addEventListener("click", (e) => this.click(e));
    window.addEventListener("resize", () => this.paint());
  }

  /** Displays the state; now in milliseconds. */
  show(state: PlaybackState, now: number): void {
    setText(this.clock, `${clockText(state.time)} / ${clockText(this.info.duration)}`);
    this.seek.value = String(state.time);
    if (this.play.dataset["playing"] !== (state.playing ? "yes" : "no")) {
      this.play.dataset["playing"] = state.playing ? "yes" : "no";
      setText(this.play, state.playing ? "❚❚" : "▶");
      this.play.setAttribute("aria-label", state.playing ? "Pause" : "Play");
    }
    this.speed.value = String(state.speed);
    setText(this.status, state.error);
    this.status.hidden = state.error === "";
    this.crosshair.hidden = state.view === 0;
    if (now < this.next) return;
    this.next = now + UPDATE_MS;
    this.showViews(state);
    this.showScores(state);
    this.showList(state);
  }

  /** Selects an entry of the list; undefined clears the selection. */
  select(entry: Entry | undefined): void {
    this.selected = entry;
    this.next = 0;
    this.listed = "";
  }

  /** Returns the entries after one time, up to another. */
  entriesBetween(from: number, to: number): Entry[] {
    return this.entries.slice(firstAfter(this.entries, from), firstAfter(this.entries, to));
  }

  private click(e: MouseEvent): void {
    const row = (e.target as HTMLElement).closest("li");
    const entry = this.entries[Number(row?.dataset["entry"] ?? -1)];
    if (entry !== undefined) this.actions.select(entry);
  }

  private showViews(state: PlaybackState): void {
    const here = this.info.players.filter((p) => p.from <= state.time && state.time <= p.to);
    const text = here.map((p) => `${p.id} ${p.name}`).join("\n");
    if (text !== this.views) {
      this.views = text;
      this.view.replaceChildren(option("0", "free camera"), ...here.map((p) => option(String(p.id), p.name)));
    }
    this.view.value = String(state.view);
  }

  private showScores(state: PlaybackState): void {
    const rows = scoresAt(this.info, state.time).map(({ id, name, team: number, kills, deaths }) => {
      const team = teamOf(number);
      return { name: labelOf(name, team), kills, deaths, colour: (team === "" ? playerColour(id) : teamColour(team)).getStyle(), className: id === state.view ? "self" : "" };
    });
    this.scores.replaceChildren(scoreTable(rows));
  }

  private showList(state: PlaybackState): void {
    const matches = FILTERS[this.filter.value] ?? (() => true);
    const matching: number[] = [];
    this.entries.forEach((e, i) => {
      if (matches(e, state.view)) matching.push(i);
    });
    const here = firstAfter(matching.map((i) => ({ t: this.entries[i]?.t ?? 0 })), state.time);
    const shown = matching.slice(Math.max(0, here - ROWS_BEFORE), here + ROWS_AFTER);
    const key = `${here} ${shown[0]} ${shown.length} ${this.filter.value} ${state.view}`;
    if (key === this.listed || (this.list.matches(":hover") && this.listed !== "" && this.mouse.matches)) return;
    this.listed = key;
    this.list.replaceChildren(...shown.map((i) => this.row(i, state.time)));
    if (shown.length === 0) this.list.append(make("li", "no matching shots"));
    const current = this.list.querySelector<HTMLElement>(".selected") ?? [...this.list.querySelectorAll<HTMLElement>(".past")].pop();
    if (current !== undefined) this.list.scrollTop = current.offsetTop - this.list.clientHeight / 2;
  }

  private row(i: number, time: number): HTMLElement {
    const entry = this.entries[i];
    const row = make("li");
    if (entry === undefined) return row;
    const name = (id: number): string => nameAt(this.info, id, entry.t);
    row.dataset["entry"] = String(i);
    row.dataset["kind"] = entry.kind;
    row.classList.toggle("past", entry.t <= time);
    row.classList.toggle("selected", entry === this.selected);
    row.classList.toggle("differs", entry.shot?.agrees === false && !entry.shot.projectile_end && entry.kind !== "launched");
    const text = entry.shot !== undefined ? receiptText(entry.shot, name, this.weapon(entry.shot.weapon)) : entry.kill !== undefined ? killText(entry.kill, name, this.weapon(entry.kill.weapon - 1)) : "";
    row.append(make("time", clockText(entry.t)), make("span", text));
    return row;
  }

  private weapon(index: number): string {
    return this.info.weapons[index]?.name ?? "";
  }

  /** Paints a mark on the timeline for each shot and kill. */
  private paint(): void {
    const { marks } = this;
    marks.width = Math.max(marks.clientWidth, 1);
    marks.height = Math.max(marks.clientHeight, 1);
    const context = marks.getContext("2d");
    if (context === null || this.info.duration <= 0) return;
    for (const kind of ["miss", "launched", "refused", "hit", "kill"]) { // the most important last, on top
      context.fillStyle = MARK_COLOURS[kind] ?? "#ffffff";
      const height = kind === "kill" ? marks.height : marks.height * 0.6;
      for (const entry of this.entries) {
        if (entry.kind === kind) context.fillRect((entry.t / this.info.duration) * marks.width - 1, marks.height - height, kind === "kill" ? 2 : 1, height);
      }
    }
  }
}

function option(value: string, text: string): HTMLOptionElement {
  const option = make("option", text) as HTMLOptionElement;
  option.value = value;
  return option;
}

/** Returns a line about the file. */
function fileText(info: Info): string {
  return `${info.game}, ${info.match}, ${new Date(info.began).toLocaleString()}, ${info.program}`;
}

/** Returns what is missing or damaged. */
function problemsOf(info: Info): string[] {
  const parts: string[] = [];
  if (info.damage !== "") parts.push(info.damage);
  else if (!info.closed) parts.push("incomplete: the server stopped while recording");
  if (info.model === "") parts.push("no level model: pass --level");
  if (info.ticks_lost > 0) parts.push(`${info.ticks_lost} ticks missing`);
  return parts;
}
