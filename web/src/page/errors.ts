// What went wrong, in words for a player: what it means, what to do, and a button that does it.
import { errorText, VersionError } from "@backstep/client";
import { setText } from "@backstep/three/parts";
import { element } from "./dom";

/** An error as the page shows it. */
export interface Advice {
  title: string;
  /** What the player can do. */
  text: string;
  /** What the button does: reload the page, join again, or there is none. */
  button: "reload" | "again" | "";
  /** The message itself; may be empty. */
  detail: string;
}

/** The first pattern that matches decides. */
const KNOWN: readonly (readonly [pattern: RegExp, title: string, text: string, button: Advice["button"]])[] = [
  [/reload the page/, "This page is out of date", "The server has been updated. Reload to get its version.", "reload"],
  [/webgl/i, "No 3D graphics", "This browser has no WebGL 2. Switch on hardware acceleration in its settings, or use another browser.", "reload"],
  [/next level begins/, "The next level", "Everybody moves there.", ""],
  [/server is (stopping|about to stop)/, "The server has stopped", "It may be back in a minute.", "again"],
  [/\bfull\b/, "The match is full", "Try again when somebody has left.", "again"],
  [/too many/, "Too many connections", "Your network has opened too many. Wait a minute.", "again"],
  [/kicked|banned/, "You were removed from the match", "The server gives the reason below.", "again"],
  [/joined from elsewhere/, "You play in another tab", "Close the other one, or go on here.", "again"],
  [/token/, "This match needs an invitation", "Open it by the link of the game that you came from.", ""],
  [/failed to fetch|networkerror|load failed|status 5\d\d|did not open/i, "The server does not answer", "Check your connection. If it works, the server may be restarting.", "again"],
  [/lost|closed|no data|dropped|timeout|timed out|idle/i, "Connection lost", "Your seat and score are kept for a few seconds.", "again"],
  [/the core (keeps|does not)/, "The game has crashed", "Reload the page. If it happens again, please report it.", "reload"],
];

/** Returns what a player is to know about an error or the reason of a lost connection. */
export function adviceFor(error: unknown): Advice {
  const detail = errorText(error);
  if (error instanceof VersionError) return { title: KNOWN[0]![1], text: KNOWN[0]![2], button: "reload", detail };
  const found = KNOWN.find(([pattern]) => pattern.test(detail));
  if (found === undefined) return { title: "It did not work", text: "", button: "again", detail };
  const [, title, text, button] = found;
  return { title, text, button, detail };
}

/** Shows what went wrong for good, with a button that reloads the page. */
export function showTrouble(title: string, text: string): void {
  const root = element("trouble");
  setText(element("trouble-title"), title);
  setText(element("trouble-text"), text);
  root.hidden = false;
  document.exitPointerLock?.(); // a captured mouse could not click the button
  const button = root.querySelector("button")!;
  button.onclick = () => location.reload();
  button.focus();
}
