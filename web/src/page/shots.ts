// How one's own last shots were judged (F6): the figures that were aimed at as the page had
// them and as the server rebuilt them, the way of the shot, and the receipt in words. Start
// at ShotsLayer.show and shotText.
import * as THREE from "three";
import type { Hurt, ProofView } from "../client/index";
import { element, make } from "./dom";
import { Lines } from "./lines";
import { drawHitbox } from "./volumes";

const UPDATE_MS = 200; // ms between two texts
const MAX_LINES = 24_000; // lines
const CROSS = 0.12; // metres

/** What means what, here and in the legend. */
export const CLIENT_COLOUR = new THREE.Color(0x4aa8ff);
export const SERVER_COLOUR = new THREE.Color(0xff4a3d);

/** Who and what the numbers of a shot are. */
export interface ShotNames {
  name(id: number): string;
  weapon(index: number): string;
  /** Whether its shots fly. */
  isProjectile(index: number): boolean;
  reason(number: number): string;
}

/** The receipt in words, a line each. */
export function shotText(p: ProofView, words: ShotNames): string[] {
  const lines = [
    `${words.weapon(p.weapon)}, shot ${p.shot}: on your screen it met ${hitText(p.predictedHit, words.name(p.predictedTarget))}`,
    verdictText(p, words),
  ];
  if (p.verdict === "hit" || p.verdict === "miss") lines.push(viewText(p, words.isProjectile(p.weapon)), `tested against ${p.posesTested} ${p.posesTested === 1 ? "pose" : "poses"}, ${p.agrees ? "as you saw it" : "otherwise than you saw it"}`);
  lines.push(...p.damages().map((h) => damageText(h, words)), deviationText(p));
  return lines;
}

function hitText(met: string, name: string): string {
  return met === "somebody" ? name : met;
}

function verdictText(p: ProofView, words: ShotNames): string {
  const far = words.isProjectile(p.weapon) ? "" : ` at ${p.distance.toFixed(1)} m`;
  const why = p.reason === 0 ? "" : `: ${words.reason(p.reason)}`;
  switch (p.verdict) {
    case "waiting":
      return "the server has not answered yet";
    case "refused":
      return `refused${why}`;
    case "launched":
      return "on its way";
    case "miss":
      return `missed: it met ${hitText(p.hitKind, words.name(p.target))}${far}${why}`;
    case "hit": {
      const whom = p.hitKind === "somebody" ? `${words.name(p.target)}, ${p.part}, ` : "";
      return `hit ${whom}${far.trimStart()}: ${p.damage} damage${why}`.replace(", :", ":").replace("hit :", "hit:");
    }
  }
}

/** How far in the past the picture was. */
function viewText(p: ProofView, flies: boolean): string {
  const ago = (time: number): string => `${Math.round((p.fired - time) * 1000)} ms`;
  const granted = Math.abs(p.viewGranted - p.viewRequested) < 0.0005 ? "granted" : `the server granted ${ago(p.viewGranted)}`;
  return `${flies ? "where it ended" : "when you fired"} you saw them as they were ${ago(p.viewRequested)} before (picture of ${p.viewRequested.toFixed(3)} s): ${granted}`;
}

function damageText(h: Hurt, words: ShotNames): string {
  return `  ${words.name(h.target)}${h.part === "" ? "" : `, ${h.part}`}: ${h.damage}${h.why === 0 ? "" : ` (${words.reason(h.why)})`}`;
}

function deviationText(p: ProofView): string {
  if (p.poses === 2) return "the server keeps no poses of this shot";
  if (p.poses === 0) return "its poses have not come yet";
  if (p.maxDeviation < 0) return "nobody was near on both sides: nothing to compare";
  if (p.maxDeviation === 0) return "blue and red are the same, bit for bit";
  return `blue and red are at most ${p.maxDeviation < 0.001 ? `${(p.maxDeviation * 1e6).toFixed(1)} µm` : `${(p.maxDeviation * 100).toFixed(1)} cm`} apart`;
}

/** The layer, and its panel. */
export class ShotDebugLayer {
  readonly group = new THREE.Group();
  private readonly root = element("shots");
  private readonly text = make("div");
  private readonly title = make("h3");
  private readonly lines = new Lines(MAX_LINES);
  private next = 0;

  constructor(private readonly words: ShotNames) {
    this.group.add(this.lines.mesh);
    this.group.visible = false;
    const legend = make("p", "", "legend");
    for (const [colour, text] of [[CLIENT_COLOUR, "as you saw it"], [SERVER_COLOUR, "as the server rebuilt it"]] as const) {
      const entry = make("span", text);
      entry.style.setProperty("--colour", `#${colour.getHexString()}`);
      legend.append(entry);
    }
    this.root.replaceChildren(this.title, this.text, legend);
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
  show(proof: ProofView, now: number): void {
    if (!this.group.visible) return;
    const { lines } = this;
    lines.clear();
    for (let i = 0; i < proof.hitboxes; i++) {
      const volume = proof.hitbox.at(i);
      drawHitbox(lines, volume, volume.server ? SERVER_COLOUR : CLIENT_COLOUR, volume.server);
    }
    for (let i = 0; i < proof.segments; i++) {
      const line = proof.segment.at(i);
      lines.line(...line.a, ...line.b, line.judged ? SERVER_COLOUR : CLIENT_COLOUR);
      if (line.judged || i + 1 === proof.segments) this.cross(...line.b, line.judged ? SERVER_COLOUR : CLIENT_COLOUR);
    }
    lines.show();
    if (now < this.next) return;
    this.next = now + UPDATE_MS;
    this.write(proof);
  }

  private cross(x: number, y: number, z: number, colour: THREE.Color): void {
    this.lines.line(x - CROSS, y, z, x + CROSS, y, z, colour);
    this.lines.line(x, y - CROSS, z, x, y + CROSS, z, colour);
    this.lines.line(x, y, z - CROSS, x, y, z + CROSS, colour);
  }

  private write(proof: ProofView): void {
    const some = proof.count > 0;
    this.title.textContent = some ? `Shot ${proof.index + 1} of the last ${proof.count}  ·  [ older, ] newer` : "You have not fired yet";
    this.text.replaceChildren(...(some ? shotText(proof, this.words) : []).map((line) => make("p", line)));
  }
}
