// The page: input, and the picture on a canvas. The game is ../ships.go.
import { connect } from "@backstep/client";
import type { Entity, Roots } from "./game";

const session = await connect<Roots>("/", { name: "Ann" });
Object.assign(window, { session }); // for the browser's console

const HALF = 18; // m, half the width of the level
const BEAM = 100; // ms that a shot is seen
const canvas = document.querySelector("canvas")!;
const draw = canvas.getContext("2d")!;
const keys = new Set<string>();
addEventListener("keydown", (event) => keys.add(event.code));
addEventListener("keyup", (event) => keys.delete(event.code));
addEventListener("blur", () => keys.clear());
const axis = (plus: string, minus: string): number => Number(keys.has(plus)) - Number(keys.has(minus));

interface Place {
  readonly x: number;
  readonly z: number;
}
let beams: { from: Place; to: Place; end: number }[] = [];

/** Draws a ship with its name, score and health. */
function ship({ x, z }: Place, yaw: number, colour: string, dead: boolean, fields: Entity["fields"] | undefined): void {
  draw.globalAlpha = dead ? 0.25 : 1;
  draw.fillStyle = "#e8eaf0";
  draw.fillText(`${fields?.name} ${fields?.score}`, x, z - 1.1);
  draw.fillRect(x - 0.7, z - 0.95, (1.4 * (fields?.health ?? 0)) / 100, 0.1);
  draw.save();
  draw.translate(x, z);
  draw.rotate(-yaw);
  draw.fillStyle = colour;
  draw.beginPath();
  for (const [px, pz] of [[0, -0.75], [0.5, 0.55], [0, 0.3], [-0.5, 0.55]] as const) draw.lineTo(px, pz);
  draw.fill();
  draw.restore();
  draw.globalAlpha = 1;
}

function circle({ x, z }: Place, radius: number, colour: string): void {
  draw.fillStyle = colour;
  draw.beginPath();
  draw.arc(x, z, radius, 0, 7);
  draw.fill();
}

requestAnimationFrame(function frame(now: number) {
  requestAnimationFrame(frame);
  const thrust = axis("KeyW", "KeyS");
  if (!session.frame({ thrust, turn: axis("KeyA", "KeyD"), claim: { fire: keys.has("Space") } })) return;
  // The player's own shots are seen at once, those of others as the server reports them.
  for (const { eye, outcome } of session.shots) beams.push({ from: { ...eye }, to: { ...outcome.point }, end: now + BEAM });
  for (const { kind, from, to } of session.events) if (kind === "shotSeen") beams.push({ from: { ...from }, to: { ...to }, end: now + BEAM });
  beams = beams.filter(({ end }) => end > now);

  [canvas.width, canvas.height] = [innerWidth * devicePixelRatio, innerHeight * devicePixelRatio];
  const scale = Math.min(canvas.width, canvas.height) / (2 * HALF + 2); // pixels a metre
  draw.setTransform(scale, 0, 0, scale, canvas.width / 2, canvas.height / 2);
  draw.font = "0.7px system-ui";
  draw.textAlign = "center";
  draw.fillStyle = "#141a26";
  draw.fillRect(-HALF, -HALF, 2 * HALF, 2 * HALF);
  for (const rock of session.roots.level.rocks) circle(rock, rock.r, "#4a5468");
  draw.strokeStyle = "#ffd58a";
  draw.lineWidth = 0.1;
  for (const { from, to } of beams) {
    draw.beginPath();
    draw.moveTo(from.x, from.z);
    draw.lineTo(to.x, to.z);
    draw.stroke();
  }
  for (const { position, yaw, dead, fields } of session.remotes) ship(position, yaw, "#ff6b5e", dead, fields);
  const { self, position } = session;
  if (self === undefined) return;
  const { x, z } = position;
  if (thrust > 0 && !self.dead) circle({ x: x + 0.6 * Math.sin(self.yaw), z: z + 0.6 * Math.cos(self.yaw) }, 0.2, "#ffb454");
  ship(position, self.yaw, "#6ec6ff", self.dead, session.view.fields);
});
