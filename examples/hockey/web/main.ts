import { animate, connect } from "@backstep/client";
import type { Entity, Roots } from "./game";

const session = await connect<Roots>(location.href, { name: new URLSearchParams(location.search).get("name") ?? "Skater" });
const keys = new Set<string>();
addEventListener("keydown", (e) => keys.add(e.code));
addEventListener("keyup", (e) => keys.delete(e.code));
const axis = (plus: string, minus: string): number => Number(keys.has(plus)) - Number(keys.has(minus));
const draw = document.querySelector("canvas")!.getContext("2d")!;
let yaw = 0;

function circle({ x, z }: { x: number; z: number }, radius: number, colour: string): void {
  draw.fillStyle = colour;
  draw.beginPath();
  draw.arc(270 + 26 * x, 450 + 26 * z, radius, 0, 7);
  draw.fill();
}

function skater({ x, z }: { x: number; z: number }, yaw: number, fields: Entity["fields"]): void {
  circle({ x, z }, 11, fields?.frozen ? "#7cf" : fields?.it ? "#e33" : "#25a");
  circle({ x: x - 0.5 * Math.sin(yaw), z: z - 0.5 * Math.cos(yaw) }, 4, "#111");
  draw.fillText(`${fields?.name} ${fields?.score}`, 258 + 26 * x, 432 + 26 * z);
}

animate(() => {
  yaw += 0.05 * axis("ArrowLeft", "ArrowRight");
  if (!session.frame({ forward: axis("KeyW", "KeyS"), right: axis("KeyD", "KeyA"), yaw, sprint: keys.has("ShiftLeft"), claim: { fire: keys.has("Space") } })) return;
  draw.clearRect(0, 0, 540, 900);
  for (const x of [36, 322]) draw.fillRect(x, 445, 182, 10);
  draw.fillStyle = session.movers[0]!.translation.y > 1.5 ? "#cde" : "#a63"; // the door
  draw.fillRect(218, 446, 104, 8);
  for (const puck of session.roots.bodies.drawn) circle(puck.position, 6, "#000");
  for (const remote of session.remotes) skater(remote.position, remote.yaw, remote.fields);
  skater(session.position, yaw, session.view.fields);
  draw.fillText(`stamina ${session.self?.stamina.toFixed(1)} s`, 8, 16);
});
