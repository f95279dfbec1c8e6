// The page sends the input and draws the match from above. A player's abilities are in ../game/game.go.
import { animate, connect } from "@backstep/client";
import { Controls } from "@backstep/three";
import type { Entity, Roots } from "./game";

const asked = new URLSearchParams(location.search);
const session = await connect<Roots>("/", { name: asked.get("name") ?? "Ann", match: asked.get("match") ?? "" });
const canvas = document.querySelector("canvas")!;
const draw = canvas.getContext("2d")!;
const controls = new Controls(canvas, { topDown: true, buttons: { ShiftLeft: "sprint" } });

function player({ x, z }: { x: number; z: number }, yaw: number, fields: Entity["fields"]): void {
  draw.fillStyle = fields?.it ? "#ff6b5e" : "#6ec6ff";
  draw.beginPath();
  draw.arc(x, z, 0.45, 0, 7);
  draw.fill();
  draw.fillStyle = "#20242c"; // the nose: it shows the facing
  draw.beginPath();
  draw.arc(x - 0.3 * Math.sin(yaw), z - 0.3 * Math.cos(yaw), 0.12, 0, 7);
  draw.fill();
  draw.fillStyle = "#e8eaf0";
  draw.fillText(`${fields?.name} ${fields?.score}`, x, z - 0.7);
}

animate(() => {
  const { move } = controls;
  if (!session.frame({ ...move, sprint: controls.held("ShiftLeft", "Pad10") })) return;
  [canvas.width, canvas.height] = [innerWidth * devicePixelRatio, innerHeight * devicePixelRatio];
  const scale = Math.min(canvas.width, canvas.height) / 24; // pixels a metre
  draw.setTransform(scale, 0, 0, scale, canvas.width / 2 - session.position.x * scale, canvas.height / 2 - session.position.z * scale);
  draw.font = "0.45px system-ui";
  draw.textAlign = "center";
  draw.fillStyle = "#2c323d";
  draw.fillRect(-15, -15, 30, 30);
  draw.fillStyle = "#4a5468";
  for (const { x, z, halfX, halfZ } of session.roots.level.walls) draw.fillRect(x - halfX, z - halfZ, 2 * halfX, 2 * halfZ);
  for (const other of session.remotes) player(other.position, other.yaw, other.fields);
  player(session.position, move.yaw, session.view.fields);
});
