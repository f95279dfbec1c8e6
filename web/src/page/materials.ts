// The surfaces of the level at higher qualities: each has a painted texture that its colour is multiplied by.
// Start at SurfaceMaterials.
import * as THREE from "three";
import { paintTexture } from "@backstep/three/parts";

/** What a face of the level is made of. */
export const SURFACES = ["grass", "gravel", "wall", "rock", "metal"] as const;
export type SurfaceKind = (typeof SURFACES)[number];

/** A texture repeats every two metres. */
const SIZE = 512;
const FLOOR = 0.7; // the least upward part of a floor's normal
const UPRIGHT = 0.02; // the most of a wall's

/** Returns the surface of a face by its material's name, its normal, and its colour (linear, 0 to 1): the level has
 * colours of vertices, and no textures. Walls are upright, rock is what is neither that nor level. */
export function surfaceOf(material: string, normalY: number, r: number, g: number, b: number): SurfaceKind {
  if (material !== "matte") return "metal";
  if (g > 1.15 * r && g > 1.3 * b) return "grass";
  if (normalY > FLOOR) return "gravel";
  return Math.abs(normalY) < UPRIGHT ? "wall" : "rock";
}

/** The materials, made when first used. */
export class SurfaceMaterials {
  private readonly made = new Map<SurfaceKind, THREE.Material>();

  of(kind: SurfaceKind): THREE.Material {
    let material = this.made.get(kind);
    if (material === undefined) this.made.set(kind, (material = new THREE.MeshLambertMaterial({ vertexColors: true, map: texture(PAINT[kind]) })));
    return material;
  }
}

function texture(paint: (on: CanvasRenderingContext2D, next: () => number) => void): THREE.Texture {
  const made = paintTexture(SIZE, (on, size) => {
    let seed = 12345;
    on.fillStyle = "#f1f1f1";
    on.fillRect(0, 0, size, size);
    paint(on, () => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff);
  });
  made.wrapS = made.wrapT = THREE.RepeatWrapping;
  return made;
}

const PAINT: Readonly<Record<SurfaceKind, (on: CanvasRenderingContext2D, next: () => number) => void>> = { grass, gravel, wall, rock, metal };

const dark = (share: number): string => `rgba(52,56,62,${share})`;
const bright = (share: number): string => `rgba(255,255,255,${share})`;

/** Blades, lighter where they stand up. */
function grass(on: CanvasRenderingContext2D, next: () => number): void {
  speckle(on, next, 300, 30);
  on.lineWidth = 1.6;
  for (let i = 0; i < 5200; i++) {
    const [x, y, lean, length] = [next() * SIZE, next() * SIZE, 8 * (next() - 0.5), 7 + 11 * next()];
    on.strokeStyle = next() < 0.55 ? dark(0.05 + 0.17 * next()) : bright(0.1 + 0.3 * next());
    line(on, [[x, y], [x + lean, y - length]]);
  }
}

/** Sand with pebbles. */
function gravel(on: CanvasRenderingContext2D, next: () => number): void {
  speckle(on, next, 9000, 3);
  for (let i = 0; i < 260; i++) {
    const [x, y, radius] = [next() * SIZE, next() * SIZE, 1.5 + 4.5 * next() ** 2];
    ellipse(on, x + 1, y + 1.4, radius, dark(0.22));
    ellipse(on, x, y, radius, bright(0.35));
  }
}

/** Panels of cast concrete, a metre square, with joints, pores and stains that run down. */
function wall(on: CanvasRenderingContext2D, next: () => number): void {
  speckle(on, next, 2600, 2.2);
  for (let i = 0; i < 26; i++) {
    const [x, length, width] = [next() * SIZE, 60 + 190 * next(), 3 + 14 * next()];
    const top = next() < 0.5 ? 0 : SIZE / 2;
    const fade = on.createLinearGradient(0, top, 0, top + length);
    fade.addColorStop(0, dark(0.11));
    fade.addColorStop(1, dark(0));
    on.fillStyle = fade;
    on.fillRect(x, top, width, length);
  }
  for (const at of [0, SIZE / 2]) {
    on.fillStyle = dark(0.34);
    on.fillRect(at, 0, 3, SIZE);
    on.fillRect(0, at, SIZE, 3);
    on.fillStyle = bright(0.4);
    on.fillRect(at + 3, 0, 1.5, SIZE);
    on.fillRect(0, at + 3, SIZE, 1.5);
    for (const other of [0, SIZE / 2]) for (const [dx, dy] of [[36, 36], [220, 36], [36, 220], [220, 220]] as const) ellipse(on, at + dx, other + dy, 4, dark(0.3));
  }
}

/** Layers and cracks. */
function rock(on: CanvasRenderingContext2D, next: () => number): void {
  speckle(on, next, 2200, 7);
  for (let i = 0; i < 34; i++) {
    const [y, tall, phase] = [next() * SIZE, 2 + 8 * next(), 7 * next()];
    on.lineWidth = tall;
    on.strokeStyle = next() < 0.5 ? dark(0.05) : bright(0.16);
    line(on, Array.from({ length: 17 }, (_, k) => [k * 32, y + 9 * Math.sin((k * Math.PI) / 8 + phase)]));
  }
  on.lineWidth = 1.4;
  for (let i = 0; i < 11; i++) {
    let [x, y] = [next() * SIZE, next() * SIZE];
    on.strokeStyle = dark(0.3);
    line(on, Array.from({ length: 6 }, () => [(x += 34 * (next() - 0.5)), (y += 8 + 16 * next())]));
  }
}

/** Brushed, with a few scratches. */
function metal(on: CanvasRenderingContext2D, next: () => number): void {
  on.lineWidth = 1;
  for (let i = 0; i < 1500; i++) {
    const [x, y] = [next() * SIZE, next() * SIZE];
    on.strokeStyle = next() < 0.5 ? dark(0.07 * next()) : bright(0.16 * next());
    line(on, [[x, y], [x + 30 + 120 * next(), y]]);
  }
}

function speckle(on: CanvasRenderingContext2D, next: () => number, count: number, largest: number): void {
  for (let i = 0; i < count; i++) {
    const colour = next() < 0.55 ? dark(0.12 * next()) : bright(0.16 * next());
    ellipse(on, next() * SIZE, next() * SIZE, 0.5 + next() ** 3 * largest, colour);
  }
}

function ellipse(on: CanvasRenderingContext2D, x: number, y: number, radius: number, colour: string): void {
  on.fillStyle = colour;
  on.beginPath();
  on.ellipse(x, y, radius, 0.8 * radius, 0, 0, 2 * Math.PI);
  on.fill();
}

function line(on: CanvasRenderingContext2D, points: readonly (readonly number[])[]): void {
  on.beginPath();
  points.forEach(([x, y], i) => (i === 0 ? on.moveTo(x!, y!) : on.lineTo(x!, y!)));
  on.stroke();
}
