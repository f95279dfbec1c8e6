// A game's page in an empty project: joins, plays, and shows where everybody is. The test installs the
// packed package beside it and reads window.game.
import { connect, copy, type Link, type Session } from "@backstep/client";
import type { Event, Roots } from "./game";

interface Game {
  session: Session<Roots>;
  /** The command of every frame; undefined stops the page's frames, as in a hidden tab. */
  input: { forward?: number; yaw?: number; jet?: boolean } | undefined;
  /** All events so far. */
  events: Event[];
  links: Link["status"][];
  frames: number;
}

declare global {
  interface Window {
    game?: Game;
  }
}

const query = new URLSearchParams(location.search);
const links: Link["status"][] = [];
const session = await connect<Roots>(location.href, {
  name: query.get("name") ?? "Ann",
  transport: query.get("transport") === "websocket" ? "websocket" : "auto",
  onLink: (link) => links.push(link.status),
});
const game: Game = { session, input: {}, events: [], links, frames: 0 };
window.game = game;
const text = document.getElementById("state");

function frame(): void {
  requestAnimationFrame(frame);
  if (game.input === undefined) return;
  if (!session.frame(game.input)) return;
  game.frames++;
  game.events.push(...copy(session.events));
  const { self, position, remotes, stats } = session;
  if (text === null || self === undefined) return;
  text.textContent = [
    `fuel ${self.fuel.toFixed(1)} s, at ${position.x.toFixed(1)} ${position.y.toFixed(1)} ${position.z.toFixed(1)}`,
    ...remotes.map((r) => `player ${r.id} at ${r.position.x.toFixed(1)} ${r.position.y.toFixed(1)} ${r.position.z.toFixed(1)}`),
    `RTT ${(stats.rtt * 1000).toFixed(0)} ms`,
  ].join("\n");
}
requestAnimationFrame(frame);
