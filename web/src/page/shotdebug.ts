// The shot debug layer (F6): a recent shot as a picture and a sentence, its hitboxes in the world as the
// client drew them and as the server rebuilt them, and its receipt, folded. Start at ShotDebugLayer.show,
// shotSentence and shotText.
import * as THREE from "three";
import type { DamageEvent, Outcome, ShownShot, Vec3 } from "../core";
import { DebugLayer, drawHitbox, legend, Lines, make, setText } from "@backstep/three/parts";
import { element } from "./dom";
import { paintShot, projectShot } from "./shotpicture";

const UPDATE_MS = 200; // ms between two updates of the text
const MAX_LINES = 24_000;
const CROSS = 0.12; // metres

const CLIENT_COLOUR = new THREE.Color(0x4aa8ff);
const SERVER_COLOUR = new THREE.Color(0xff4a3d);
/** The picture, pixels; it is shown at half of it. */
const PICTURE = { width: 640, height: 360 };
/** Metres between the hitboxes of both ends from which on the sentence says so. */
const APART = 0.001;

/** Supplies names for the numbers of a shot. */
export interface ShotNames {
  name(id: number): string;
  weapon(index: number): string;
  /** Whether the weapon fires projectiles. */
  isProjectile(index: number): boolean;
}

/** What the text of a shot is made of. */
export type ShotFigures = Pick<ShownShot, "record" | "fired" | "viewRequested" | "hitboxError">;
type Judged = NonNullable<ShownShot["record"]>;

/** Returns how a shot was judged and why, in one sentence. */
export function shotSentence(shot: ShotFigures, names: ShotNames): string {
  const { record } = shot;
  if (record === null) return "Fire once: this shows how the server judged your shot.";
  const { answered, receipt, seen } = record;
  if (!answered) return "The server has not judged this shot yet.";
  const { reason } = receipt;
  const sawPlayer = seen.kind === "player";
  if (receipt.verdict === "refused") return `The server refused this shot: ${reason}.`;
  if (receipt.verdict === "launched") return `Your ${names.weapon(record.weapon)} is still in flight.`;
  if (receipt.verdict === "miss") {
    if (!sawPlayer) return "A miss on your screen and on the server.";
    return `Your screen showed a hit on ${names.name(seen.target)}, but on the server the shot hit ${targetText(receipt.outcome, names)}: ${whyText(shot)}.`;
  }
  const target = receipt.outcome.kind === "player" ? receipt.outcome : receipt.events[0];
  const on = target === undefined ? "" : ` on ${names.name(target.target)}${target.hitGroup === "" ? "" : `, ${target.hitGroup}`}`;
  if (receipt.damage === 0) return `A hit${on} without damage${reason === "" ? "" : `: ${reason}`}.`;
  if (!sawPlayer && !names.isProjectile(record.weapon)) return `The server gave you a hit${on} that your screen did not show: ${receipt.damage} damage.`;
  return `A hit${on}: ${receipt.damage} damage, ${placeText(shot)}.`;
}

/** Returns where the server had the targets, for a hit. */
function placeText({ record, hitboxError }: ShotFigures): string {
  if (record?.debug?.known !== true || hitboxError < 0) return "judged in the view that you saw";
  return hitboxError < APART ? "with the target exactly where you saw it" : `with the target ${lengthText(hitboxError)} from where you saw it`;
}

/** Returns the likely cause of a hit that the server did not see. */
function whyText({ record, viewRequested, hitboxError }: ShotFigures): string {
  const late = record === null ? 0 : record.receipt.viewGranted - viewRequested;
  if (late > 0.0005) return `your view was ${Math.round(late * 1000)} ms older than the server allows`;
  if (hitboxError >= APART) return `there the target was ${lengthText(hitboxError)} from where you saw it`;
  return "you fired from another place than your screen showed";
}

function lengthText(distance: number): string {
  return distance < 0.01 ? `${(distance * 1000).toFixed(1)} mm` : `${(distance * 100).toFixed(0)} cm`;
}

/** Returns the receipt as lines of text; none without a shot. */
export function shotText(shot: ShotFigures, names: ShotNames): string[] {
  const { record } = shot;
  if (record === null) return [];
  const { receipt } = record;
  const lines = [
    `${names.weapon(record.weapon)}, shot ${record.number}`,
    `client: hit ${targetText(record.seen, names)}`,
    `server: ${verdictText(record, names)}`,
  ];
  if (record.answered && (receipt.verdict === "hit" || receipt.verdict === "miss")) {
    lines.push(viewText(shot, receipt.viewGranted, names.isProjectile(record.weapon)));
    lines.push(`poses tested: ${receipt.scene.count}, ${receipt.agrees ? "same result as the client" : "different from the client"}`);
  }
  const damages = receipt.events.slice(0, receipt.eventCount);
  lines.push(...damages.map((d) => damageText(d, names)), `hitboxes: ${deviationText(record, shot.hitboxError)}`);
  return lines;
}

function targetText({ kind, target }: Outcome, names: ShotNames): string {
  return kind === "player" ? names.name(target) : kind === "world" ? "the level" : kind;
}

function verdictText({ answered, receipt, weapon }: Judged, names: ShotNames): string {
  if (!answered) return "no answer yet";
  const { outcome } = receipt;
  const reason = receipt.reason === "" ? "" : ` (${receipt.reason})`;
  const distance = names.isProjectile(weapon) ? [] : [`at ${outcome.distance.toFixed(1)} m`];
  switch (receipt.verdict) {
    case "refused":
      return `refused${reason}`;
    case "launched":
      return "projectile in flight";
    case "miss":
      return [`hit ${targetText(outcome, names)}`, ...distance].join(" ") + reason;
    default: {
      const target = outcome.kind === "player" ? [names.name(outcome.target), outcome.hitGroup] : [];
      const where = [...target, ...distance].join(", ");
      return `hit${where === "" ? "" : ` ${where}`}: ${receipt.damage} damage${reason}`;
    }
  }
}

/** Returns how far in the past the shot was judged. */
function viewText({ fired, viewRequested }: ShotFigures, viewGranted: number, projectile: boolean): string {
  const ago = (time: number): string => `${Math.round((fired - time) * 1000)} ms`;
  const granted = Math.abs(viewGranted - viewRequested) < 0.0005 ? "granted" : `granted ${ago(viewGranted)}`;
  return `view time: ${ago(viewRequested)} before ${projectile ? "the impact" : "the shot"} (${viewRequested.toFixed(3)} s), ${granted}`;
}

function damageText(d: Pick<DamageEvent, "target" | "hitGroup" | "damage" | "reason">, names: ShotNames): string {
  return `  ${names.name(d.target)}${d.hitGroup === "" ? "" : `, ${d.hitGroup}`}: ${d.damage} damage${d.reason === "" ? "" : ` (${d.reason})`}`;
}

/** Whether the server's poses are here: not yet, received, or no longer kept by the server. */
export function posesStatus({ debug }: Judged): "pending" | "received" | "expired" {
  return debug === null ? "pending" : debug.known ? "received" : "expired";
}

function deviationText(record: Judged, hitboxError: number): string {
  const status = posesStatus(record);
  if (status === "expired") return "no longer kept by the server";
  if (status === "pending") return "waiting for the server";
  if (hitboxError < 0) return "none on both sides to compare";
  if (hitboxError === 0) return "identical";
  return `up to ${hitboxError < 0.001 ? `${(hitboxError * 1e6).toFixed(1)} µm` : `${(hitboxError * 100).toFixed(1)} cm`} apart`;
}

/** The layer and its panel. */
export class ShotDebugLayer extends DebugLayer {
  private readonly text = make("div");
  private readonly title = make("h3");
  private readonly sentence = make("p", "", "sentence");
  private readonly picture = document.createElement("canvas");
  private readonly details = make("details");
  private readonly legend = legend([[CLIENT_COLOUR, "your screen"], [SERVER_COLOUR, "the server"]]);
  private readonly lines = new Lines(MAX_LINES);

  constructor(private readonly names: ShotNames) {
    super(element("shot-debug"), UPDATE_MS);
    this.group.add(this.lines.mesh);
    Object.assign(this.picture, PICTURE);
    this.picture.setAttribute("role", "img");
    this.details.append(make("summary", "All figures"), this.text);
    this.panel.replaceChildren(this.title, this.picture, this.legend, this.sentence, this.details);
  }

  /** Draws the layer if it is shown; now in milliseconds. */
  show(shot: ShownShot, now: number): void {
    if (!this.group.visible) return;
    const { lines } = this;
    lines.clear();
    for (const hitbox of shot.hitboxes) drawHitbox(lines, hitbox, hitbox.judged ? SERVER_COLOUR : CLIENT_COLOUR, hitbox.judged);
    shot.lines.forEach(({ judged, a, b }, i) => {
      const colour = judged ? SERVER_COLOUR : CLIENT_COLOUR;
      lines.line(a.x, a.y, a.z, b.x, b.y, b.z, colour);
      if (judged || i + 1 === shot.lines.length) this.drawCross(b, colour);
    });
    lines.show();
    if (this.textDue(now)) this.write(shot);
  }

  private drawCross({ x, y, z }: Vec3, colour: THREE.Color): void {
    this.lines.line(x - CROSS, y, z, x + CROSS, y, z, colour);
    this.lines.line(x, y - CROSS, z, x, y + CROSS, z, colour);
    this.lines.line(x, y, z - CROSS, x, y, z + CROSS, colour);
  }

  private write(shot: ShownShot): void {
    const { stored, selected } = shot;
    this.title.textContent = stored > 0 ? `Shot ${selected + 1} of ${stored}${stored > 1 ? " · [ older, ] newer" : ""}` : "No shots fired yet";
    setText(this.sentence, shotSentence(shot, this.names));
    this.picture.setAttribute("aria-label", this.sentence.textContent);
    this.text.replaceChildren(...shotText(shot, this.names).map((line) => make("p", line)));
    this.details.hidden = shot.record === null;
    const projected = projectShot(shot, PICTURE.width, PICTURE.height);
    const on = this.picture.getContext("2d");
    this.picture.hidden = this.legend.hidden = projected === undefined || on === null;
    if (projected !== undefined && on !== null) paintShot(on, projected, CLIENT_COLOUR.getStyle(), SERVER_COLOUR.getStyle());
  }
}
