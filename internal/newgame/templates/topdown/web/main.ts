// The page sends the input and draws the match from above. A player's abilities are in ../game/game.go.
import { connect } from "@backstep/client";
import type { Entity, Roots } from "./game";

const session = await connect<Roots>("/", { name: new URLSearchParams(location.search).get("name") ?? "Ann" });
const canvas = document.querySelector("canvas")!;
const draw = canvas.getContext("2d")!;
const keys = new Set<string>();
const mouse = { x: 0, y: 0 };
addEventListener("keydown", (event) => keys.add(event.code));
addEventListener("keyup", (event) => keys.delete(event.code));
addEventListener("blur", () => keys.clear());
addEventListener("pointermove", (event) => Object.assign(mouse, { x: event.clientX, y: event.clientY }));

/** The keys as a direction on the screen: 1 where the first is held, −1 where the second is. */
const axis = (plus: string, minus: string): number => Number(keys.has(plus)) - Number(keys.has(minus));

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

requestAnimationFrame(function frame() {
  requestAnimationFrame(frame);
  const yaw = Math.atan2(innerWidth / 2 - mouse.x, innerHeight / 2 - mouse.y);
  const [right, up] = [axis("KeyD", "KeyA"), axis("KeyW", "KeyS")];
  // The keys are relative to the screen, the input is relative to the view.
  const forward = up * Math.cos(yaw) - right * Math.sin(yaw);
  const sideways = right * Math.cos(yaw) + up * Math.sin(yaw);
  if (!session.frame({ forward, right: sideways, yaw, sprint: keys.has("ShiftLeft") })) return;
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
  player(session.position, yaw, session.view.fields);
});
