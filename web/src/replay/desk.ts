// The desk of a recording: play, seek, speed, whose view, who leads, and the list of
// shots. It asks and shows; replay.ts decides. Start at Desk.
import { element, make, setText } from "../page/dom";
import { playerColour } from "../page/figures";
import { firstAfter, clockText, entriesOf, killText, nameAt, receiptText, scoresAt, type Entry, type Info } from "./info";

const UPDATE_MS = 200; // ms between two looks at list and scores
const ROWS_BEFORE = 24; // entries listed ahead of the time
const ROWS_AFTER = 16; // and after it
const SPEEDS = [0.25, 0.5, 1, 2, 4];

/** The colours of the marks. */
const MARK_COLOURS: Readonly<Record<string, string>> = { kill: "#ff5a4f", hit: "#ffb454", miss: "#5a7086", launched: "#5a7086", refused: "#c06bff" };

/** Which shots are listed. */
const FILTERS: Readonly<Record<string, (e: Entry, view: number) => boolean>> = {
  "all shots": () => true,
  "hits and kills": (e) => e.kind === "hit" || e.kind === "kill",
  "screen disagreed": (e) => e.shot?.agrees === false && !e.shot.flew && e.kind !== "launched",
  "refused": (e) => e.kind === "refused",
  "of whom I watch": (e, view) => view === 0 || e.shot?.shooter === view || e.shot?.target === view || e.kill?.killer === view || e.kill?.victim === view,
};

/** What somebody at the desk asks for. */
export interface ReplayActions {
  play(on: boolean): void;
  seek(time: number): void;
  speed(times: number): void;
  /** Whose view; 0 flies freely. */
  view(id: number): void;
  /** To look at an entry of the list. */
  pick(entry: Entry): void;
}

/** How the recording is looked at. */
export interface PlaybackState {
  time: number;
  playing: boolean;
  speed: number;
  view: number;
  /** What is wrong just now; empty where nothing is. */
  error: string;
}

/** The controls below and beside the picture. */
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
  private readonly status = element("replay-said");
  private readonly aim = element("replay-aim");
  private readonly entries: readonly Entry[];
  private next = 0;
  private listed = "";
  private views = "";
  private picked: Entry | undefined;

  constructor(private readonly info: Info, private readonly actions: ReplayActions) {
    this.entries = entriesOf(info);
    this.root.hidden = false;
    this.seek.max = String(info.duration);
    this.speed.replaceChildren(...SPEEDS.map((s) => option(String(s), `× ${s}`)));
    this.filter.replaceChildren(...Object.keys(FILTERS).map((name) => option(name, name)));
    const [wrong, file] = [problemsOf(info).join(" · "), fileText(info)];
    setText(element("replay-about"), wrong === "" ? file : `${wrong} · ${file}`);
    element("replay-about").title = `${file}\n${wrong}`;
    element("replay-about").classList.toggle("wrong", wrong !== "");
    this.listen();
    this.paint();
  }

  private listen(): void {
    const { actions: orders } = this;
    this.play.addEventListener("click", () => orders.play(this.play.dataset["playing"] !== "yes"));
    this.seek.addEventListener("input", () => orders.seek(Number(this.seek.value)));
    this.seek.addEventListener("change", () => this.seek.blur());
    this.speed.addEventListener("change", () => (orders.speed(Number(this.speed.value)), this.speed.blur()));
    this.view.addEventListener("change", () => (orders.view(Number(this.view.value)), this.view.blur()));
    this.filter.addEventListener("change", () => ((this.next = 0), this.filter.blur()));
    this.list.addEventListener("click", (e) => this.click(e));
    window.addEventListener("resize", () => this.paint());
  }

  /** Shows how it is looked at; now in milliseconds. */
  show(looking: PlaybackState, now: number): void {
    setText(this.clock, `${clockText(looking.time)} / ${clockText(this.info.duration)}`);
    this.seek.value = String(looking.time);
    if (this.play.dataset["playing"] !== (looking.playing ? "yes" : "no")) {
      this.play.dataset["playing"] = looking.playing ? "yes" : "no";
      setText(this.play, looking.playing ? "❚❚" : "▶");
      this.play.setAttribute("aria-label", looking.playing ? "Pause" : "Play");
    }
    this.speed.value = String(looking.speed);
    setText(this.status, looking.error);
    this.status.hidden = looking.error === "";
    this.aim.hidden = looking.view === 0;
    if (now < this.next) return;
    this.next = now + UPDATE_MS;
    this.showViews(looking);
    this.showScores(looking);
    this.showList(looking);
  }

  /** Marks an entry of the list as the one that is looked at; undefined: none. */
  select(entry: Entry | undefined): void {
    this.picked = entry;
    this.next = 0;
    this.listed = "";
  }

  /** The entries after a time up to another. */
  entriesBetween(from: number, to: number): Entry[] {
    return this.entries.slice(firstAfter(this.entries, from), firstAfter(this.entries, to));
  }

  private click(e: MouseEvent): void {
    const row = (e.target as HTMLElement).closest("li");
    const entry = this.entries[Number(row?.dataset["entry"] ?? -1)];
    if (entry !== undefined) this.actions.pick(entry);
  }

  private showViews(looking: PlaybackState): void {
    const here = this.info.players.filter((p) => p.from <= looking.time && looking.time <= p.to);
    const text = here.map((p) => `${p.id} ${p.name}`).join("\n");
    if (text !== this.views) {
      this.views = text;
      this.view.replaceChildren(option("0", "free camera"), ...here.map((p) => option(String(p.id), p.name)));
    }
    this.view.value = String(looking.view);
  }

  private showScores(looking: PlaybackState): void {
    const rows = scoresAt(this.info, looking.time).map((line) => {
      const row = make("tr", "", line.id === looking.view ? "self" : "");
      const name = make("td", line.name);
      const dot = make("span", "", "dot");
      dot.style.background = playerColour(line.id).getStyle();
      name.prepend(dot);
      row.append(name, make("td", String(line.kills)), make("td", String(line.deaths)));
      return row;
    });
    const head = make("tr");
    head.append(make("th", "Player"), make("th", "Kills"), make("th", "Deaths"));
    const table = make("table");
    table.append(head, ...rows);
    this.scores.replaceChildren(table);
  }

  private showList(looking: PlaybackState): void {
    const wanted = FILTERS[this.filter.value] ?? (() => true);
    const chosen: number[] = [];
    this.entries.forEach((e, i) => {
      if (wanted(e, looking.view)) chosen.push(i);
    });
    const here = firstAfter(chosen.map((i) => ({ t: this.entries[i]?.t ?? 0 })), looking.time);
    const shown = chosen.slice(Math.max(0, here - ROWS_BEFORE), here + ROWS_AFTER);
    const key = `${here} ${shown[0]} ${shown.length} ${this.filter.value}`;
    if (key === this.listed || (this.list.matches(":hover") && this.listed !== "")) return;
    this.listed = key;
    this.list.replaceChildren(...shown.map((i) => this.row(i, looking.time)));
    if (shown.length === 0) this.list.append(make("li", "none in this recording"));
    const current = this.list.querySelector<HTMLElement>(".picked") ?? [...this.list.querySelectorAll<HTMLElement>(".past")].pop();
    if (current !== undefined) this.list.scrollTop = current.offsetTop - this.list.clientHeight / 2;
  }

  private row(i: number, time: number): HTMLElement {
    const entry = this.entries[i];
    const row = make("li");
    if (entry === undefined) return row;
    const name = (id: number): string => nameAt(this.info, id, entry.t);
    row.dataset["entry"] = String(i);
    row.dataset["sort"] = entry.kind;
    row.classList.toggle("past", entry.t <= time);
    row.classList.toggle("picked", entry === this.picked);
    row.classList.toggle("differs", entry.shot?.agrees === false && !entry.shot.flew && entry.kind !== "launched");
    const text = entry.shot !== undefined ? receiptText(entry.shot, name, this.weapon(entry.shot.weapon)) : entry.kill !== undefined ? killText(entry.kill, name, this.weapon(entry.kill.weapon - 1)) : "";
    row.append(make("time", clockText(entry.t)), make("span", text));
    return row;
  }

  private weapon(index: number): string {
    return this.info.weapons[index]?.name ?? "";
  }

  /** Paints a mark for each shot and kill. */
  private paint(): void {
    const { marks } = this;
    marks.width = Math.max(marks.clientWidth, 1);
    marks.height = Math.max(marks.clientHeight, 1);
    const paint = marks.getContext("2d");
    if (paint === null || this.info.duration <= 0) return;
    for (const sort of ["miss", "launched", "refused", "hit", "kill"]) { // what counts most on top
      paint.fillStyle = MARK_COLOURS[sort] ?? "#ffffff";
      const height = sort === "kill" ? marks.height : marks.height * 0.6;
      for (const entry of this.entries) {
        if (entry.kind === sort) paint.fillRect((entry.t / this.info.duration) * marks.width - 1, marks.height - height, sort === "kill" ? 2 : 1, height);
      }
    }
  }
}

function option(value: string, text: string): HTMLOptionElement {
  const made = make("option", text) as HTMLOptionElement;
  made.value = value;
  return made;
}

/** One line on the file. */
function fileText(info: Info): string {
  return `${info.game}, ${info.match}, ${new Date(info.began).toLocaleString()}, ${info.program}`;
}

/** What is missing of it. */
function problemsOf(info: Info): string[] {
  const parts: string[] = [];
  if (info.damage !== "") parts.push(info.damage);
  else if (!info.closed) parts.push("not closed: its program ended first");
  if (info.glb === "") parts.push("the level's model is not known here: name it by --level");
  if (info.lost > 0) parts.push(`${info.lost} ticks are missing`);
  return parts;
}
