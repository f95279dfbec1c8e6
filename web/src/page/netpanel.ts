// The network's figures (F3): what the line is like, how the moves ride on it, and the
// last corrections with their causes. Start at NetPanel.
import type { NetView, RemoteView } from "../client/index";
import { causesText, CorrectionLog, correctionRow, lengthText, type TimedCorrection } from "./corrections";
import { element, make, setText } from "./dom";

/** What the panel shows beside the core's own figures. */
export interface FrameStats {
  transport: string;
  fps: number;
  coreTime: number;
  quality: string;
}

const UPDATE_MS = 500; // ms
const MAX_ROWS = 8;
const QUALITY_NAMES = ["bad", "poor", "fair", "good", "fine"];

/** What is counted since joining, at a time in milliseconds. */
export interface Totals {
  at: number;
  bytesUp: number;
  bytesDown: number;
  datagramsUp: number;
  datagramsDown: number;
  moves: number;
  combined: number;
  sent: number;
  resent: number;
}

const NONE: Totals = {
  at: 0, bytesUp: 0, bytesDown: 0, datagramsUp: 0, datagramsDown: 0, moves: 0, combined: 0, sent: 0, resent: 0,
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
  private readonly stats = new StatList(element("net-figures"));
  private readonly causes = element("net-causes");
  private readonly list = element("net-corrections");
  private readonly items = Array.from({ length: MAX_ROWS }, () => new CorrectionItem());
  private log = new CorrectionLog();
  private next = 0;
  private last = NONE;

  constructor() {
    this.list.append(...this.items.map((line) => line.row));
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

  update(net: NetView, remotes: RemoteView, stats: FrameStats, now: number): void {
    if (this.root.hidden || now < this.next) return;
    this.next = now + UPDATE_MS;
    const totals = totalsOf(net, now);
    const per = this.last.at === 0 ? { ...NONE } : rates(this.last, totals);
    this.last = totals;
    this.stats.show([...linkRows(net, stats, per), ...moveRows(net, remotes, stats, per)]);
    const farthest = net.largestCorrection > 0 ? `, up to ${lengthText(net.largestCorrection)}` : "";
    setText(this.causes, causesText((i) => net.correctionsBy(i)) + farthest);
    this.items.forEach((line, i) => line.show(this.log.list[i], performance.now()));
  }
}

function totalsOf(net: NetView, at: number): Totals {
  const { bytesUp, bytesDown, datagramsUp, datagramsDown, moves: made, combined, sent, resent } = net;
  return { at, bytesUp, bytesDown, datagramsUp, datagramsDown, moves: made, combined, sent, resent };
}

type Row = [name: string, value: string];

/** Milliseconds to read: one decimal below ten. */
function millis(seconds: number): string {
  const value = seconds * 1000;
  return value.toFixed(value < 9.95 ? 1 : 0);
}

function linkRows(net: NetView, stats: FrameStats, per: Totals): Row[] {
  const percent = (share: number): string => (share * 100).toFixed(share > 0 && share < 0.0995 ? 1 : 0);
  return [
    ["transport", stats.transport],
    ["quality", `${net.quality} of 4, ${QUALITY_NAMES[net.quality] ?? ""}`],
    ["round trip", `${millis(net.rtt)} ms`],
    ["jitter", `${millis(net.jitter)} ms`],
    ["one way", `↑ ${millis(net.latencyUp)}  ↓ ${millis(net.latencyDown)} ms`],
    ["split unsure", `± ${millis(net.clockUncertainty)} ms`],
    ["loss", `↑ ${percent(net.lossUp)} %  ↓ ${percent(net.lossDown)} %`],
    ["packets", `↑ ${per.datagramsUp.toFixed(0)}/s  ↓ ${per.datagramsDown.toFixed(0)}/s`],
    ["payload", `↑ ${(per.bytesUp / 1000).toFixed(2)}  ↓ ${(per.bytesDown / 1000).toFixed(2)} kB/s`],
    ["clock drift", `${net.clockDrift > 0 ? "+" : ""}${net.clockDrift.toFixed(0)} ppm`],
    ["view delay", `${millis(net.interpolationDelay)} ms`],
  ];
}

function moveRows(net: NetView, remotes: RemoteView, stats: FrameStats, per: Totals): Row[] {
  const frames = per.moves + per.combined;
  const combined = frames > 0 ? (100 * per.combined) / frames : 0;
  const rides = per.sent > 0 ? ((per.sent + per.resent) / per.sent).toFixed(1) : "–";
  return [
    ["moves", `${per.moves.toFixed(0)}/s, ${combined.toFixed(0)} % combined`],
    ["each rides in", `${rides} packets`],
    ["unanswered", `${net.unacknowledged} moves`],
    ["held back", net.inputDelay > 0 ? `${millis(net.inputDelay)} ms by the server` : "not"],
    ["shots judged", `${net.shotsConfirmed} as seen, ${net.shotsMispredicted} not`],
    ["others", `${remotes.count}`],
    ["server tick", `${net.tick}`],
    ["core", `${stats.coreTime.toFixed(2)} ms a frame`],
    ["pictures", `${stats.fps.toFixed(0)}/s, ${stats.quality}`],
  ];
}

/** Rows of a name and a value. */
class StatList {
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
class CorrectionItem {
  readonly row = make("li");
  private readonly cells = ["ago", "cause", "distance", "fields", "replayed"].map((name) => make("span", "", name));

  constructor() {
    this.row.append(...this.cells);
    this.row.hidden = true;
  }

  show(c: TimedCorrection | undefined, now: number): void {
    this.row.hidden = c === undefined;
    if (c === undefined) return;
    const line = correctionRow(c, now);
    const texts = [line.ago, line.cause, line.distance, line.fields, line.replayed];
    this.cells.forEach((cell, i) => setText(cell, texts[i] ?? ""));
    this.row.dataset.cause = line.cause;
  }
}
