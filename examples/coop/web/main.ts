import { animate, connect } from "@backstep/client";
import { Controls, DefaultFigure, Stage } from "@backstep/three";
import * as THREE from "three";
import type { Roots } from "./game";

const session = await connect<Roots>(location.href, { name: new URLSearchParams(location.search).get("name") ?? "Guard" });
const stage = new Stage(session, {
  camera: "first", name: ({ fields }) => `${fields.name} ${fields.health}`,
  entity: ({ kind }) => new DefaultFigure(kind === 1 ? 0x5f8f3f : 0xb2482f),
  level: ({ up, height }) => (up > 0.9 && height < 0.1 ? 0x87a860 : up > 0.9 ? 0xd3c3a4 : 0x9c8b76),
});
const controls = new Controls(stage.canvas, { buttons: { Mouse0: "fire", Space: "jump", KeyR: "reload" } });
const mesh = (geometry: THREE.BufferGeometry, color: number): THREE.Mesh => new THREE.Mesh(geometry, new THREE.MeshLambertMaterial({ color }));
const gun = new THREE.Group().add(mesh(new THREE.BoxGeometry(0.035, 0.045, 0.45), 0x4a5462), mesh(new THREE.BoxGeometry(0.03, 0.1, 0.06).translate(0, -0.06, 0.1), 0x7a4a2b));
stage.camera.add(gun);
for (const z of [-4.2, 4.2]) stage.scene.add(mesh(new THREE.CylinderGeometry(0.8, 0.8, 0.04, 32).translate(0, 0.02, z), 0x2fa7a0));
const tracer = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0xfff2a8, transparent: true }));
stage.scene.add(tracer, mesh(new THREE.CircleGeometry(150, 48).rotateX(-Math.PI / 2).translate(0, -0.05, 0), 0x6f9450));
const write = (id: string, text: string): unknown => (document.getElementById(id)!.textContent = text);
animate(() => {
  if (!session.frame({ ...controls.move, claim: { fire: controls.fire }, reload: controls.held("KeyR", "Pad2") })) return;
  for (const event of session.events) if (event.kind === "teleported" && !session.self!.dead) controls.look(event.yaw);
  tracer.material.opacity *= 0.8;
  for (const { outcomes } of session.shots) {
    tracer.geometry.setFromPoints([gun.localToWorld(new THREE.Vector3(0, 0, -0.3)), new THREE.Vector3().copy(outcomes[0]!.point)]);
    tracer.material.opacity = 1;
  }
  gun.position.set(0.22, -0.2, -0.55 + 0.06 * tracer.material.opacity);
  const { match, fields } = session.view;
  write("wave", `wave ${match.wave} · ${match.left} left · you shot ${fields.score}`);
  write("ammo", session.self!.dead ? "dead until the next wave" : `${session.self!.ammo[0]!.rounds} rounds (R reloads) · a gate stays shut while you stand on its plate`);
  (document.getElementById("health") as HTMLMeterElement).value = fields.health;
  stage.draw();
});
