// One sentence for each thing that happens. Start at sentenceOf.
import { CORRECTED, HURT, JUDGED, type SplitEvent } from "./frame.js";

const ms = (time: number): string => `${Math.round(time)} ms`;
const metres = (m: number): string => `${m.toFixed(1)} m`;

/** Returns what an event means, empty if it needs no words. */
export function sentenceOf(e: SplitEvent): string {
  switch (e.kind) {
    case JUDGED:
      return judged(e);
    case HURT:
      return e.player === 0 ? `You were hit: the opponent saw you where you had been ${ms(e.ago)} before.` : "";
    case CORRECTED:
      return corrected(e);
  }
  return "";
}

function judged(e: SplitEvent): string {
  const [you, other] = e.player === 0 ? ["You", "the opponent"] : ["The opponent", "you"];
  const saw = `${e.player === 0 ? "you" : "the opponent"} saw`;
  if (!e.hit) return `${you} missed. The server went back ${ms(e.ago)} to check what ${saw}.`;
  const moved = e.moved < 0.3 ? "" : ` ${other === "you" ? "You have" : "The opponent has"} moved on by ${metres(e.moved)} since.`;
  return `${you} hit what ${saw} ${ms(e.ago)} ago: the server rewound ${other}.${moved}`;
}

function corrected(e: SplitEvent): string {
  const whose = e.player === 0 ? "Your" : "The opponent’s";
  if (e.pushed) return `${whose} screen learns of the push: no prediction could know it, so it is blended in.`;
  return `${whose} prediction was off by ${metres(e.moved)} after lost packets: corrected and blended.`;
}

/** Returns what is true all the time, as the figures stand. */
export function sentenceOfMotion(shown: { server: number; opponent: number }): string {
  return `Your screen does not wait: it predicts. The server follows ${ms(shown.server)} later, the opponent’s screen ${ms(shown.opponent)} later.`;
}
