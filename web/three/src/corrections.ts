// Text for corrections of the player's own moves. Start at correctionRow.
import type { Correction, MoveCounters } from "./session.js";

const MAX_ENTRIES = 16;

/** Units of fields; a field without a unit is a count, or only equal or not. */
const UNITS: Readonly<Record<string, string>> = {
  "position": "m", "velocity": "m/s", "yaw": "°", "pitch": "°",
  "jump hold": "s", "cool-down": "s", "reload": "s", "dash rest": "s",
};
const COUNTS = new Set(["life", "rounds", "jumps"]);
const DEGREES = 180 / Math.PI;

/** A correction with its time from performance.now(). */
export interface TimedCorrection extends Correction {
  seen: number;
}

/** The last corrections, newest first. */
export class CorrectionLog {
  readonly list: TimedCorrection[] = [];

  add({ cause, known, distance, replayed, differences }: Correction, seen: number): void {
    this.list.unshift({ cause, known, distance, replayed, differences: differences.filter((d) => d.field !== "").map(({ field, by }) => ({ field, by })), seen });
    if (this.list.length > MAX_ENTRIES) this.list.pop();
  }
}

/** Formats metres: 0, 0.4 mm, 12 mm, 3.40 m. */
export function lengthText(metres: number): string {
  if (metres === 0) return "0";
  if (metres < 0.0001) return "< 0.1 mm";
  if (metres < 0.1) return `${(metres * 1000).toFixed(metres < 0.00095 ? 1 : 0)} mm`;
  return `${metres.toFixed(metres < 10 ? 2 : 0)} m`;
}

/** Formats one field: "velocity 1.4 m/s", "rounds 2", or its name alone. */
export function fieldText(d: Correction["differences"][number]): string {
  const unit = UNITS[d.field];
  if (unit === "m") return `${d.field} ${lengthText(d.by)}`;
  if (unit === "°") return `${d.field} ${digits(d.by * DEGREES)}°`;
  if (unit !== undefined) return `${d.field} ${digits(d.by)} ${unit}`;
  return COUNTS.has(d.field) ? `${d.field} ${d.by}` : d.field;
}

/** Formats two significant digits, at least a thousandth. */
function digits(value: number): string {
  if (value < 0.0005) return "< 0.001";
  return value.toFixed(value >= 10 ? 0 : value >= 1 ? 1 : value >= 0.01 ? 2 : 3);
}

/** The columns of a correction in the list. */
interface CorrectionRow {
  ago: string;
  cause: string;
  distance: string;
  fields: string;
  replayed: string;
}

/** Returns the time, cause, distance and mispredicted fields of a correction as text. */
export function correctionRow(c: TimedCorrection, now: number): CorrectionRow {
  return {
    ago: agoText((now - c.seen) / 1000),
    cause: causeText(c.cause),
    distance: c.known ? lengthText(c.distance) : "",
    fields: c.differences.map(fieldText).join(", "),
    replayed: `${c.replayed} replayed`,
  };
}

function agoText(seconds: number): string {
  const s = Math.max(0, seconds);
  if (s < 60) return `${s.toFixed(s < 9.95 ? 1 : 0)} s`;
  return s < 3600 ? `${Math.floor(s / 60)} min` : `${Math.floor(s / 3600)} h`;
}

/** Returns the name of a cause in words. */
function causeText(cause: string): string {
  return cause === "serverForce" ? "server force" : cause;
}

/** Returns the number of corrections by cause: "2 misprediction, 1 teleport", or "none". */
export function causesText(moves: Pick<MoveCounters, "corrections" | "serverForces" | "teleports" | "timeouts" | "throttles">): string {
  const counts: [name: string, n: number][] = [
    ["misprediction", moves.corrections], ["server force", moves.serverForces], ["teleport", moves.teleports],
    ["timeout", moves.timeouts], ["throttle", moves.throttles],
  ];
  return counts.filter(([, n]) => n > 0).map(([name, n]) => `${n} ${name}`).join(", ") || "none";
}
