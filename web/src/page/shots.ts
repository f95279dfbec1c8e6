// How one's own last shots were judged (F6): the figures that were aimed at as the page had
// them and as the server rebuilt them, the way of the shot, and the receipt in words. Start
// at ShotsLayer.show and shotText.
import * as THREE from "three";
import type { Hurt, ProofView } from "../client/index";
import { element, make } from "./dom";
import { Lines } from "./lines";
import { outline } from "./volumes";

const EVERY = 200; // ms between two texts
const MOST = 24_000; // lines
const CROSS = 0.12; // metres

/** What means what, here and in the legend. */
export const SEEN = new THREE.Color(0x4aa8ff);
export const JUDGED = new THREE.Color(0xff4a3d);

/** Who and what the numbers of a shot are. */
export interface Words {
  name(id: number): string;
  weapon(index: number): string;
  /** Whether its shots fly. */
  flies(index: number): boolean;
  reason(number: number): string;
}

/** The receipt in words, a line each. */
export function shotText(p: ProofView, words: Words): string[] {
  const lines = [
    `${words.weapon(p.weapon)}, shot ${p.shot}: on your screen it met ${metText(p.saw, words.name(p.sawTarget))}`,
    verdictText(p, words),
  ];
  if (p.verdict === "hit" || p.verdict === "miss") lines.push(timesText(p, words.flies(p.weapon)), `tested against ${p.tested} ${p.tested === 1 ? "pose" : "poses"}, ${p.agrees ? "as you saw it" : "otherwise than you saw it"}`);
  lines.push(...p.hurts().map((h) => hurtText(h, words)), apartText(p));
  return lines;
}

function metText(met: string, name: string): string {
  return met === "somebody" ? name : met;
}

function verdictText(p: ProofView, words: Words): string {
  const far = words.flies(p.weapon) ? "" : ` at ${p.distance.toFixed(1)} m`;
  const why = p.reason === 0 ? "" : `: ${words.reason(p.reason)}`;
  switch (p.verdict) {
    case "waiting":
      return "the server has not answered yet";
    case "refused":
      return `refused${why}`;
    case "launched":
      return "on its way";
    case "miss":
      return `missed: it met ${metText(p.met, words.name(p.target))}${far}${why}`;
    case "hit": {
      const whom = p.met === "somebody" ? `${words.name(p.target)}, ${p.part}, ` : "";
      return `hit ${whom}${far.trimStart()}: ${p.damage} damage${why}`.replace(", :", ":").replace("hit :", "hit:");
    }
  }
}

/** How far in the past the picture was. */
function timesText(p: ProofView, flies: boolean): string {
  const ago = (time: number): string => `${Math.round((p.fired - time) * 1000)} ms`;
  const granted = Math.abs(p.granted - p.asked) < 0.0005 ? "granted" : `the server granted ${ago(p.granted)}`;
  return `${flies ? "where it ended" : "when you fired"} you saw them as they were ${ago(p.asked)} before (picture of ${p.asked.toFixed(3)} s): ${granted}`;
}

function hurtText(h: Hurt, words: Words): string {
  return `  ${words.name(h.target)}${h.part === "" ? "" : `, ${h.part}`}: ${h.damage}${h.why === 0 ? "" : ` (${words.reason(h.why)})`}`;
}

function apartText(p: ProofView): string {
  if (p.known === 2) return "the server keeps no poses of this shot";
  if (p.known === 0) return "its poses have not come yet";
  if (p.apart < 0) return "nobody was near on both sides: nothing to compare";
  if (p.apart === 0) return "blue and red are the same, bit for bit";
  return `blue and red are at most ${p.apart < 0.001 ? `${(p.apart * 1e6).toFixed(1)} µm` : `${(p.apart * 100).toFixed(1)} cm`} apart`;
}

/** The layer, and its panel. */
export class ShotsLayer {
  readonly group = new THREE.Group();
  private readonly root = element("shots");
  private readonly text = make("div");
  private readonly title = make("h3");
  private readonly lines = new Lines(MOST);
  private next = 0;

  constructor(private readonly words: Words) {
    this.group.add(this.lines.mesh);
    this.group.visible = false;
    const legend = make("p", "", "legend");
    for (const [colour, text] of [[SEEN, "as you saw it"], [JUDGED, "as the server rebuilt it"]] as const) {
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
    for (let i = 0; i < proof.volumes; i++) {
      const volume = proof.volume.at(i);
      outline(lines, volume, volume.judged ? JUDGED : SEEN, volume.judged);
    }
    for (let i = 0; i < proof.lines; i++) {
      const line = proof.line.at(i);
      lines.line(...line.a, ...line.b, line.judged ? JUDGED : SEEN);
      if (line.judged || i + 1 === proof.lines) this.cross(...line.b, line.judged ? JUDGED : SEEN);
    }
    lines.show();
    if (now < this.next) return;
    this.next = now + EVERY;
    this.write(proof);
  }

  private cross(x: number, y: number, z: number, colour: THREE.Color): void {
    this.lines.line(x - CROSS, y, z, x + CROSS, y, z, colour);
    this.lines.line(x, y - CROSS, z, x, y + CROSS, z, colour);
    this.lines.line(x, y, z - CROSS, x, y, z + CROSS, colour);
  }

  private write(proof: ProofView): void {
    const some = proof.shots > 0;
    this.title.textContent = some ? `Shot ${proof.chosen + 1} of the last ${proof.shots}  ·  [ older, ] newer` : "You have not fired yet";
    this.text.replaceChildren(...(some ? shotText(proof, this.words) : []).map((line) => make("p", line)));
  }
}
