// A rolling graph of the network's last minute. Start at paintNetGraph.
import { font } from "./canvas.js";
import type { NetSample } from "./netverdict.js";

const SPAN = 60_000; // ms from the left edge to the right one
const LABEL = 15; // CSS pixels of text above each row
const GAP = 10;
const NARROW = 480; // CSS pixels

/** One row of the graph. */
interface Row {
  name: string;
  colour: string;
  /** The least that the row's height stands for. */
  least: number;
  value(sample: NetSample, before: NetSample): number;
  text(sample: NetSample): string;
  /** Drawn as bars of what is new in each sample. */
  bars?: boolean;
}

const millis = (seconds: number): string => `${Math.round(seconds * 1000)} ms`;
const loss = (s: NetSample): number => Math.max(s.lossUp, s.lossDown);

const ROWS: readonly Row[] = [
  { name: "round trip", colour: "#62d3ea", least: 0.1, value: (s) => s.rtt, text: (s) => millis(s.rtt) },
  { name: "loss", colour: "#ff8d80", least: 0.05, value: loss, text: (s) => `${(loss(s) * 100).toFixed(1)} %` },
  { name: "corrections", colour: "#ffb454", least: 2, value: (s, before) => Math.max(0, s.corrections - before.corrections), text: () => "", bars: true },
  { name: "buffers", colour: "#9be28a", least: 0.2, value: (s) => s.buffer, text: (s) => `${millis(s.buffer)}, ${s.unacknowledged} moves` },
];

/** A row as it is drawn: its label, and a point for each sample, shares of its width and height. */
export interface GraphRow {
  label: string;
  colour: string;
  bars: boolean;
  points: [x: number, y: number][];
}

/** Returns the rows of a graph that ends now, milliseconds. */
export function graphRows(samples: readonly NetSample[], now: number): GraphRow[] {
  const last = samples.at(-1);
  return ROWS.map(({ name, colour, least, value, text, bars = false }) => {
    const values = samples.map((s, i) => value(s, samples[i - 1] ?? s));
    const most = Math.max(least, ...values);
    const newest = bars ? `${values.reduce((sum, v) => sum + v, 0)} in a minute` : last === undefined ? "" : text(last);
    return { label: `${name} ${newest}`.trim(), colour, bars, points: samples.map((s, i) => [1 - (now - s.at) / SPAN, (values[i] ?? 0) / most]) };
  });
}

/** Paints the rows beside each other, on a narrow canvas in two lines; scale is pixels of the canvas per CSS
 * pixel. */
export function paintNetGraph(on: CanvasRenderingContext2D, rows: readonly GraphRow[], scale: number): void {
  const [width, height] = [on.canvas.width / scale, on.canvas.height / scale];
  const columns = width < NARROW ? 2 : rows.length;
  const [across, down] = [(width + GAP) / columns, (height + GAP) / Math.ceil(rows.length / columns)];
  on.setTransform(scale, 0, 0, scale, 0, 0);
  on.clearRect(0, 0, width, height);
  on.font = font(11);
  on.textAlign = "left";
  on.textBaseline = "top";
  rows.forEach((row, i) => {
    const [left, top] = [(i % columns) * across, Math.floor(i / columns) * down];
    paintRow(on, row, left, top, across - GAP, down - GAP);
  });
}

function paintRow(on: CanvasRenderingContext2D, { label, colour, bars, points }: GraphRow, left: number, top: number, width: number, height: number): void {
  const [floor, high] = [top + height, height - LABEL];
  on.fillStyle = "#c6d2df";
  on.fillText(label, left, top + 1, width);
  on.fillStyle = "rgba(255,255,255,0.07)";
  on.fillRect(left, top + LABEL, width, high);
  on.fillStyle = on.strokeStyle = colour;
  on.lineWidth = 1.5;
  on.beginPath();
  for (const [x, y] of points) {
    const [px, py] = [left + x * width, floor - y * (high - 1)];
    if (bars && y > 0) on.fillRect(px - 2, py, 3, floor - py);
    else if (!bars) on.lineTo(px, py);
  }
  if (!bars) on.stroke();
}
