// The page: input, and the picture on a canvas. The game is ../ships.go.
import { animate, connect } from "@backstep/client";
import type { Roots } from "./game";

const session = await connect<Roots>("/", { name: "Ann" });
Object.assign(window, { session }); // for the browser's console
const canvas = document.querySelector("canvas")!;
const draw = canvas.getContext("2d")!;
const keys = new Set<string>();
addEventListener("keydown", (event) => keys.add(event.code));
addEventListener("keyup", (event) => keys.delete(event.code));
const axis = (plus: string, minus: string): number => Number(keys.has(plus)) - Number(keys.has(minus));
type Place = { readonly x: number; readonly z: number };
let beams: { from: Place; to: Place; end: number }[] = []; // of shots, each seen for 100 ms

/** Draws a ship; wrecks are faint. */
function ship({ x, z }: Place, yaw: number, colour: string, dead: boolean, label: string): void {
  draw.globalAlpha = dead ? 0.25 : 1;
  draw.fillStyle = colour;
  draw.fillText(label, x, z - 1);
  draw.beginPath();
  const [sin, cos] = [Math.sin(yaw), Math.cos(yaw)];
  for (const [right, back] of [[0, -0.75], [0.5, 0.55], [0, 0.3], [-0.5, 0.55]] as const) draw.lineTo(x + right * cos + back * sin, z - right * sin + back * cos);
  draw.fill();
  draw.globalAlpha = 1;
}

animate((now) => {
  const input = { thrust: axis("KeyW", "KeyS"), turn: axis("KeyA", "KeyD"), claim: { fire: keys.has("Space") } };
  if (!session.frame(input) || session.self === undefined) return;
  // The player's own shots are seen at once, those of others as the server reports them.
  for (const { eye, outcome } of session.shots) beams.push({ from: { ...eye }, to: { ...outcome.point }, end: now + 100 });
  for (const { kind, from, to } of session.events) if (kind === "shotSeen") beams.push({ from: { ...from }, to: { ...to }, end: now + 100 });
  beams = beams.filter(({ end }) => end > now);
  [canvas.width, canvas.height] = [innerWidth * devicePixelRatio, innerHeight * devicePixelRatio];
  const scale = Math.min(canvas.width, canvas.height) / 38; // pixels a metre
  draw.setTransform(scale, 0, 0, scale, canvas.width / 2, canvas.height / 2);
  Object.assign(draw, { font: "0.7px system-ui", textAlign: "center", fillStyle: "#4a5468", strokeStyle: "#ffd58a", lineWidth: 0.1 });
  for (const { x, z, halfX, halfZ } of session.roots.level.blocks) draw.fillRect(x - halfX, z - halfZ, 2 * halfX, 2 * halfZ);
  const path = new Path2D(beams.map(({ from, to }) => `M${from.x} ${from.z}L${to.x} ${to.z}`).join(""));
  draw.stroke(path);
  for (const { position, yaw, dead, fields } of session.remotes) ship(position, yaw, "#ff6b5e", dead, `${fields?.name} ${fields?.score} ♥ ${fields?.health}`);
  const { name, score, health } = session.view.fields;
  ship(session.position, session.self.yaw, "#6ec6ff", session.self.dead, `${name} ${score} ♥ ${health}`);
});
