// The debug layer (F4): for each of the nearest others what came of them, where they are
// drawn, where the server probably has them, and why. Start at Traces.show.
import * as THREE from "three";
import { Layout as L, type TraceView } from "../client/index";
import { element, make } from "./dom";
import { Lines, overlay } from "./lines";

const UPDATE_MS = 250; // ms between two texts
const ARROW = 0.25; // metres of arrow per m/s

/** What means what, here and in the legend. */
export const COLOURS = {
  sample: new THREE.Color(0x5fd2ff),
  keyframe: new THREE.Color(0xff7ad9),
  drawn: new THREE.Color(0xffffff),
  extrapolated: new THREE.Color(0xffb02e),
  velocity: new THREE.Color(0x7dff6b),
};

const LEGEND: readonly [keyof typeof COLOURS, string][] = [
  ["state", "received states"],
  ["kink", "received bends between them"],
  ["drawn", "drawn"],
  ["ghost", "newest state carried on to now: where the server probably has them"],
  ["velocity", "velocity, a quarter second of it"],
];

/** One line of figures. */
export interface RemoteDebugText {
  name: string;
  mode: string;
  delay: string;
  age: string;
  parts: string;
}

/** What the panel says of one player. */
export function remoteDebugText(t: TraceView, name: string): RemoteDebugText {
  const healing = t.blend > 0.005 ? `, heals ${Math.round(t.blend * 100)} %` : "";
  const offset = t.offset > 0.005 ? `, smoothed by ${t.offset.toFixed(2)} m` : "";
  return {
    name,
    mode: `mode ${t.mode}, fit ${t.source}${healing}${offset}`,
    delay: milliseconds(t.delay),
    age: milliseconds(t.age),
    parts: `${count(t.toServer)} to the server + ${count(t.transit)} here + ${count(t.sinceArrival)} since`,
  };
}

function milliseconds(seconds: number): string {
  return `${count(seconds)} ms`;
}

function count(seconds: number): number {
  return Math.round(seconds * 1000);
}

/** The layer, and its panel. */
export class RemoteDebugLayer {
  readonly group = new THREE.Group();
  private readonly root = element("traces");
  private readonly table = make("table");
  private readonly lines = new Lines(L.MAX_TRACES * 256);
  private readonly dots = new Dots(L.MAX_TRACES * L.MAX_TRACE_STATES);
  private readonly labels: Label[] = [];
  private next = 0;

  constructor(private readonly nameOf: (id: number) => string) {
    this.group.add(this.lines.mesh, this.dots.points);
    this.group.visible = false;
    const legend = make("p", "", "legend");
    for (const [what, text] of LEGEND) {
      const entry = make("span", text);
      entry.style.setProperty("--colour", `#${COLOURS[what].getHexString()}`);
      legend.append(entry);
    }
    this.root.replaceChildren(legend, this.table);
  }

  get on(): boolean {
    return this.group.visible;
  }

  /** Shows or hides it; returns whether it is shown now. */
  toggle(): boolean {
    this.group.visible = !this.group.visible;
    this.root.hidden = !this.group.visible;
    this.next = 0;
    return this.group.visible;
  }

  hide(): void {
    this.group.visible = false;
    this.root.hidden = true;
  }

  /** Draws it, where it is shown; now in milliseconds. */
  show(view: TraceView, eye: THREE.Vector3, now: number): void {
    if (!this.group.visible) return;
    this.lines.clear();
    this.dots.clear();
    const write = now >= this.next;
    if (write) this.next = now + UPDATE_MS;
    const texts: RemoteDebugText[] = [];
    for (let i = 0; i < view.count; i++) {
      const trace = view.at(i);
      this.draw(trace);
      const label = this.labels[i] ?? this.addLabel();
      label.place(trace, eye);
      if (!write) continue;
      const text = remoteDebugText(trace, this.nameOf(trace.id));
      label.write(text);
      texts.push(text);
    }
    for (let i = view.count; i < this.labels.length; i++) this.labels[i]?.hide();
    this.lines.show();
    this.dots.show();
    if (write) this.writeTable(texts);
  }

  private draw(t: TraceView): void {
    const { lines, dots } = this;
    for (let i = 0; i < t.samples; i++) {
      t.sampleAt(i);
      const [x, y, z] = [t.sampleX, t.sampleY, t.sampleZ];
      dots.add(x, y, z, t.sampleKeyframe ? COLOURS.keyframe : COLOURS.sample);
      if (i + 1 === t.samples) break;
      t.sampleAt(i + 1);
      lines.line(x, y, z, t.sampleX, t.sampleY, t.sampleZ, COLOURS.sample);
    }
    lines.capsule(t.x, t.y, t.z, t.crouched, COLOURS.drawn);
    lines.capsule(t.extrapolatedX, t.extrapolatedY, t.extrapolatedZ, t.crouched, COLOURS.extrapolated);
    lines.line(t.x, t.y + 0.02, t.z, t.extrapolatedX, t.extrapolatedY + 0.02, t.extrapolatedZ, COLOURS.extrapolated);
    lines.arrow(t.x, t.y + 1, t.z, ARROW * t.vx, ARROW * t.vy, ARROW * t.vz, COLOURS.velocity);
  }

  private addLabel(): Label {
    const label = new Label();
    this.labels.push(label);
    this.group.add(label.sprite);
    return label;
  }

  private writeTable(texts: readonly RemoteDebugText[]): void {
    const rows = texts.map((t) => {
      const row = make("tr");
      row.append(make("th", t.name), make("td", `${t.delay} behind`), make("td", `${t.age} old = ${t.parts}`), make("td", t.mode));
      return row;
    });
    if (rows.length === 0) rows.push(make("tr", "nobody else is in view"));
    this.table.replaceChildren(...rows);
  }
}

/** Points of some pixels, drawn anew each picture. */
class Dots {
  readonly points: THREE.Points;
  private readonly position: THREE.BufferAttribute;
  private readonly colour: THREE.BufferAttribute;
  private used = 0;

  constructor(private readonly max: number) {
    const geometry = new THREE.BufferGeometry();
    this.position = new THREE.BufferAttribute(new Float32Array(3 * max), 3).setUsage(THREE.DynamicDrawUsage);
    this.colour = new THREE.BufferAttribute(new Float32Array(3 * max), 3).setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute("position", this.position);
    geometry.setAttribute("color", this.colour);
    const material = new THREE.PointsMaterial({ size: 5, sizeAttenuation: false, vertexColors: true });
    this.points = new THREE.Points(geometry, overlay(material));
    this.points.frustumCulled = false;
    this.points.renderOrder = 11;
  }

  clear(): void {
    this.used = 0;
  }

  add(x: number, y: number, z: number, colour: THREE.Color): void {
    if (this.used === this.max) return;
    this.position.setXYZ(this.used, x, y, z);
    this.colour.setXYZ(this.used++, colour.r, colour.g, colour.b);
  }

  show(): void {
    this.points.geometry.setDrawRange(0, this.used);
    this.points.visible = this.used > 0;
    this.position.needsUpdate = this.colour.needsUpdate = true;
  }
}

/** Two lines of text above a figure. */
class Label {
  readonly sprite: THREE.Sprite;
  private readonly canvas = document.createElement("canvas");
  private readonly texture: THREE.CanvasTexture;
  private written = "";

  constructor() {
    this.canvas.width = 384;
    this.canvas.height = 80;
    this.texture = new THREE.CanvasTexture(this.canvas);
    this.texture.colorSpace = THREE.SRGBColorSpace;
    this.sprite = new THREE.Sprite(overlay(new THREE.SpriteMaterial({ map: this.texture })));
    this.sprite.renderOrder = 12;
  }

  hide(): void {
    this.sprite.visible = false;
  }

  place(t: TraceView, eye: THREE.Vector3): void {
    const { sprite } = this;
    sprite.visible = true;
    sprite.position.set(t.x, t.y + 2.02, t.z);
    const height = 0.07 * Math.max(sprite.position.distanceTo(eye), 2);
    sprite.position.y += 0.9 * height;
    sprite.scale.set(4.8 * height, height, 1);
  }

  write(text: RemoteDebugText): void {
    const [first, second] = [`${text.name} · ${text.delay} behind`, `${text.age} old · ${text.mode}`];
    if (this.written === first + second) return;
    this.written = first + second;
    const paint = this.canvas.getContext("2d");
    if (paint === null) return;
    paint.clearRect(0, 0, 384, 80);
    paint.fillStyle = "rgba(8,12,18,0.72)";
    paint.beginPath();
    paint.roundRect(0, 0, 384, 80, 12);
    paint.fill();
    paint.textAlign = "center";
    paint.textBaseline = "middle";
    paint.fillStyle = "#ffffff";
    paint.font = "600 27px Inter, 'Segoe UI', 'DejaVu Sans', Arial, sans-serif";
    paint.fillText(first, 192, 24, 368);
    paint.fillStyle = "#bcd";
    paint.font = "22px Inter, 'Segoe UI', 'DejaVu Sans', Arial, sans-serif";
    paint.fillText(second, 192, 57, 368);
    this.texture.needsUpdate = true;
  }
}
