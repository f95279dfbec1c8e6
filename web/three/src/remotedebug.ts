// The remote debug layer (F4): for each of the nearest players the received samples, the drawn
// pose, a ghost where it probably is by now, and how far it is behind; the figures are folded. Start at
// RemoteDebugLayer.show.
import type { Point } from "@backstep/client";
import * as THREE from "three";
import { CanvasSprite, font } from "./canvas.js";
import { DebugLayer, legend } from "./debuglayer.js";
import { make } from "./dom.js";
import { Lines, overlay, VertexBuffer } from "./lines.js";
import type { Remote, RemoteDebug } from "./session.js";

const UPDATE_MS = 250; // ms between two updates of the text
const MAX_LINES = 4096;
const MAX_DOTS = 512;
const MAX_GHOSTS = 64;
const ARROW = 0.25; // metres of arrow per m/s
const GHOST = { radius: 0.34, height: 1.76, crouched: 0.8, opacity: 0.3 }; // metres

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

/** What the text for one player is made of. */
type RemoteDebugFigures = Pick<RemoteDebug, "mode" | "source" | "delay" | "age" | "blending" | "offset">;

/** Returns the text for one player. */
export function remoteDebugText(t: RemoteDebugFigures, name: string): RemoteDebugText {
  if (t.mode === "") return { name, mode: "", delay: "", age: "", parts: "" }; // nothing is known
  const blend = t.blending > 0.005 ? `, blending ${Math.round(t.blending * 100)} %` : "";
  const offset = t.offset > 0.005 ? `, offset ${t.offset.toFixed(2)} m` : "";
  const { total, server, network, client } = t.age;
  return {
    name,
    mode: `${t.mode}, ${t.source}${blend}${offset}`,
    delay: `${millis(t.delay)} ms behind`,
    age: `${millis(total)} ms old`,
    parts: `${millis(server)} to server + ${millis(network)} to client + ${millis(client)} since arrival`,
  };
}

function millis(seconds: number): number {
  return Math.round(seconds * 1000);
}

/** The layer and its panel. */
export class RemoteDebugLayer extends DebugLayer {
  private readonly table = make("table");
  private readonly lines = new Lines(MAX_LINES);
  private readonly dots = new Dots(MAX_DOTS);
  private readonly ghosts = new Ghosts(MAX_GHOSTS);
  private readonly labels: Label[] = [];

  constructor(panel: HTMLElement, private readonly nameOf: (id: number) => string) {
    super(panel, UPDATE_MS);
    this.group.add(this.ghosts.mesh, this.lines.mesh, this.dots.mesh);
    const details = make("details");
    details.append(make("summary", "All figures"), this.table);
    this.panel.replaceChildren(
      legend([
        [COLOURS.drawn, "where you see a player"],
        [COLOURS.extrapolated, "its ghost: where it probably is by now"],
        [COLOURS.sample, "where the server said it was"],
        [COLOURS.keyframe, "points between that the server added"],
        [COLOURS.velocity, "its way in the next 0.25 s"],
      ]),
      details,
    );
  }

  /** Draws the layer if it is shown; now in milliseconds. */
  show(remotes: readonly RemoteDebug[], eye: THREE.Vector3, now: number): void {
    if (!this.group.visible) return;
    this.lines.clear();
    this.dots.clear();
    this.ghosts.clear();
    const texts = this.textDue(now) ? ([] as RemoteDebugText[]) : undefined;
    remotes.forEach((remote, i) => {
      this.draw(remote);
      const label = this.labels[i] ?? this.addLabel();
      label.place(remote.drawn.position, eye);
      if (texts === undefined) return;
      const text = remoteDebugText(remote, this.nameOf(remote.player));
      label.write(text);
      texts.push(text);
    });
    for (let i = remotes.length; i < this.labels.length; i++) this.labels[i]?.hide();
    this.lines.show();
    this.dots.show();
    this.ghosts.show();
    if (texts !== undefined) this.writeTable(texts);
  }

  private draw({ drawn, extrapolated, past }: RemoteDebug): void {
    const { lines, dots } = this;
    past.forEach(({ position, keyframe }, i) => {
      dots.add(position.x, position.y, position.z, keyframe ? COLOURS.keyframe : COLOURS.sample);
      const older = past[i + 1]?.position;
      if (older !== undefined) lines.line(position.x, position.y, position.z, older.x, older.y, older.z, COLOURS.sample);
    });
    const { x, y, z } = drawn.position;
    const { x: ex, y: ey, z: ez } = extrapolated;
    lines.capsule(x, y, z, drawn.crouched, COLOURS.drawn);
    if (extrapolated !== drawn.position) {
      this.ghosts.add(ex, ey, ez, drawn.crouched);
      lines.capsule(ex, ey, ez, drawn.crouched, COLOURS.extrapolated);
      lines.line(x, y + 0.02, z, ex, ey + 0.02, ez, COLOURS.extrapolated);
    }
    const { velocity } = drawn;
    lines.arrow(x, y + 1, z, ARROW * velocity.x, ARROW * velocity.y, ARROW * velocity.z, COLOURS.velocity);
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
      row.append(make("th", t.name), make("td", t.delay), make("td", t.parts === "" ? "" : `${t.age} = ${t.parts}`), make("td", t.mode));
      return row;
    });
    if (rows.length === 0) rows.push(make("tr", "no other players"));
    this.table.replaceChildren(...rows);
  }
}

/** Translucent capsules in one draw call, rebuilt every frame. */
class Ghosts {
  readonly mesh: THREE.InstancedMesh;
  private readonly place = new THREE.Matrix4();

  constructor(private readonly max: number) {
    const { radius, height, opacity } = GHOST;
    const shape = new THREE.CapsuleGeometry(radius, height - 2 * radius, 4, 12).translate(0, height / 2, 0);
    this.mesh = new THREE.InstancedMesh(shape, overlay(new THREE.MeshBasicMaterial({ color: COLOURS.extrapolated, opacity })), max);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 9;
  }

  clear(): void {
    this.mesh.count = 0;
  }

  add(x: number, y: number, z: number, crouched: boolean): void {
    if (this.mesh.count === this.max) return;
    this.place.makeScale(1, crouched ? GHOST.crouched / GHOST.height : 1, 1).setPosition(x, y, z);
    this.mesh.setMatrixAt(this.mesh.count++, this.place);
  }

  show(): void {
    this.mesh.visible = this.mesh.count > 0;
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}

/** Points of a fixed pixel size. */
class Dots extends VertexBuffer<THREE.Points> {
  constructor(max: number) {
    super(new THREE.Points(new THREE.BufferGeometry(), overlay(new THREE.PointsMaterial({ size: 5, sizeAttenuation: false, vertexColors: true }))), max);
    this.mesh.renderOrder = 11;
  }
}

/** A line of text above a character. */
class Label extends CanvasSprite {
  private written = "";

  constructor() {
    super(384, 48);
    overlay(this.sprite.material);
    this.sprite.renderOrder = 12;
  }

  hide(): void {
    this.sprite.visible = false;
  }

  place(feet: Point, eye: THREE.Vector3): void {
    const { sprite } = this;
    sprite.visible = true;
    sprite.position.set(feet.x, feet.y + 2.02, feet.z);
    const height = 0.042 * Math.max(sprite.position.distanceTo(eye), 2);
    sprite.position.y += 0.9 * height;
    sprite.scale.set(8 * height, height, 1);
  }

  write({ name, delay }: RemoteDebugText): void {
    const text = delay === "" ? name : `${name} · ${delay}`;
    if (this.written === text) return;
    this.written = text;
    this.repaint((on) => {
      on.fillStyle = "rgba(8,12,18,0.72)";
      on.beginPath();
      on.roundRect(0, 0, 384, 48, 12);
      on.fill();
      on.fillStyle = "#ffffff";
      on.font = font(27, 600);
      on.fillText(text, 192, 25, 368);
    });
  }
}

/** Returns a record of a player of which nothing is known but how it is drawn. */
export function outlineOf({ id, position, velocity, stance }: Remote): RemoteDebug {
  const drawn = { position, velocity, crouched: stance.crouch > 0.5 };
  return { player: id, drawn, extrapolated: position, past: [], mode: "", source: "", delay: 0, blending: 0, offset: 0, age: NO_AGE };
}

const NO_AGE = { total: 0, server: 0, network: 0, client: 0 };
