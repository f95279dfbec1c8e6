// The network panel (F3): a verdict in one line, a graph of the last minute beside link statistics and
// moves, and the last corrections with their causes. Start at NetPanel.
import { causesText, CorrectionLog, correctionRow, lengthText, type TimedCorrection } from "./corrections.js";
import { addStyle, make, setText } from "./dom.js";
import { graphRows, paintNetGraph } from "./netgraph.js";
import { NetHistory, netVerdict } from "./netverdict.js";
import type { NetStats } from "./session.js";

/** Values shown besides the core's own statistics. */
export interface FrameStats {
  /** Number of other players. */
  others: number;
  /** Requested input delay, seconds. */
  inputDelay: number;
  transport: string;
  fps: number;
  coreTime: number;
  quality: string;
}

const UPDATE_MS = 500; // ms
const MAX_ROWS = 8;
const QUALITY_NAMES = ["very poor", "poor", "fair", "good", "excellent"];

/** Counters since joining, at a time in milliseconds. */
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

/** Returns the increase of each counter per second; all zero if a new session began in between. */
export function rates(from: Totals, to: Totals): Totals {
  const seconds = (to.at - from.at) / 1000;
  const per = { ...to };
  for (const key of Object.keys(per) as (keyof Totals)[]) {
    if (to[key] < from[key] || seconds <= 0) return { ...NONE };
    per[key] = (to[key] - from[key]) / seconds;
  }
  return per;
}

/** The network panel, updated twice a second. */
export class NetPanel {
  private readonly stats: StatList;
  private readonly verdict = make("p", "", "verdict");
  private readonly graph = document.createElement("canvas");
  private readonly history = new NetHistory();
  private readonly causes = make("span");
  private readonly items = Array.from({ length: MAX_ROWS }, () => new CorrectionItem());
  private log = new CorrectionLog();
  private next = 0;
  private last = NONE;

  /** Fills root, which is shown and hidden by toggle. */
  constructor(private readonly root: HTMLElement) {
    const [list, section, title, items] = [make("dl"), make("section"), make("h3", "Corrections "), make("ol")];
    this.stats = new StatList(list);
    title.append(this.causes);
    items.append(...this.items.map((item) => item.row));
    section.append(title, items);
    const figures = make("div", "", "figures");
    this.graph.setAttribute("role", "img");
    this.graph.setAttribute("aria-label", "Round trip, loss, corrections and buffers of the last minute");
    figures.append(this.graph, list);
    root.replaceChildren(this.verdict, figures, section);
    root.classList.add("backstep-net");
    root.hidden = true;
    addStyle();
  }

  /** Whether the panel is shown. */
  get shown(): boolean {
    return !this.root.hidden;
  }

  toggle(): void {
    this.root.hidden = !this.root.hidden;
    this.next = 0;
  }

  /** Shows the corrections of this log from now on. */
  follow(log: CorrectionLog): void {
    this.log = log;
    this.history.clear();
    this.last = NONE;
    this.next = 0;
  }

  /** Keeps the last minute, also while the panel is hidden, and shows it; now in milliseconds. */
  update(net: NetStats, stats: FrameStats, now: number): void {
    this.history.add(net, now);
    if (this.root.hidden || now < this.next) return;
    this.next = now + UPDATE_MS;
    const totals = totalsOf(net, now);
    const per = this.last.at === 0 ? { ...NONE } : rates(this.last, totals);
    this.last = totals;
    this.stats.show([...linkRows(net, stats, per), ...moveRows(net, stats, per)]);
    const { maxDistance } = net.moves;
    const largest = maxDistance > 0 ? `, up to ${lengthText(maxDistance)}` : "";
    setText(this.causes, causesText(net.moves) + largest);
    this.items.forEach((item, i) => item.show(this.log.list[i], performance.now()));
    this.showHistory(stats.fps, now);
  }

  private showHistory(fps: number, now: number): void {
    const { samples } = this.history;
    const { grade, text } = netVerdict(samples, fps);
    this.verdict.dataset["grade"] = grade;
    setText(this.verdict, text);
    const { graph } = this;
    const scale = Math.min(window.devicePixelRatio, 2);
    const [width, height] = [graph.clientWidth * scale, graph.clientHeight * scale].map(Math.round) as [number, number];
    if (graph.width !== width || graph.height !== height) Object.assign(graph, { width, height });
    const on = graph.getContext("2d");
    if (on !== null) paintNetGraph(on, graphRows(samples, now), scale);
  }
}

function totalsOf(net: NetStats, at: number): Totals {
  const { in: down, out: up } = net;
  const { made, combined, sent, resent } = net.moves;
  return { at, bytesUp: up.bytes, bytesDown: down.bytes, datagramsUp: up.datagrams, datagramsDown: down.datagrams, moves: made, combined, sent, resent };
}

type Row = [name: string, value: string];

/** Formats seconds as milliseconds, with one decimal below ten. */
function millis(seconds: number): string {
  const value = seconds * 1000;
  return value.toFixed(value < 9.95 ? 1 : 0);
}

function linkRows(net: NetStats, stats: FrameStats, per: Totals): Row[] {
  const percent = (share: number): string => (share * 100).toFixed(share > 0 && share < 0.0995 ? 1 : 0);
  return [
    ["transport", stats.transport],
    ["quality", `${net.quality} of 4, ${QUALITY_NAMES[net.quality] ?? ""}`],
    ["RTT", `${millis(net.rtt)} ms`],
    ["jitter", `${millis(net.jitter)} ms`],
    ["one-way latency", `↑ ${millis(net.up)}  ↓ ${millis(net.down)} ms`],
    ["clock uncertainty", `± ${millis(net.clockUncertainty)} ms`],
    ["packet loss", `↑ ${percent(net.lossUp)} %  ↓ ${percent(net.lossDown)} %`],
    ["packets", `↑ ${per.datagramsUp.toFixed(0)}/s  ↓ ${per.datagramsDown.toFixed(0)}/s`],
    ["bandwidth", `↑ ${(per.bytesUp / 1000).toFixed(2)}  ↓ ${(per.bytesDown / 1000).toFixed(2)} kB/s`],
    ["clock drift", `${net.drift > 0 ? "+" : ""}${net.drift.toFixed(0)} ppm`],
    ["interpolation delay", `${millis(net.viewDelay)} ms`],
  ];
}

function moveRows(net: NetStats, stats: FrameStats, per: Totals): Row[] {
  const { made, acked, dropped } = net.moves;
  const frames = per.moves + per.combined;
  const combined = frames > 0 ? (100 * per.combined) / frames : 0;
  const copies = per.sent > 0 ? ((per.sent + per.resent) / per.sent).toFixed(1) : "–";
  return [
    ["moves", `${per.moves.toFixed(0)}/s, ${combined.toFixed(0)} % combined`],
    ["redundancy", `${copies} packets/move`],
    ["unacknowledged", `${made - acked - dropped} moves`],
    ["input delay", stats.inputDelay > 0 ? `${millis(stats.inputDelay)} ms` : "off"],
    ["mispredicted shots", `${net.disagreed} of ${net.agreed + net.disagreed}`],
    ["other players", `${stats.others}`],
    ["server tick", `${net.tick}`],
    ["core", `${stats.coreTime.toFixed(2)} ms/frame`],
    ["fps", `${stats.fps.toFixed(0)}, ${stats.quality} quality`],
  ];
}

/** A list of names and values. */
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

/** One row of the list of corrections. */
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
