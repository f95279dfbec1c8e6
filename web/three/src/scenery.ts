// What every picture has: renderer, camera, lights, fog, sky. Start at Scenery.
import * as THREE from "three";
import type { Quality } from "./quality.js";
import {
  EXPOSURE, FOG_FAR, FOG_NEAR, GROUND_COLOUR, HORIZON, makeSky, SKY_COLOUR, SKY_LIGHT, SUN_COLOUR, SUN_DIRECTION, SUN_LIGHT,
} from "./sky.js";

const SHADOW_REACH = 30;

/** A scene under a sky, its camera and its renderer. Metres, Y up, −Z forward, as in the core. */
export class Scenery {
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(78, 1, 0.04, 400);
  readonly renderer: THREE.WebGLRenderer;
  private readonly sun = new THREE.DirectionalLight(SUN_COLOUR, SUN_LIGHT);
  private readonly sky: THREE.Object3D;

  constructor(canvas: HTMLCanvasElement, private quality: Quality) {
    this.renderer = new THREE.WebGLRenderer({
      canvas,
      antialias: quality.antialias,
      alpha: false,
      stencil: false,
      powerPreference: "high-performance",
    });
    this.renderer.toneMapping = THREE.ACESFilmicToneMapping;
    this.renderer.toneMappingExposure = EXPOSURE;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.camera.rotation.order = "YXZ";
    this.scene.fog = new THREE.Fog(HORIZON, FOG_NEAR, FOG_FAR);
    this.sky = makeSky(!quality.baked);
    this.scene.add(this.camera, this.sky, new THREE.HemisphereLight(SKY_COLOUR, GROUND_COLOUR, SKY_LIGHT), this.sun, this.sun.target);
    this.setUpShadow();
    this.use(quality);
    this.resize();
  }

  /** Applies a quality. */
  use(quality: Quality): void {
    this.quality = quality;
    this.sun.castShadow = quality.shadows;
    this.renderer.shadowMap.enabled = quality.shadows;
    this.scene.traverse((object) => {
      if (object instanceof THREE.Mesh && object.material instanceof THREE.Material) object.material.needsUpdate = true;
    });
    this.resize();
  }

  /** Fits the renderer to the size of the canvas. */
  resize(): void {
    const { clientWidth, clientHeight } = this.renderer.domElement;
    const width = Math.max(clientWidth, 1);
    const height = Math.max(clientHeight, 1);
    this.renderer.setPixelRatio(this.ratio);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  /** Has the shaders of everything in the scene compiled, in parallel with the page, so that the first picture of
   * them does not wait for it. */
  compile(): void {
    this.renderer.compile(this.scene, this.camera);
  }

  /** Draws a frame. */
  draw(): void {
    if (this.renderer.getPixelRatio() !== this.ratio) this.resize(); // the window is on another screen
    this.followShadow();
    this.sky.position.copy(this.camera.position);
    this.renderer.render(this.scene, this.camera);
  }

  private get ratio(): number {
    return Math.min(this.quality.pixelRatio, 4);
  }

  private setUpShadow(): void {
    const shadow = this.sun.shadow;
    shadow.mapSize.set(2048, 2048);
    shadow.bias = -0.0004;
    shadow.normalBias = 0.035;
    shadow.radius = 2.2;
    const camera = shadow.camera;
    camera.left = camera.bottom = -SHADOW_REACH;
    camera.right = camera.top = SHADOW_REACH;
    camera.near = 1;
    camera.far = 160;
    camera.updateProjectionMatrix();
  }

  /** One shadow map follows the camera. It moves in whole texels, or the edges of shadows would
   * crawl. */
  private followShadow(): void {
    const texel = (2 * SHADOW_REACH) / this.sun.shadow.mapSize.x;
    const at = this.sun.target.position.copy(this.camera.position);
    at.x = Math.round(at.x / texel) * texel;
    at.y = Math.round(at.y / texel) * texel;
    at.z = Math.round(at.z / texel) * texel;
    this.sun.position.copy(at).addScaledVector(SUN_DIRECTION, 80);
  }
}
