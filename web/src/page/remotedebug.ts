// The remote debug layer (F4): for each of the nearest players the received samples, the drawn
// pose, the extrapolated newest sample, and the delays between them. Start at
// RemoteDebugLayer.show.
import * as THREE from "three";
import { Layout as L, type RemoteDebugView } from "../client/index";
import { CanvasSprite, font } from "./canvas";
import { DebugLayer, legend } from "./debuglayer";
import { make } from "./dom";
import { Lines, overlay } from "./lines";

const UPDATE_MS = 250; // ms between two updates of the text
const ARROW = 0.25; // metres of arrow per m/s

/** Colours in the scene and in the legend. */
const COLOURS = {
  sample: new THREE.Color(0x5fd2ff),
  keyframe: new THREE.Color(0xff7ad9),
  drawn: new THREE.Color(0xffffff),
  extrapolated: new THREE.Color(0xffb02e),
  velocity: new THREE.Color(0x7dff6b),
};

/** The text for one player. */
interface RemoteDebugText {
  name: string;
  mode: string;
  delay: string;
  age: string;
  parts: string;
}

/** Returns the text for one player. */
export function remoteDebugText(t: RemoteDebugView, name: string): RemoteDebugText {
  const blend = t.blend > 0.005 ? `, blending ${Math.round(t.blend * 100)} %` : "";
  const offset = t.offset > 0.005 ? `, offset ${t.offset.toFixed(2)} m` : "";
  return {
    name,
    mode: `${t.mode}, ${t.source}${blend}${offset}`,
    delay: `${millis(t.delay)} ms behind`,
    age: `${millis(t.age)} ms old`,
    parts: `${millis(t.toServer)} to server + ${millis(t.transit)} to client + ${millis(t.sinceArrival)} since arrival`,
  };
}

function millis(seconds: number): number {
  return Math.round(seconds * 1000);
}

/** The layer and its panel. */
export class RemoteDebugLayer extends DebugLayer {
  private readonly table = make("table");
  private readonly lines = new Lines(L.MAX_REMOTE_DEBUGS * 256);
  private readonly dots = new Dots(L.MAX_REMOTE_DEBUGS * L.MAX_REMOTE_DEBUG_STATES);
  private readonly labels: Label[] = [];

  constructor(private readonly nameOf: (id: number) => string) {
    super("remote-debug", UPDATE_MS);
    this.group.add(this.lines.mesh, this.dots.points);
    this.panel.replaceChildren(
      legend([
        [COLOURS.sample, "received samples"],
        [COLOURS.keyframe, "keyframes between snapshots"],
        [COLOURS.drawn, "drawn"],
        [COLOURS.extrapolated, "newest sample extrapolated to now"],
        [COLOURS.velocity, "velocity (0.25 s)"],
      ]),
      this.table,
    );
  }

  /** Draws the layer if it is shown; now in milliseconds. */
  show(view: RemoteDebugView, eye: THREE.Vector3, now: number): void {
    if (!this.group.visible) return;
    this.lines.clear();
    this.dots.clear();
    const texts = this.textDue(now) ? ([] as RemoteDebugText[]) : undefined;
    for (let i = 0; i < view.count; i++) {
      const remote = view.at(i);
      this.draw(remote);
      const label = this.labels[i] ?? this.addLabel();
      label.place(remote, eye);
      if (texts === undefined) continue;
      const text = remoteDebugText(remote, this.nameOf(remote.id));
      label.write(text);
      texts.push(text);
    }
    for (let i = view.count; i < this.labels.length; i++) this.labels[i]?.hide();
    this.lines.show();
    this.dots.show();
    if (texts !== undefined) this.writeTable(texts);
  }

  private draw(t: RemoteDebugView): void {
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
      row.append(make("th", t.name), make("td", t.delay), make("td", `${t.age} = ${t.parts}`), make("td", t.mode));
      return row;
    });
    if (rows.length === 0) rows.push(make("tr", "no other players"));
    this.table.replaceChildren(...rows);
  }
}

/** Points of a fixed pixel size, rebuilt every frame. */
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

/** Two lines of text above a character. */
class Label extends CanvasSprite {
  private written = "";

  constructor() {
    super(384, 80);
    overlay(this.sprite.material);
    this.sprite.renderOrder = 12;
  }

  hide(): void {
    this.sprite.visible = false;
  }

  place(t: RemoteDebugView, eye: THREE.Vector3): void {
    const { sprite } = this;
    sprite.visible = true;
    sprite.position.set(t.x, t.y + 2.02, t.z);
    const height = 0.07 * Math.max(sprite.position.distanceTo(eye), 2);
    sprite.position.y += 0.9 * height;
    sprite.scale.set(4.8 * height, height, 1);
  }

  write(text: RemoteDebugText): void {
    const [first, second] = [`${text.name} · ${text.delay}`, `${text.age} · ${text.mode}`];
    if (this.written === first + second) return;
    this.written = first + second;
    this.repaint((on) => {
      on.fillStyle = "rgba(8,12,18,0.72)";
      on.beginPath();
      on.roundRect(0, 0, 384, 80, 12);
      on.fill();
      on.fillStyle = "#ffffff";
      on.font = font(27, 600);
      on.fillText(first, 192, 24, 368);
      on.fillStyle = "#bcd";
      on.font = font(22);
      on.fillText(second, 192, 57, 368);
    });
  }
}
