// The map in the corner: the level from above, the player, and the team-mates. Start at Minimap.
import { TRIANGLE_SIZE } from "@backstep/client";
import { element } from "./dom";
import type { Team } from "./events";

/** A player on the map. */
export interface MapMark {
  x: number;
  z: number;
  team: Team;
}

/** Where the level lies on the map. North, −Z, is up. */
export interface MapFrame {
  /** World coordinates of the map's middle, metres. */
  x: number;
  z: number;
  /** Pixels per metre. */
  scale: number;
  /** Pixels from edge to edge. */
  size: number;
}

/** Pixels of the canvas, twice what it takes on the screen. */
const SIZE = 320;
/** Pixels around the level. */
const MARGIN = 8;
/** Shades of the lowest and the highest surface. */
const LOW = [62, 78, 94], HIGH = [214, 222, 228];
/** Metres from the lowest shade to the highest. What is twice as high is a cliff around the level, and dark. */
const FULL_HEIGHT = 6;
const CLIFF = "rgb(22,28,36)";
const COLOURS = { red: "#ff7a6b", blue: "#6fb4ff", "": "#ffd9a0" } as const;

/** Fits a level into a square of size pixels. */
export function frameOf(minX: number, minZ: number, maxX: number, maxZ: number, size: number): MapFrame {
  const extent = Math.max(maxX - minX, maxZ - minZ, 1);
  return { x: (minX + maxX) / 2, z: (minZ + maxZ) / 2, scale: (size - 2 * MARGIN) / extent, size };
}

/** Returns the pixel of a place; what is outside is put on the edge. */
export function pixelOf(frame: MapFrame, x: number, z: number): [number, number] {
  const inside = (v: number): number => Math.min(Math.max(frame.size / 2 + v * frame.scale, MARGIN), frame.size - MARGIN);
  return [inside(x - frame.x), inside(z - frame.z)];
}

/** The map. It shows only what the player knows anyway: itself and its team; to a spectator, everybody. */
export class Minimap {
  private readonly canvas = element<HTMLCanvasElement>("minimap");
  private readonly context = this.canvas.getContext("2d")!;
  private painted: { picture: HTMLCanvasElement; frame: MapFrame } | undefined;
  private readonly small = matchMedia("(max-width: 900px), (max-height: 560px)");
  private last = "";

  constructor() {
    this.canvas.width = this.canvas.height = SIZE;
  }

  /** Whether it wants a level: a screen that is too small for a map does not pay for it. */
  get empty(): boolean {
    return this.painted === undefined && !this.small.matches;
  }

  /** Paints the level, once, from the triangles of its collision world (Core.triangles): what is only drawn, such as
   * trees, is not on the map. */
  setLevel(triangles: Float32Array): void {
    if (triangles.length === 0) return; // the core restarts
    this.painted = paint(triangles);
    this.last = "";
  }

  /** Takes the map away until there is a level again. */
  clear(): void {
    this.painted = undefined;
    this.canvas.hidden = true;
  }

  /** Draws the player and the others, if anything has moved by a pixel; yaw is in radians about +Y. */
  show(self: { x: number; z: number; yaw: number }, others: readonly MapMark[]): void {
    this.canvas.hidden = this.painted === undefined || this.small.matches;
    if (this.painted === undefined) return;
    const { picture, frame } = this.painted;
    const marks = others.map(({ x, z, team }) => ({ at: pixelOf(frame, x, z), team }));
    const own = pixelOf(frame, self.x, self.z);
    const now = `${own.map(Math.round)} ${self.yaw.toFixed(2)} ${marks.map(({ at, team }) => `${at.map(Math.round)}${team}`)}`;
    if (now === this.last) return;
    this.last = now;
    this.context.clearRect(0, 0, SIZE, SIZE);
    this.context.drawImage(picture, 0, 0);
    for (const { at, team } of marks) this.mark(at, team);
    this.arrow(own, self.yaw);
  }

  /** The shape of a team besides its colour: a triangle for red, a square for blue, else a disc. */
  private mark([x, y]: [number, number], team: Team): void {
    const { context } = this;
    context.beginPath();
    if (team === "red") polygon(context, [[x, y - 10], [x + 9, y + 7], [x - 9, y + 7]]);
    else if (team === "blue") context.rect(x - 7, y - 7, 14, 14);
    else context.arc(x, y, 7, 0, 7);
    this.fill(COLOURS[team]);
  }

  private arrow([x, y]: [number, number], yaw: number): void {
    const { context } = this;
    const [ahead, aside] = [[-Math.sin(yaw), -Math.cos(yaw)], [Math.cos(yaw), -Math.sin(yaw)]] as const;
    const point = (forward: number, right: number): [number, number] => [x + forward * ahead[0]! + right * aside[0]!, y + forward * ahead[1]! + right * aside[1]!];
    context.beginPath();
    polygon(context, [point(17, 0), point(-11, 11), point(-5, 0), point(-11, -11)]);
    this.fill("#fff");
  }

  private fill(colour: string): void {
    const { context } = this;
    context.fillStyle = colour;
    context.strokeStyle = "#0b111a";
    context.lineWidth = 3;
    context.stroke();
    context.fill();
  }
}

function polygon(context: CanvasRenderingContext2D, points: readonly (readonly [number, number])[]): void {
  points.forEach(([x, y], i) => (i === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
  context.closePath();
}

/** Paints a level from above: what one may stand on, from the lowest to the highest, which is lighter. */
function paint(level: Float32Array): { picture: HTMLCanvasElement; frame: MapFrame } {
  const faces: { height: number; at: number }[] = [];
  let [minX, minZ, maxX, maxZ] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i + TRIANGLE_SIZE <= level.length; i += TRIANGLE_SIZE) {
    const [ax, ay, az, bx, by, bz, cx, cy, cz] = level.subarray(i, i + 9) as unknown as Nine;
    if ((bz - az) * (cx - ax) - (bx - ax) * (cz - az) <= 0) continue; // a wall or a ceiling
    faces.push({ height: (ay + by + cy) / 3, at: i });
    [minX, maxX] = [Math.min(minX, ax, bx, cx), Math.max(maxX, ax, bx, cx)];
    [minZ, maxZ] = [Math.min(minZ, az, bz, cz), Math.max(maxZ, az, bz, cz)];
  }
  const frame = frameOf(minX, minZ, maxX, maxZ, SIZE);
  const picture = document.createElement("canvas");
  picture.width = picture.height = SIZE;
  const context = picture.getContext("2d")!;
  faces.sort((a, b) => a.height - b.height);
  const low = faces[Math.floor(faces.length / 20)]?.height ?? 0; // not the bottom of the one deep pit
  for (const { height, at } of faces) {
    const share = Math.min(Math.max((height - low) / FULL_HEIGHT, 0), 1);
    context.fillStyle = context.strokeStyle = height - low > 2 * FULL_HEIGHT ? CLIFF : `rgb(${LOW.map((v, i) => Math.round(v + (HIGH[i]! - v) * share))})`;
    context.beginPath();
    polygon(context, [0, 3, 6].map((k) => pixelOf(frame, level[at + k]!, level[at + k + 2]!)));
    context.fill();
    context.stroke(); // without a seam to the neighbour
  }
  return { picture, frame };
}

type Nine = [number, number, number, number, number, number, number, number, number];
