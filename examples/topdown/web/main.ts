import { animate, connect, TRIANGLE_SIZE } from "@backstep/client";
import { Controls } from "@backstep/three";
import type { Entity, Roots } from "./game";

type Point = { readonly x: number; readonly z: number };
const colour = (id: number): string => ["#4cc9f0", "#f72585", "#80ed99", "#ff9f1c", "#b388ff"][id % 5]!;

const session = await connect<Roots>(location.href, { name: new URLSearchParams(location.search).get("name") ?? "Runner" });
const canvas = document.querySelector("canvas")!;
const draw = canvas.getContext("2d")!;
const controls = new Controls(canvas, { topDown: true, buttons: { Mouse0: "fire" } });

/** Returns the tops of the walls, from the level's own triangles. */
function wallTops(): Path2D {
  const path = new Path2D();
  const t = session.triangles(0);
  for (let i = 0; i < t.length; i += TRIANGLE_SIZE) {
    if (Math.min(t[i + 1]!, t[i + 4]!, t[i + 7]!) < 2.3) continue;
    path.addPath(new Path2D(`M${[0, 3, 6].map((corner) => `${t[i + corner]} ${t[i + corner + 2]}`).join("L")}`));
  }
  return path;
}
let walls = new Path2D();
let drawnLevel = ""; // its hash

function disc({ x, z }: Point, radius: number, fill: string): void {
  draw.fillStyle = fill;
  draw.beginPath();
  draw.arc(x, z, radius, 0, 7);
  draw.fill();
}

function runner(id: number, { x, z }: Point, yaw: number, { name, coins, wins }: Entity["fields"]): void {
  const ahead = (by: number): Point => ({ x: x - by * Math.sin(yaw), z: z - by * Math.cos(yaw) });
  for (const by of [0.45, 0.55, 0.65]) disc(ahead(by), 0.12, "#dfe6f2");
  disc({ x, z }, 0.4, colour(id));
  disc(ahead(0.1), 0.2, "#fff9");
  [draw.fillStyle, draw.shadowColor] = ["#fff", "#0000"];
  draw.fillText(`${"★".repeat(wins)} ${name} ${coins}`, x, z - 0.65);
}

/** Draws floor, walls and things around a point in the middle of a part of the screen. */
function map(middle: Point, x: number, y: number, scale: number): void {
  draw.setTransform(scale, 0, 0, scale, x - scale * middle.x, y - scale * middle.z);
  draw.fillStyle = "#222b3d";
  draw.fillRect(-19.5, -13.5, 39, 27);
  [draw.shadowColor, draw.shadowOffsetX, draw.shadowOffsetY] = ["#0008", 0.2 * scale, 0.25 * scale];
  draw.fillStyle = "#5b6b8c";
  draw.fill(walls);
  for (const { kind, position } of session.entities) disc(position, kind === 1 ? 0.3 : 0.18, kind === 1 ? "#ffc93c" : "#ff8080");
  for (const { drawn } of session.projectiles) disc(drawn, 0.18, "#ffd0d0");
  [draw.font, draw.textAlign] = ["0.45px system-ui", "center"];
  for (const r of session.remotes) runner(r.id, r.position, r.yaw, r.fields);
  runner(session.id, session.position, controls.yaw, session.view.fields);
}

animate(() => {
  const { forward, right, yaw } = controls.move;
  if (!session.frame({ forward, right, yaw, claim: { fire: controls.fire } })) return;
  if (session.joinInfo.level !== drawnLevel) [walls, drawnLevel] = [wallTops(), session.joinInfo.level]; // the first, or the next maze
  [canvas.width, canvas.height] = [innerWidth, innerHeight];
  map(session.position, innerWidth / 2, innerHeight / 2, Math.max(innerWidth / 28, innerHeight / 18));
  map({ x: 0, z: 0 }, innerWidth - 90, innerHeight - 65, 4);
});
