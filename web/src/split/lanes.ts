// The lanes between the views, in which packets travel, and the labels over the figures: a canvas above the
// views. Start at Lanes.
import { MOVES, SHOT, SNAPSHOT, VERDICT, type Packet } from "./frame.js";
import { type Box, COLOURS } from "./scene.js";

export const SNAPSHOT_COLOUR = "#b8f0d8";
export const VERDICT_COLOUR = "#ffe27a";
export const LOST_COLOUR = "#ff7b88";
const PAGE = "#0e1520";
const TRACK = "rgb(255 255 255 / 0.07)";
const RADIUS = 14;
/** A lost packet leaves its way there, and is gone some time after it would have arrived: shares of the way. */
const FALLS_AT = 0.42;
const GONE_AT = 1.5;
/** What is drawn of a packet on a link without delay, ms. */
const SHORTEST = 30;

/** Where the page is cut into views and lanes. lanes[0] is between you and the server. */
export interface Layout {
  width: number;
  height: number;
  /** Whether the views lie side by side. */
  beside: boolean;
  views: readonly [Box, Box, Box];
  /** The parts of the views in which the level is drawn: in a wide view beside the title. */
  scenes: readonly [Box, Box, Box];
  lanes: readonly [Box, Box];
}

/** The width of a title beside a level, CSS pixels. */
const TITLE = 98;

/** Cuts the stage: the views side by side, or one above the other. */
export function cut(width: number, height: number): Layout {
  const beside = width > height;
  const along = beside ? width : height;
  const lane = Math.round(Math.max(beside ? 64 : 46, along * (beside ? 0.095 : 0.075)));
  const view = (along - 2 * lane) / 3;
  const box = (from: number, size: number): Box => (beside ? { x: from, y: 0, width: size, height } : { x: 0, y: from, width, height: size });
  const at = (i: number): number => i * (view + lane);
  const views = [box(at(0), view), box(at(1), view), box(at(2), view)] as const;
  const scene = (v: Box): Box => (beside ? v : { ...v, x: v.x + TITLE, width: v.width - TITLE });
  return { width, height, beside, views, scenes: [scene(views[0]), scene(views[1]), scene(views[2])], lanes: [box(at(0) + view, lane), box(at(1) + view, lane)] };
}

/** Numbers of packets that were drawn, for tests and the page. */
export interface Totals {
  sent: number;
  lost: number;
}

export class Lanes {
  readonly totals: Totals = { sent: 0, lost: 0 };
  /** On their way, or falling. */
  packets: Packet[] = [];
  private readonly draw: CanvasRenderingContext2D;

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.draw = canvas.getContext("2d")!;
  }

  resize(layout: Layout, pixelRatio: number): void {
    this.canvas.width = Math.round(layout.width * pixelRatio);
    this.canvas.height = Math.round(layout.height * pixelRatio);
    this.draw.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
  }

  add(packets: readonly Packet[]): void {
    for (const p of packets) {
      this.totals.sent++;
      if (p.lost) this.totals.lost++;
    }
    this.packets.push(...packets);
  }

  /** Draws the lanes at a match time. */
  paint(layout: Layout, time: number): void {
    const { draw } = this;
    draw.clearRect(0, 0, layout.width, layout.height);
    this.frames(layout);
    layout.lanes.forEach((lane, player) => this.tracks(lane, layout.beside, player));
    this.packets = this.packets.filter((p) => this.packet(p, layout, time));
  }

  /** Paints over what is not in a view, so that views have round corners. */
  private frames({ width, height, views }: Layout): void {
    const { draw } = this;
    draw.beginPath();
    draw.rect(0, 0, width, height);
    for (const v of views) draw.roundRect(v.x, v.y, v.width, v.height, RADIUS);
    draw.fillStyle = PAGE;
    draw.fill("evenodd");
    draw.beginPath();
    for (const v of views) draw.roundRect(v.x + 0.5, v.y + 0.5, v.width - 1, v.height - 1, RADIUS);
    draw.strokeStyle = "rgb(255 255 255 / 0.13)";
    draw.lineWidth = 1;
    draw.stroke();
  }

  /** The way of inputs and that of snapshots, with arrows. */
  private tracks(lane: Box, beside: boolean, player: number): void {
    const { draw } = this;
    for (const up of [true, false]) {
      const [a, b] = way(lane, beside, player, up);
      draw.strokeStyle = TRACK;
      draw.lineWidth = 12;
      draw.lineCap = "round";
      draw.beginPath();
      draw.moveTo(a.x + 8 * Math.sign(b.x - a.x), a.y + 8 * Math.sign(b.y - a.y));
      draw.lineTo(b.x - 8 * Math.sign(b.x - a.x), b.y - 8 * Math.sign(b.y - a.y));
      draw.stroke();
      this.arrow(b, Math.atan2(b.y - a.y, b.x - a.x));
      this.name(lane, beside, up, (a.x + b.x) / 2, a.y);
    }
  }

  private arrow(at: { x: number; y: number }, angle: number): void {
    const { draw } = this;
    draw.save();
    draw.translate(at.x, at.y);
    draw.rotate(angle);
    draw.strokeStyle = "rgb(255 255 255 / 0.45)";
    draw.lineWidth = 2;
    draw.beginPath();
    draw.moveTo(-11, -4.5);
    draw.lineTo(-6, 0);
    draw.lineTo(-11, 4.5);
    draw.stroke();
    draw.restore();
  }

  private name(lane: Box, beside: boolean, up: boolean, x: number, y: number): void {
    if (beside && lane.width < 76) return;
    const { draw } = this;
    draw.fillStyle = "#b4c2d3";
    draw.font = "600 12px Inter, 'Segoe UI', 'DejaVu Sans', sans-serif";
    draw.textBaseline = "middle";
    draw.textAlign = beside ? "center" : up ? "right" : "left";
    if (beside) draw.fillText(up ? "inputs" : "snapshots", x, y - 20);
    else draw.fillText(up ? "inputs" : "snapshots", x + (up ? -18 : 18), lane.y + lane.height / 2);
  }

  /** Draws a packet, and returns whether it is still to be seen. */
  private packet(p: Packet, layout: Layout, time: number): boolean {
    const share = (time - p.sent) / Math.max(p.due - p.sent, SHORTEST);
    if (share >= (p.lost ? GONE_AT : 1)) return false;
    const lane = layout.lanes[p.player];
    if (share < 0 || lane === undefined) return true;
    const [a, b] = way(lane, layout.beside, p.player, p.up);
    const fall = p.lost ? Math.max(0, share - FALLS_AT) : 0;
    const on = fall > 0 ? FALLS_AT + 0.35 * fall : share;
    const drop = fall * fall * (layout.beside ? 0.42 * layout.height : 60);
    const aside = layout.beside || fall === 0 ? 0 : (p.up ? -1 : 1) * 90 * fall;
    this.draw.globalAlpha = Math.max(0, 1 - 0.9 * fall);
    this.symbol(p, a.x + (b.x - a.x) * on + aside, a.y + (b.y - a.y) * on + drop, fall);
    this.draw.globalAlpha = 1;
    return true;
  }

  private symbol(p: Packet, x: number, y: number, fall: number): void {
    const { draw } = this;
    draw.save();
    draw.translate(x, y);
    draw.rotate(4 * fall);
    draw.fillStyle = draw.strokeStyle = fall > 0 ? LOST_COLOUR : colourOf(p);
    draw.lineWidth = 2.4;
    draw.lineCap = "round";
    draw.beginPath();
    if (fall > 0) cross(draw, 4.5);
    else if (p.kind === SHOT || p.kind === VERDICT) diamond(draw, 8.5);
    else if (p.kind === SNAPSHOT) draw.roundRect(-4.5, -4.5, 9, 9, 2.5);
    else draw.arc(0, 0, p.kind === MOVES ? 4.8 : 3, 0, 2 * Math.PI);
    if (fall > 0) draw.stroke();
    else draw.fill();
    draw.restore();
  }

  /** A word over a figure, inside a box. */
  label(text: string, at: { x: number; y: number }, box: Box, colour: string): void {
    const { draw } = this;
    draw.font = "600 12px Inter, 'Segoe UI', 'DejaVu Sans', sans-serif";
    draw.textAlign = "center";
    draw.textBaseline = "middle";
    const width = draw.measureText(text).width + 14;
    const x = Math.min(Math.max(at.x, box.x + width / 2 + 4), box.x + box.width - width / 2 - 4);
    const y = Math.min(Math.max(at.y, box.y + 14), box.y + box.height - 14);
    draw.fillStyle = "rgb(10 16 25 / 0.72)";
    draw.beginPath();
    draw.roundRect(x - width / 2, y - 10, width, 20, 10);
    draw.fill();
    draw.fillStyle = colour;
    draw.fillText(text, x, y + 0.5);
  }
}

function colourOf(p: Packet): string {
  if (p.kind === VERDICT) return VERDICT_COLOUR;
  return p.up ? (COLOURS[p.player] ?? SNAPSHOT_COLOUR) : SNAPSHOT_COLOUR;
}

function cross(draw: CanvasRenderingContext2D, r: number): void {
  draw.moveTo(-r, -r);
  draw.lineTo(r, r);
  draw.moveTo(r, -r);
  draw.lineTo(-r, r);
}

function diamond(draw: CanvasRenderingContext2D, r: number): void {
  draw.moveTo(0, -r);
  draw.lineTo(r, 0);
  draw.lineTo(0, r);
  draw.lineTo(-r, 0);
  draw.closePath();
}

/** The two ends of a packet's way: up is to the server, which is in the middle. */
function way(lane: Box, beside: boolean, player: number, up: boolean): [{ x: number; y: number }, { x: number; y: number }] {
  const across = up ? 0.36 : 0.6;
  const [a, b] = beside
    ? [{ x: lane.x, y: lane.y + across * lane.height }, { x: lane.x + lane.width, y: lane.y + across * lane.height }]
    : [{ x: lane.x + (up ? 0.4 : 0.6) * lane.width, y: lane.y }, { x: lane.x + (up ? 0.4 : 0.6) * lane.width, y: lane.y + lane.height }];
  return (player === 0) === up ? [a, b] : [b, a];
}
