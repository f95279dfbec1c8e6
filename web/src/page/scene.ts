// The stage: renderer, sun and sky light, fog, sky. Start at Stage.
import * as THREE from "three";
import type { Quality } from "./quality";

const HORIZON = new THREE.Color(0xc4d8ea);
const ZENITH = new THREE.Color(0x2f6db8);
const NADIR = new THREE.Color(0x8f9ba6);
const SUN_COLOUR = 0xfff0d2;
const SUN_DIRECTION = new THREE.Vector3(0.52, 0.68, 0.34).normalize();
const SHADOW_REACH = 30;

/** Where everything is drawn. Metres, Y up, −Z forward, as the core has it. */
export class Stage {
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(78, 1, 0.04, 400);
  readonly renderer: THREE.WebGLRenderer;
  private readonly sun = new THREE.DirectionalLight(SUN_COLOUR, 3.1);
  private readonly sky: THREE.Object3D;
  private ratio = 1;

  constructor(canvas: HTMLCanvasElement, quality: Quality) {
    this.renderer = new THREE.WebGLRenderer({
      canvas,
      antialias: quality.antialias,
      alpha: false,
      stencil: false,
      powerPreference: "high-performance",
    });
    this.renderer.toneMapping = THREE.ACESFilmicToneMapping;
    this.renderer.toneMappingExposure = 0.95;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.camera.rotation.order = "YXZ";
    this.scene.fog = new THREE.Fog(HORIZON, 38, 190);
    this.scene.background = HORIZON;
    this.sky = makeSky();
    this.scene.add(this.camera, this.sky, new THREE.HemisphereLight(0xcfe3ff, 0x8a7a66, 1.35), this.sun, this.sun.target);
    this.setUpShadow();
    this.use(quality);
    this.resize();
  }

  /** Applies a quality; shadows and resolution follow at once. */
  use(quality: Quality): void {
    this.ratio = quality.pixelRatio;
    this.sun.castShadow = quality.shadows;
    this.renderer.shadowMap.enabled = quality.shadows;
    this.scene.traverse((object) => {
      if (object instanceof THREE.Mesh && object.material instanceof THREE.Material) object.material.needsUpdate = true;
    });
    this.resize();
  }

  /** Fits the picture to the canvas's place on the page. */
  resize(): void {
    const { clientWidth, clientHeight } = this.renderer.domElement;
    const width = Math.max(clientWidth, 1);
    const height = Math.max(clientHeight, 1);
    this.renderer.setPixelRatio(Math.min(this.ratio, 4));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  /** Draws a picture. */
  draw(): void {
    this.followShadow();
    this.sky.position.copy(this.camera.position);
    this.renderer.render(this.scene, this.camera);
  }

  private setUpShadow(): void {
    const shadow = this.sun.shadow;
    shadow.mapSize.set(2048, 2048);
    shadow.bias = -0.0004;
    shadow.normalBias = 0.035;
    shadow.radius = 2.2;
    const lens = shadow.camera;
    lens.left = lens.bottom = -SHADOW_REACH;
    lens.right = lens.top = SHADOW_REACH;
    lens.near = 1;
    lens.far = 160;
    lens.updateProjectionMatrix();
  }

  /** One shadow map serves the surroundings of the camera. It moves in whole
   * texels, else the edges of shadows would crawl. */
  private followShadow(): void {
    const texel = (2 * SHADOW_REACH) / this.sun.shadow.mapSize.x;
    const at = this.sun.target.position.copy(this.camera.position);
    at.x = Math.round(at.x / texel) * texel;
    at.y = Math.round(at.y / texel) * texel;
    at.z = Math.round(at.z / texel) * texel;
    this.sun.position.copy(at).addScaledVector(SUN_DIRECTION, 80);
  }
}

function makeSky(): THREE.Object3D {
  const dome = new THREE.SphereGeometry(300, 24, 24);
  const position = dome.getAttribute("position");
  const colours = new Float32Array(position.count * 3);
  const colour = new THREE.Color();
  for (let i = 0; i < position.count; i++) {
    const height = position.getY(i) / 300;
    if (height >= 0) colour.lerpColors(HORIZON, ZENITH, Math.pow(height, 0.62));
    else colour.lerpColors(HORIZON, NADIR, Math.min(1, -height * 3));
    colour.toArray(colours, 3 * i);
  }
  dome.setAttribute("color", new THREE.BufferAttribute(colours, 3));
  const material = new THREE.MeshBasicMaterial({ vertexColors: true, side: THREE.BackSide, fog: false, depthWrite: false });
  material.toneMapped = false;
  const sky = new THREE.Mesh(dome, material);
  sky.renderOrder = -10;
  sky.frustumCulled = false;
  sky.add(makeSun());
  return sky;
}

function makeSun(): THREE.Sprite {
  const texture = glowTexture("255,246,224");
  const material = new THREE.SpriteMaterial({ map: texture, blending: THREE.AdditiveBlending, depthWrite: false, fog: false, opacity: 0.85 });
  const sun = new THREE.Sprite(material);
  sun.position.copy(SUN_DIRECTION).multiplyScalar(280);
  sun.scale.setScalar(120);
  sun.renderOrder = -9;
  return sun;
}

/** A round glow that fades outwards, for sprites; rgb as "255,200,120". */
export function glowTexture(rgb: string): THREE.CanvasTexture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 128;
  const paint = canvas.getContext("2d");
  if (paint === null) throw new Error("page: no 2D canvas");
  const glow = paint.createRadialGradient(64, 64, 0, 64, 64, 64);
  glow.addColorStop(0, `rgba(${rgb},1)`);
  glow.addColorStop(0.13, `rgba(${rgb},0.85)`);
  glow.addColorStop(0.3, `rgba(${rgb},0.25)`);
  glow.addColorStop(1, `rgba(${rgb},0)`);
  paint.fillStyle = glow;
  paint.fillRect(0, 0, 128, 128);
  return new THREE.CanvasTexture(canvas);
}
