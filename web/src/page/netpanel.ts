// The network's figures (F3): what the line is like, how the moves ride on it, and the
// last corrections with their causes. Start at NetPanel.
import type { NetView, RemoteView } from "../client/index";
import { causes, CorrectionLog, describe, length, type Dated } from "./corrections";
import { element, make, setText } from "./dom";

/** What the panel shows beside the core's own figures. */
export interface Surroundings {
  road: string;
  fps: number;
  frameCost: number;
  quality: string;
}

const EVERY = 500; // ms
const LINES = 8;
const WORDS = ["bad", "poor", "fair", "good", "fine"];

/** What is counted since joining, at a time in milliseconds. */
export interface Totals {
  at: number;
  bytesUp: number;
  bytesDown: number;
  datagramsUp: number;
  datagramsDown: number;
  made: number;
  combined: number;
  sent: number;
  resent: number;
}

const NONE: Totals = {
  at: 0, bytesUp: 0, bytesDown: 0, datagramsUp: 0, datagramsDown: 0, made: 0, combined: 0, sent: 0, resent: 0,
};

/** What was counted between two times, each a second; all zero where a new session
 * began meanwhile. */
export function rates(from: Totals, to: Totals): Totals {
  const seconds = (to.at - from.at) / 1000;
  const per = { ...to };
  for (const key of Object.keys(per) as (keyof Totals)[]) {
    if (to[key] < from[key] || seconds <= 0) return { ...NONE };
    per[key] = (to[key] - from[key]) / seconds;
  }
  return per;
}

/** The panel, twice a second. */
export class NetPanel {
  private readonly root = element("net");
  private readonly figures = new Figures(element("net-figures"));
  private readonly causes = element("net-causes");
  private readonly list = element("net-corrections");
  private readonly lines = Array.from({ length: LINES }, () => new CorrectionLine());
  private log = new CorrectionLog();
  private next = 0;
  private last = NONE;

  constructor() {
    this.list.append(...this.lines.map((line) => line.row));
  }

  toggle(): void {
    this.root.hidden = !this.root.hidden;
    this.next = 0;
  }

  /** Shows the corrections of that log from now on. */
  follow(log: CorrectionLog): void {
    this.log = log;
    this.last = NONE;
    this.next = 0;
  }

  update(net: NetView, remotes: RemoteView, around: Surroundings, now: number): void {
    if (this.root.hidden || now < this.next) return;
    this.next = now + EVERY;
    const totals = totalsOf(net, now);
    const per = this.last.at === 0 ? { ...NONE } : rates(this.last, totals);
    this.last = totals;
    this.figures.show([...lineRows(net, around, per), ...moveRows(net, remotes, around, per)]);
    const farthest = net.correction > 0 ? `, up to ${length(net.correction)}` : "";
    setText(this.causes, causes((i) => net.caused(i)) + farthest);
    this.lines.forEach((line, i) => line.show(this.log.list[i], performance.now()));
  }
}

function totalsOf(net: NetView, at: number): Totals {
  const { bytesUp, bytesDown, datagramsUp, datagramsDown, made, combined, sent, resent } = net;
  return { at, bytesUp, bytesDown, datagramsUp, datagramsDown, made, combined, sent, resent };
}

type Row = [name: string, value: string];

/** Milliseconds to read: one decimal below ten. */
function milli(seconds: number): string {
  const value = seconds * 1000;
  return value.toFixed(value < 9.95 ? 1 : 0);
}

function lineRows(net: NetView, around: Surroundings, per: Totals): Row[] {
  const percent = (share: number): string => (share * 100).toFixed(share > 0 && share < 0.0995 ? 1 : 0);
  return [
    ["transport", around.road],
    ["quality", `${net.quality} of 4, ${WORDS[net.quality] ?? ""}`],
    ["round trip", `${milli(net.rtt)} ms`],
    ["jitter", `${milli(net.jitter)} ms`],
    ["one way", `↑ ${milli(net.wayUp)}  ↓ ${milli(net.wayDown)} ms`],
    ["split unsure", `± ${milli(net.doubt)} ms`],
    ["loss", `↑ ${percent(net.lossUp)} %  ↓ ${percent(net.loss)} %`],
    ["packets", `↑ ${per.datagramsUp.toFixed(0)}/s  ↓ ${per.datagramsDown.toFixed(0)}/s`],
    ["payload", `↑ ${(per.bytesUp / 1000).toFixed(2)}  ↓ ${(per.bytesDown / 1000).toFixed(2)} kB/s`],
    ["clock drift", `${net.drift > 0 ? "+" : ""}${net.drift.toFixed(0)} ppm`],
    ["view delay", `${milli(net.viewDelay)} ms`],
  ];
}

function moveRows(net: NetView, remotes: RemoteView, around: Surroundings, per: Totals): Row[] {
  const frames = per.made + per.combined;
  const combined = frames > 0 ? (100 * per.combined) / frames : 0;
  const rides = per.sent > 0 ? ((per.sent + per.resent) / per.sent).toFixed(1) : "–";
  return [
    ["moves", `${per.made.toFixed(0)}/s, ${combined.toFixed(0)} % combined`],
    ["each rides in", `${rides} packets`],
    ["unanswered", `${net.pending} moves`],
    ["held back", net.inputDelay > 0 ? `${milli(net.inputDelay)} ms by the server` : "not"],
    ["shots judged", `${net.confirmed} as seen, ${net.contradicted} not`],
    ["others", `${remotes.count}`],
    ["server tick", `${net.tick}`],
    ["core", `${around.frameCost.toFixed(2)} ms a frame`],
    ["pictures", `${around.fps.toFixed(0)}/s, ${around.quality}`],
  ];
}

/** Rows of a name and a value. */
class Figures {
  private readonly values: HTMLElement[] = [];

  constructor(private readonly root: HTMLElement) {}

  show(rows: Row[]): void {
    rows.forEach(([name, value], i) => setText(this.values[i] ?? this.add(name), value));
  }

  private add(name: string): HTMLElement {
    const value = make("dd");
    const row = make("div");
    row.append(make("dt", name), value);
    this.root.append(row);
    this.values.push(value);
    return value;
  }
}

/** One line of the list of corrections. */
class CorrectionLine {
  readonly row = make("li");
  private readonly cells = ["ago", "cause", "distance", "fields", "replayed"].map((name) => make("span", "", name));

  constructor() {
    this.row.append(...this.cells);
    this.row.hidden = true;
  }

  show(c: Dated | undefined, now: number): void {
    this.row.hidden = c === undefined;
    if (c === undefined) return;
    const line = describe(c, now);
    const texts = [line.ago, line.cause, line.distance, line.fields, line.replayed];
    this.cells.forEach((cell, i) => setText(cell, texts[i] ?? ""));
    this.row.dataset.cause = line.cause;
  }
}
