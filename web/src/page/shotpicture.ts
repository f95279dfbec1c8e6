// A shot as a picture: the hitboxes near it from where it was fired, as the page drew them and as the
// server had them, and where it ended on both. Start at projectShot.
import type { Point } from "@backstep/client";
import type { Line, Hitbox } from "../core";

/** A hitbox or an end on the picture, pixels. */
interface Flat {
  judged: boolean;
}
/** A thick line with round ends. */
export interface FlatCapsule extends Flat {
  a: [number, number];
  b: [number, number];
  radius: number;
}
/** Edges of a box. */
export interface FlatBox extends Flat {
  edges: [number, number][][];
}
export interface FlatMark extends Flat {
  at: [number, number];
}
export interface ShotPicture {
  capsules: FlatCapsule[];
  boxes: FlatBox[];
  marks: FlatMark[];
}

/** What a picture is made of. */
interface Pictured {
  hitboxes: readonly Hitbox[];
  lines: readonly Line[];
}

const MARGIN = 0.88;
const NEAREST = 0.2; // metres from the eye within which nothing is drawn

type Vector = [number, number, number];
const vector = ({ x, y, z }: Point): Vector => [x, y, z];
const minus = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Vector, b: Vector): Vector => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
function unit(v: Vector): Vector {
  const length = Math.hypot(...v) || 1;
  return [v[0] / length, v[1] / length, v[2] / length];
}

/** Projects a shot into a picture of a size, which the hitboxes fill; undefined without one. */
export function projectShot({ hitboxes, lines }: Pictured, width: number, height: number): ShotPicture | undefined {
  const eye = lines[0]?.a;
  if (eye === undefined || hitboxes.length === 0) return undefined;
  const from = vector(eye);
  const middle = hitboxes.reduce<Vector>((sum, { a, b }) => [sum[0] + a.x + b.x, sum[1] + a.y + b.y, sum[2] + a.z + b.z], [0, 0, 0]);
  const ahead = unit(minus([middle[0] / (2 * hitboxes.length), middle[1] / (2 * hitboxes.length), middle[2] / (2 * hitboxes.length)], from));
  const right = unit(cross(ahead, Math.abs(ahead[1]) < 0.99 ? [0, 1, 0] : [0, 0, -1]));
  const up = cross(right, ahead);
  const flat = (p: Vector): { at: [number, number]; depth: number } => {
    const to = minus(p, from);
    const depth = Math.max(dot(to, ahead), NEAREST);
    return { at: [dot(to, right) / depth, -dot(to, up) / depth], depth };
  };
  const picture: ShotPicture = { capsules: [], boxes: [], marks: [] };
  for (const hitbox of hitboxes) {
    const { judged } = hitbox;
    if (hitbox.shape === "box") picture.boxes.push({ judged, edges: boxEdges(hitbox).map((edge) => edge.map((p) => flat(p).at)) });
    else {
      const [a, b] = [flat(vector(hitbox.a)), flat(vector(hitbox.b))];
      picture.capsules.push({ judged, a: a.at, b: hitbox.shape === "ball" ? a.at : b.at, radius: hitbox.radius / Math.min(a.depth, b.depth) });
    }
  }
  for (const judged of [false, true]) {
    const end = lines.filter((line) => line.judged === judged).at(judged ? -1 : 0);
    if (end !== undefined) picture.marks.push({ judged, at: flat(vector(end.b)).at });
  }
  return fit(picture, width, height);
}

/** Scales a picture so that its hitboxes fill the size. */
function fit(picture: ShotPicture, width: number, height: number): ShotPicture {
  const xs: number[] = [];
  const ys: number[] = [];
  const reach = ([x, y]: [number, number], by: number): void => {
    xs.push(x - by, x + by);
    ys.push(y - by, y + by);
  };
  for (const { a, b, radius } of picture.capsules) [a, b].forEach((at) => reach(at, radius));
  for (const { edges } of picture.boxes) edges.flat().forEach((at) => reach(at, 0));
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const scale = MARGIN * Math.min(width / Math.max(right - left, 1e-6), height / Math.max(bottom - top, 1e-6));
  const move = ([x, y]: [number, number]): [number, number] => [width / 2 + (x - (left + right) / 2) * scale, height / 2 + (y - (top + bottom) / 2) * scale];
  return {
    capsules: picture.capsules.map(({ judged, a, b, radius }) => ({ judged, a: move(a), b: move(b), radius: radius * scale })),
    boxes: picture.boxes.map(({ judged, edges }) => ({ judged, edges: edges.map((edge) => edge.map(move)) })),
    marks: picture.marks.map(({ judged, at }) => ({ judged, at: move(at) })),
  };
}

function boxEdges({ a, half, rotation: q }: Hitbox): Vector[][] {
  const corner = (i: number): Vector => {
    const v: Vector = [i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z];
    const axis: Vector = [q.x, q.y, q.z];
    const t = cross(axis, v).map((x) => 2 * x) as Vector;
    const turned = cross(axis, t);
    return [a.x + v[0] + q.w * t[0] + turned[0], a.y + v[1] + q.w * t[1] + turned[1], a.z + v[2] + q.w * t[2] + turned[2]];
  };
  const edges: Vector[][] = [];
  for (let i = 0; i < 8; i++) for (const bit of [1, 2, 4]) if (!(i & bit)) edges.push([corner(i), corner(i | bit)]);
  return edges;
}

/** Paints a picture: what the page drew filled, what the server had as outlines over it. */
export function paintShot(on: CanvasRenderingContext2D, picture: ShotPicture, client: string, server: string): void {
  const { width, height } = on.canvas;
  on.clearRect(0, 0, width, height);
  on.lineCap = "round";
  for (const { judged, a, b, radius } of picture.capsules) {
    if (judged) continue;
    on.strokeStyle = client;
    on.lineWidth = 2 * radius;
    line(on, a, b);
  }
  on.lineWidth = 1.5;
  for (const { judged, edges } of picture.boxes) {
    on.strokeStyle = judged ? server : client;
    for (const [from, to] of edges) if (from !== undefined && to !== undefined) line(on, from, to);
  }
  on.strokeStyle = server;
  for (const { judged, a, b, radius } of picture.capsules) if (judged) outline(on, a, b, radius);
  for (const { judged, at: [x, y] } of picture.marks) {
    on.lineWidth = judged ? 2 : 5;
    on.strokeStyle = judged ? server : "#ffffff";
    line(on, [x - 9, y], [x + 9, y]);
    line(on, [x, y - 9], [x, y + 9]);
  }
}

function line(on: CanvasRenderingContext2D, [x, y]: [number, number], [toX, toY]: [number, number]): void {
  on.beginPath();
  on.moveTo(x, y);
  on.lineTo(toX + 0.01, toY);
  on.stroke();
}

function outline(on: CanvasRenderingContext2D, [x, y]: [number, number], [toX, toY]: [number, number], radius: number): void {
  const angle = Math.atan2(toY - y, toX - x);
  on.beginPath();
  on.arc(x, y, radius, angle + Math.PI / 2, angle - Math.PI / 2);
  on.arc(toX, toY, radius, angle - Math.PI / 2, angle + Math.PI / 2);
  on.closePath();
  on.stroke();
}
