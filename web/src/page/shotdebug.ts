// The shot debug layer (F6): the hitboxes of a recent shot as the client drew them and as the
// server rebuilt them, the path of the shot, and its receipt. Start at ShotDebugLayer.show and
// shotText.
import * as THREE from "three";
import type { DamageEntry, HitKind, ShotDebugView } from "../client/index";
import { DebugLayer, legend } from "./debuglayer";
import { make } from "./dom";
import { drawHitbox } from "./hitboxes";
import { Lines } from "./lines";

const UPDATE_MS = 200; // ms between two updates of the text
const MAX_LINES = 24_000;
const CROSS = 0.12; // metres

const CLIENT_COLOUR = new THREE.Color(0x4aa8ff);
const SERVER_COLOUR = new THREE.Color(0xff4a3d);

/** Supplies names for the numbers of a shot. */
export interface ShotNames {
  name(id: number): string;
  weapon(index: number): string;
  /** Whether the weapon fires projectiles. */
  isProjectile(index: number): boolean;
  reason(code: number): string;
}

/** Returns the receipt as lines of text. */
export function shotText(p: ShotDebugView, names: ShotNames): string[] {
  const lines = [
    `${names.weapon(p.weapon)}, shot ${p.shot}`,
    `client: hit ${targetText(p.predictedHit, names.name(p.predictedTarget))}`,
    `server: ${verdictText(p, names)}`,
  ];
  if (p.verdict === "hit" || p.verdict === "miss") {
    lines.push(viewText(p, names.isProjectile(p.weapon)));
    lines.push(`poses tested: ${p.posesTested}, ${p.agrees ? "same result as the client" : "different from the client"}`);
  }
  lines.push(...p.damages().map((d) => damageText(d, names)), `hitboxes: ${deviationText(p)}`);
  return lines;
}

function targetText(kind: HitKind, player: string): string {
  return kind === "player" ? player : kind === "world" ? "the level" : kind;
}

function verdictText(p: ShotDebugView, names: ShotNames): string {
  const reason = p.reason === 0 ? "" : ` (${names.reason(p.reason)})`;
  const distance = names.isProjectile(p.weapon) ? [] : [`at ${p.distance.toFixed(1)} m`];
  switch (p.verdict) {
    case "waiting":
      return "no answer yet";
    case "refused":
      return `refused${reason}`;
    case "launched":
      return "projectile in flight";
    case "miss":
      return [`hit ${targetText(p.hitKind, names.name(p.target))}`, ...distance].join(" ") + reason;
    case "hit": {
      const target = p.hitKind === "player" ? [names.name(p.target), p.part] : [];
      const where = [...target, ...distance].join(", ");
      return `hit${where === "" ? "" : ` ${where}`}: ${p.damage} damage${reason}`;
    }
  }
}

/** Returns how far in the past the shot was judged. */
function viewText(p: ShotDebugView, projectile: boolean): string {
  const ago = (time: number): string => `${Math.round((p.fired - time) * 1000)} ms`;
  const granted = Math.abs(p.viewGranted - p.viewRequested) < 0.0005 ? "granted" : `granted ${ago(p.viewGranted)}`;
  return `view time: ${ago(p.viewRequested)} before ${projectile ? "the impact" : "the shot"} (${p.viewRequested.toFixed(3)} s), ${granted}`;
}

function damageText(d: DamageEntry, names: ShotNames): string {
  return `  ${names.name(d.target)}${d.part === "" ? "" : `, ${d.part}`}: ${d.damage} damage${d.reason === 0 ? "" : ` (${names.reason(d.reason)})`}`;
}

function deviationText(p: ShotDebugView): string {
  if (p.poses === "expired") return "no longer kept by the server";
  if (p.poses === "pending") return "waiting for the server";
  if (p.maxDeviation < 0) return "none on both sides to compare";
  if (p.maxDeviation === 0) return "identical";
  return `up to ${p.maxDeviation < 0.001 ? `${(p.maxDeviation * 1e6).toFixed(1)} µm` : `${(p.maxDeviation * 100).toFixed(1)} cm`} apart`;
}

/** The layer and its panel. */
export class ShotDebugLayer extends DebugLayer {
  private readonly text = make("div");
  private readonly title = make("h3");
  private readonly lines = new Lines(MAX_LINES);

  constructor(private readonly names: ShotNames) {
    super("shot-debug", UPDATE_MS);
    this.group.add(this.lines.mesh);
    this.panel.replaceChildren(this.title, this.text, legend([[CLIENT_COLOUR, "client"], [SERVER_COLOUR, "server"]]));
  }

  /** Draws the layer if it is shown; now in milliseconds. */
  show(shot: ShotDebugView, now: number): void {
    if (!this.group.visible) return;
    const { lines } = this;
    lines.clear();
    for (let i = 0; i < shot.hitboxes; i++) {
      const hitbox = shot.hitbox.at(i);
      drawHitbox(lines, hitbox, hitbox.server ? SERVER_COLOUR : CLIENT_COLOUR, hitbox.server);
    }
    for (let i = 0; i < shot.segments; i++) {
      const segment = shot.segment.at(i);
      const colour = segment.server ? SERVER_COLOUR : CLIENT_COLOUR;
      lines.line(...segment.a, ...segment.b, colour);
      if (segment.server || i + 1 === shot.segments) this.drawCross(...segment.b, colour);
    }
    lines.show();
    if (this.textDue(now)) this.write(shot);
  }

  private drawCross(x: number, y: number, z: number, colour: THREE.Color): void {
    this.lines.line(x - CROSS, y, z, x + CROSS, y, z, colour);
    this.lines.line(x, y - CROSS, z, x, y + CROSS, z, colour);
    this.lines.line(x, y, z - CROSS, x, y, z + CROSS, colour);
  }

  private write(shot: ShotDebugView): void {
    const fired = shot.count > 0;
    this.title.textContent = fired ? `Shot ${shot.index + 1} of ${shot.count} · [ = older, ] = newer` : "No shots fired yet";
    this.text.replaceChildren(...(fired ? shotText(shot, this.names) : []).map((line) => make("p", line)));
  }
}
