import { animate, connect } from "@backstep/client";
import { Controls, Stage } from "@backstep/three";
import * as THREE from "three";
import type { Roots } from "./game";

const session = await connect<Roots>(location.href, { name: new URLSearchParams(location.search).get("name") ?? "Player" });
const TEAMS = [0xffffff, 0xd8392b, 0x2b62d8];
const stage = new Stage(session, {
  distance: 5, colour: ({ fields }) => TEAMS[fields.team]!, entity: () => undefined, // the ball is drawn below, where the core predicts it
  level: ({ up, height, shape }) => (height > 2.3 || up < -0.5 ? undefined : up > 0.9 && height < 0.1 ? 0x4f9a45 : shape % 2 ? 0xf1f3f5 : 0x2f5f8f), // no glass
});
const controls = new Controls(stage.canvas, { buttons: { Mouse0: "kick", Space: "jump", ShiftLeft: "sprint" } });
const lambert = (options: THREE.MeshLambertMaterialParameters): THREE.MeshLambertMaterial => new THREE.MeshLambertMaterial(options);

const paper = Object.assign(document.createElement("canvas"), { width: 880, height: 1360 }); // 40 pixels a metre
const draw = paper.getContext("2d")!;
for (let i = 0; i < 10; i++) (draw.fillStyle = i % 2 ? "#4d9a43" : "#58a84c"), draw.fillRect(0, 136 * i, 880, 136);
Object.assign(draw, { strokeStyle: "#f4fff0", lineWidth: 5 });
for (const [x, y, w, h] of [[3, 3, 874, 1354], [3, 680, 874, 0], [240, 3, 400, 200], [240, 1157, 400, 200]] as const) draw.strokeRect(x, y, w, h);
draw.stroke(new Path2D("M 580 680 a 140 140 0 1 0 -280 0 a 140 140 0 1 0 280 0"));
const grass = new THREE.Mesh(new THREE.PlaneGeometry(22, 34), lambert({ map: new THREE.CanvasTexture(paper) }));
grass.material.map!.colorSpace = THREE.SRGBColorSpace;
Object.assign(grass, { receiveShadow: true }).rotateX(-Math.PI / 2).position.y = 0.01;

const ball = Object.assign(new THREE.Mesh(new THREE.SphereGeometry(0.26, 32, 24), lambert({ color: 0xffffff })), { castShadow: true });
for (let i = 0; i < 12; i++) { // a dark spot at each corner of an icosahedron
  const [a, b] = [i & 1 ? 1 : -1, i & 2 ? 1.618 : -1.618];
  const spot = new THREE.Mesh(new THREE.CircleGeometry(0.085, 5), lambert({ color: 0x222831, side: THREE.DoubleSide }));
  spot.position.fromArray([0, a, b, 0, a], i >> 2).setLength(0.258);
  spot.lookAt(spot.position.clone().multiplyScalar(2));
  ball.add(spot);
}
stage.scene.add(grass, ball, new THREE.Mesh(new THREE.CircleGeometry(150, 48).rotateX(-Math.PI / 2).translate(0, -0.05, 0), lambert({ color: 0x6fae5f })));

const show = (id: string, text: string): unknown => (document.getElementById(id)!.textContent = text);
animate(() => {
  if (!session.frame({ ...controls.move, sprint: controls.held("ShiftLeft", "Pad10"), kick: controls.fire })) return;
  for (const event of session.events) if (event.kind === "teleported") controls.look(event.yaw, -0.15);
  for (const body of session.roots.bodies.drawn) ball.position.copy(body.position), ball.quaternion.copy(body.rotation as THREE.Quaternion);
  show("score", `red ${session.view.match.red} : ${session.view.match.blue} blue`);
  show("notice", session.view.match.notice);
  (document.getElementById("charge") as HTMLMeterElement).value = session.self!.charge / 0.7;
  stage.draw();
});
