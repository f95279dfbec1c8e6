// Name tags above characters. Start at NameTag.
import * as THREE from "three";
import { CanvasSprite, font } from "./canvas.js";

const MAX_DISTANCE = 55; // metres

/** A name that floats above a character and faces the camera. */
export class NameTag extends CanvasSprite {
  /** The name that is shown. */
  text = "";

  constructor(name: string, private readonly colour: THREE.Color) {
    super(256, 64);
    this.rename(name);
  }

  /** Repaints the tag if the name has changed. */
  rename(name: string): void {
    if (name === this.text) return;
    this.text = name;
    this.repaint((on) => {
      on.font = font(32, 600);
      on.lineWidth = 7;
      on.lineJoin = "round";
      on.strokeStyle = "rgba(8,12,18,0.75)";
      on.strokeText(name, 128, 34, 244);
      on.fillStyle = `#${this.colour.clone().lerp(new THREE.Color(1, 1, 1), 0.72).getHexString()}`;
      on.fillText(name, 128, 34, 244);
    });
  }

  /** Places the tag. It stays legible with distance and is hidden when very far; scale enlarges
   * it. */
  place(x: number, y: number, z: number, eye: THREE.Vector3, visible: boolean, scale: number): void {
    const { position } = this.sprite;
    const distance = position.set(x, y, z).distanceTo(eye);
    this.sprite.visible = visible && distance < MAX_DISTANCE * scale;
    const height = 0.16 + distance * 0.014 * scale;
    position.y += height - 0.16 - distance * 0.014;
    this.sprite.scale.set(4 * height, height, 1);
  }
}
