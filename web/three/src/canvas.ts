// Textures and sprites painted on a canvas.
import * as THREE from "three";

function paintable(width: number, height: number): CanvasRenderingContext2D {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("@backstep/three: no 2D canvas");
  return context;
}

/** Returns a square texture, painted once. */
export function paintTexture(size: number, paint: (on: CanvasRenderingContext2D, size: number) => void): THREE.CanvasTexture {
  const context = paintable(size, size);
  paint(context, size);
  const texture = new THREE.CanvasTexture(context.canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  texture.anisotropy = 8;
  return texture;
}

/** A sprite whose canvas can be repainted. */
export class CanvasSprite {
  readonly sprite: THREE.Sprite;
  private readonly context: CanvasRenderingContext2D;
  private readonly texture: THREE.CanvasTexture;

  constructor(width: number, height: number) {
    this.context = paintable(width, height);
    this.texture = new THREE.CanvasTexture(this.context.canvas);
    this.texture.colorSpace = THREE.SRGBColorSpace;
    this.sprite = new THREE.Sprite(new THREE.SpriteMaterial({ map: this.texture, depthWrite: false, fog: false, toneMapped: false }));
  }

  /** Clears the canvas and paints it; text is centred. */
  repaint(paint: (on: CanvasRenderingContext2D) => void): void {
    const { context } = this;
    context.clearRect(0, 0, context.canvas.width, context.canvas.height);
    context.textAlign = "center";
    context.textBaseline = "middle";
    paint(context);
    this.texture.needsUpdate = true;
  }

  dispose(): void {
    this.texture.dispose();
    this.sprite.material.dispose();
  }
}

/** Returns the font of sprites at a size in pixels. */
export function font(pixels: number, weight = 400): string {
  return `${weight} ${pixels}px Inter, 'Segoe UI', 'DejaVu Sans', Arial, sans-serif`;
}
