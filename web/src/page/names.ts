// Name tags above figures. Start at NameTag.
import * as THREE from "three";

const MAX_DISTANCE = 55;

/** A name that floats above a figure and faces the camera. */
export class NameTag {
  readonly sprite: THREE.Sprite;
  private readonly canvas = document.createElement("canvas");
  private readonly texture: THREE.CanvasTexture;
  private name = "";

  constructor(name: string, private readonly colour: THREE.Color) {
    this.canvas.width = 256;
    this.canvas.height = 64;
    this.texture = new THREE.CanvasTexture(this.canvas);
    this.texture.colorSpace = THREE.SRGBColorSpace;
    const material = new THREE.SpriteMaterial({ map: this.texture, depthWrite: false, fog: false, toneMapped: false });
    this.sprite = new THREE.Sprite(material);
    this.rename(name);
  }

  /** Paints another name, if it is another. */
  rename(name: string): void {
    if (name === this.name) return;
    this.name = name;
    const paint = this.canvas.getContext("2d");
    if (paint === null) return;
    paint.clearRect(0, 0, 256, 64);
    paint.font = "600 32px Inter, 'Segoe UI', 'DejaVu Sans', Arial, sans-serif";
    paint.textAlign = "center";
    paint.textBaseline = "middle";
    paint.lineWidth = 7;
    paint.lineJoin = "round";
    paint.strokeStyle = "rgba(8,12,18,0.75)";
    paint.strokeText(name, 128, 34, 244);
    paint.fillStyle = `#${this.colour.clone().lerp(new THREE.Color(1, 1, 1), 0.72).getHexString()}`;
    paint.fillText(name, 128, 34, 244);
    this.texture.needsUpdate = true;
  }

  /** Puts the tag there, legible from near and far, gone from very far; times as large. */
  place(x: number, y: number, z: number, eye: THREE.Vector3, visible: boolean, times: number): void {
    this.sprite.position.set(x, y, z);
    const distance = this.sprite.position.distanceTo(eye);
    this.sprite.visible = visible && distance < MAX_DISTANCE * times;
    const height = 0.16 + distance * 0.014 * times;
    this.sprite.position.y += height - 0.16 - distance * 0.014;
    this.sprite.scale.set(4 * height, height, 1);
  }

  dispose(): void {
    this.texture.dispose();
    this.sprite.material.dispose();
  }
}
