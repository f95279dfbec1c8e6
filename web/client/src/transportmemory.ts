// Where WebTransport has failed, kept in the browser for a day: a network that blocks UDP blocks it at the
// next visit too. Start at failedLately.

const KEY = "backstep.webtransport";
const DAY = 24 * 3600_000;
/** The most servers that are kept. */
const MAX_KEPT = 20;

/** Reads the times of failures by host. Without storage there are none. */
function read(): Record<string, number> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return typeof kept === "object" && kept !== null ? (kept as Record<string, number>) : {};
  } catch {
    return {};
  }
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return "";
  }
}

/** Reports whether WebTransport to a URL has failed in the last day; now in milliseconds since 1970. */
export function failedLately(url: string, now = Date.now()): boolean {
  const at = read()[hostOf(url)];
  return typeof at === "number" && at <= now && now - at < DAY;
}

/** Keeps that WebTransport to a URL has failed, or that it works. */
export function keepFailure(url: string, failed: boolean, now = Date.now()): void {
  const host = hostOf(url);
  const before = read();
  if (host === "" || (!failed && before[host] === undefined)) return;
  const others = Object.entries(before).filter(([other, at]) => other !== host && typeof at === "number" && now - at < DAY);
  const kept = failed ? [...others, [host, now] as [string, number]] : others;
  try {
    localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(kept.slice(-MAX_KEPT))));
  } catch {
    // storage is disabled
  }
}
