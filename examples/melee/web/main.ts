import { animate, connect } from "@backstep/client";
import { Controls, DefaultFigure, Stage, playerColour, type Player, type Pose } from "@backstep/three";
import * as THREE from "three";
import type { Roots } from "./game";

const [steel, wood] = [0xdfe6ee, 0x7a4a2b].map((color) => new THREE.MeshLambertMaterial({ color }));
const SWORD = [[0.15, 0.9], [-1.9, 0.5], [1.5, 0], [1.1, -0.5], [0.3, -1.1]] as const; // yaw and pitch by act: idle, wind-up, cut, recover, staggered

class Fighter extends DefaultFigure {
  private readonly arm = new THREE.Group();
  private readonly shield = new THREE.Mesh(new THREE.CylinderGeometry(0.5, 0.5, 0.07, 28).rotateX(Math.PI / 2), wood);
  constructor(private readonly player: Player<Roots>) {
    super(playerColour(player.id));
    this.shield.add(new THREE.Mesh(new THREE.SphereGeometry(0.13, 16, 12), steel), new THREE.Mesh(new THREE.TorusGeometry(0.5, 0.04, 8, 32), steel));
    this.arm.position.set(0.43, 1, -0.15);
    this.arm.add(new THREE.Mesh(new THREE.BoxGeometry(0.09, 0.03, 1.25).translate(0, 0, -0.85), steel), new THREE.Mesh(new THREE.BoxGeometry(0.36, 0.07, 0.07).translate(0, 0, -0.2), wood));
    this.add(this.arm, this.shield);
  }
  override update(pose: Pose): void {
    super.update(pose);
    const { act, shield } = this.player.fields;
    const [yaw, pitch] = SWORD[act]!;
    const by = Math.min(1, pose.dt * (act === 2 ? 16 : 10));
    this.arm.rotation.set(THREE.MathUtils.lerp(this.arm.rotation.x, pitch, by), THREE.MathUtils.lerp(this.arm.rotation.y, yaw, by), 0, "YXZ");
    this.shield.position.lerp(shield ? new THREE.Vector3(-0.1, 1.15, -0.6) : new THREE.Vector3(-0.5, 0.85, 0.05), by);
    this.shield.rotation.y = THREE.MathUtils.lerp(this.shield.rotation.y, shield ? 0 : 1.4, by);
    this.arm.visible = this.shield.visible = !pose.dead;
  }
}

const session = await connect<Roots>(location.href, { name: new URLSearchParams(location.search).get("name") ?? "Fighter" });
const stage = new Stage(session, {
  figure: (player) => new Fighter(player), name: ({ fields }) => `${fields.name} ${"♥".repeat(Math.ceil(fields.health / 25))}`,
  level: ({ up, height, shape }) => (up > 0.9 ? (height > 0.1 ? 0xd9c7a2 : 0xbfae8a) : shape > 3 ? 0x8d7b6c : 0xa8967c),
});
const controls = new Controls(stage.canvas, { buttons: { Mouse0: "strike", KeyQ: "block", Space: "jump" } });
stage.scene.add(new THREE.Mesh(new THREE.CircleGeometry(150, 48).rotateX(-Math.PI / 2).translate(0, -0.05, 0), new THREE.MeshLambertMaterial({ color: 0x9aa86a })));
animate(() => {
  if (!session.frame({ ...controls.move, claim: { fire: controls.fire }, block: controls.held("Mouse2", "KeyQ", "Pad6") })) return;
  for (const event of session.events) if (event.kind === "teleported" && !session.self!.dead) controls.look(event.yaw, -0.1);
  document.getElementById("scores")!.textContent = [session.view, ...session.remotes].map(({ fields }) => `${fields.name} ${fields.score}`).join("    ");
  (document.getElementById("health") as HTMLMeterElement).value = session.view.fields.health;
  stage.draw();
});
