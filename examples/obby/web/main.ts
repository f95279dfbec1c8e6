import { animate, connect } from "@backstep/client";
import { Controls, Stage } from "@backstep/three";
import * as THREE from "three";
import type { Roots } from "./game";

const session = await connect<Roots>(location.href, { name: new URLSearchParams(location.search).get("name") ?? "Jumper" });
const stage = new Stage(session, {
  distance: 7,
  shoulder: 1.2,
  level: ({ up, shape }) => new THREE.Color().setHSL((0.08 + 0.13 * shape) % 1, 0.65, up > 0.5 ? 0.62 : 0.42),
});
const controls = new Controls(stage.canvas, { buttons: { Space: "jump", KeyR: "restart" } });
const board = document.querySelector("#board")!;
document.body.append(board); // above the canvas
const text = (id: string, value: string): void => void (document.getElementById(id)!.textContent = value);

const rings = session.roots.course.checkpoints.map(({ x, y, z }) => {
  const ring = new THREE.Mesh(new THREE.TorusGeometry(1.6, 0.09, 12, 48), new THREE.MeshBasicMaterial({ color: 0xffffff }));
  ring.position.set(x, y + 1.4, z);
  stage.scene.add(ring);
  return ring;
});
for (const [x, y, z, depth] of [[0, 0.02, -55, 1.2], [0, 5, -64.99, 0]] as const) { // the pad glows, the ladder has rungs
  for (let i = 0; i < (depth > 0 ? 1 : 11); i++) {
    const mesh = new THREE.Mesh(new THREE.BoxGeometry(depth > 0 ? 2 : 1.4, depth > 0 ? 0.06 : 0.08, depth || 0.12), new THREE.MeshBasicMaterial({ color: depth > 0 ? 0x35e0ff : 0x6b4a2b }));
    mesh.position.set(x, y + 0.45 * i, z);
    stage.scene.add(mesh);
  }
}

animate(() => {
  if (!session.frame({ ...controls.move, buttons: Number(controls.pressed("KeyR", "Pad2")) })) return;
  const { checkpoint, time, best, falls } = session.self!;
  rings.forEach((ring, i) => {
    ring.material.color.set(i <= checkpoint ? 0x58d68d : i === checkpoint + 1 ? 0xffc93c : 0xffffff);
    ring.visible = i > 0;
  });
  text("time", `${time.toFixed(1)} s`);
  const others = session.remotes.map((r) => `${r.fields.name}  ${r.fields.best > 0 ? `${r.fields.best / 10} s` : `at ${r.fields.checkpoint} of ${rings.length - 1}`}`);
  text("others", [`checkpoint ${checkpoint} of ${rings.length - 1}, ${falls} falls${best > 0 ? `, best ${best.toFixed(1)} s` : ""}`, ...others, "R begins anew"].join("\n"));
  stage.draw();
});
