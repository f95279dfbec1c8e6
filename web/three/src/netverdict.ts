// What the figures of the network mean: their last minute, and one sentence with the likely cause of what
// is wrong. Start at NetHistory and netVerdict.
import type { NetStats } from "./session.js";

/** Figures at a time in milliseconds; the rest in seconds and shares. */
export interface NetSample {
  at: number;
  rtt: number;
  jitter: number;
  lossUp: number;
  lossDown: number;
  /** How far in the past others are drawn, and moves that the server has not acknowledged. */
  buffer: number;
  unacknowledged: number;
  /** Corrections since joining that nobody wanted, and those of them by their causes. */
  corrections: number;
  timeouts: number;
  throttles: number;
}

const MINUTE = 60_000;
const INTERVAL = 500; // ms between two samples

/** The last minute, two samples a second. */
export class NetHistory {
  /** Oldest first. */
  samples: NetSample[] = [];

  /** Adds a sample if one is due. */
  add(net: NetStats, at: number): void {
    const last = this.samples.at(-1);
    if (last !== undefined && at - last.at < INTERVAL) return;
    const { moves } = net;
    this.samples.push({
      at, rtt: net.rtt, jitter: net.jitter, lossUp: net.lossUp, lossDown: net.lossDown, buffer: net.viewDelay,
      unacknowledged: moves.made - moves.acked - moves.dropped,
      corrections: moves.corrections + moves.timeouts + moves.throttles, timeouts: moves.timeouts, throttles: moves.throttles,
    });
    this.samples = this.samples.filter((sample) => at - sample.at <= MINUTE);
  }

  clear(): void {
    this.samples = [];
  }
}

export type Grade = "good" | "fair" | "bad";

/** A grade and a sentence. */
export interface NetVerdict {
  grade: Grade;
  text: string;
}

/** The limits of what is good, and from where on it is bad. */
const LOSS = [0.01, 0.05] as const;
const JITTER = [0.02, 0.05] as const;
const RTT = [0.12, 0.2] as const;
const CORRECTIONS = [3, 10] as const;
const FPS = 30;

function gradeOf(value: number, [fair, bad]: readonly [number, number]): Grade {
  return value >= bad ? "bad" : value >= fair ? "fair" : "good";
}

const millis = (seconds: number): string => `${Math.round(seconds * 1000)} ms`;
const percent = (share: number): string => `${(share * 100).toFixed(share < 0.0995 ? 1 : 0).replace(".0", "")} %`;

/** Returns what the last minute means; fps is that of the page. */
export function netVerdict(samples: readonly NetSample[], fps: number): NetVerdict {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || last.rtt === 0) return { grade: "good", text: "Measuring the connection…" };
  const corrections = last.corrections - first.corrections;
  const loss = Math.max(last.lossUp, last.lossDown);
  const way = last.lossUp >= last.lossDown ? "to" : "from";
  const problems: [Grade, string][] = [
    [gradeOf(loss, LOSS), `${percent(loss)} of the packets ${way} the server are lost, likely by Wi-Fi or a full line`],
    [gradeOf(last.jitter, JITTER), `packets arrive up to ${millis(last.jitter)} unevenly, likely by Wi-Fi or a busy line`],
    [gradeOf(last.rtt, RTT), `${millis(last.rtt)} to the server and back, likely because it is far away`],
    [gradeOf(corrections, CORRECTIONS), `${counted(corrections)}, ${causeOf(first, last)}`],
    [fps > 0 && fps < FPS ? "fair" : "good", `your page draws ${Math.round(fps)} fps, and a lower quality helps`],
  ];
  for (const grade of ["bad", "fair"] as const) {
    const found = problems.find(([g]) => g === grade);
    if (found !== undefined) return { grade, text: `${grade === "bad" ? "Bad" : "Fair"}: ${found[1]}.` };
  }
  return { grade: "good", text: `Good: ${millis(last.rtt)}, ${loss < 0.0005 ? "no" : percent(loss)} loss, ${counted(corrections)}.` };
}

function counted(corrections: number): string {
  return `${corrections} ${corrections === 1 ? "correction" : "corrections"} in the last minute`;
}

/** Returns the likely cause of most corrections. */
function causeOf(first: NetSample, last: NetSample): string {
  const all = last.corrections - first.corrections;
  if (2 * (last.timeouts - first.timeouts) >= all) return "mostly because your moves reached the server too late";
  if (2 * (last.throttles - first.throttles) >= all) return "mostly because your clock ran ahead of the server's";
  return "mostly because others did what your page could not foresee";
}
