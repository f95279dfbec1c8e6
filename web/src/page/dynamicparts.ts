// Moving and animated parts of the level: movers, water, jump pads. Start at DynamicParts.
import * as THREE from "three";
import type { Transform } from "../core";
import { FOG_FAR, FOG_NEAR, HORIZON, type LevelExtras, SUN_DIRECTION } from "@backstep/three/parts";

/** All moving and animated parts of one level. */
export class DynamicParts {
  readonly group = new THREE.Group();
  private readonly movers: THREE.Object3D[] = [];
  private readonly waters: THREE.Box3[] = [];
  private readonly pads: JumpPad[] = [];
  private readonly time = { value: 0 };

  /** Adds a mover; they come in the order of their nodes in the file. */
  addMover(mover: THREE.Object3D): void {
    this.movers.push(mover);
    this.group.add(mover);
  }

  /** Adds the visual of a volume, whose node is the cube from −1 to 1. */
  addVolume(node: THREE.Object3D, volume: NonNullable<LevelExtras["volume"]>): void {
    if (volume.water === true) {
      const box = new THREE.Box3(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1)).applyMatrix4(node.matrixWorld);
      this.waters.push(box);
      this.group.add(waterSurface(node.matrixWorld, this.time));
    }
    if (volume.launch !== undefined) {
      const pad = new JumpPad(node.matrixWorld);
      this.pads.push(pad);
      this.group.add(pad.group);
    }
  }

  /** Moves the movers to their poses of this frame. */
  move(poses: readonly Transform[]): void {
    this.movers.forEach((mover, i) => {
      const pose = poses[i];
      if (pose === undefined) return;
      mover.position.copy(pose.translation);
      mover.quaternion.copy(pose.rotation as THREE.Quaternion);
    });
  }

  /** Animates water and pads by dt seconds. */
  advance(dt: number): void {
    this.time.value = (this.time.value + dt) % 3600;
    for (const pad of this.pads) pad.advance(this.time.value);
  }

  /** Returns whether a position is under water. */
  underWater(at: THREE.Vector3): boolean {
    return this.waters.some((box) => box.containsPoint(at));
  }
}

const RINGS = 3;
const CYAN = new THREE.Color(0x35e0e6);

/** Rings of light that rise from a jump pad. */
class JumpPad {
  readonly group = new THREE.Group();
  private readonly rings: THREE.Mesh<THREE.BufferGeometry, THREE.MeshBasicMaterial>[] = [];

  constructor(transform: THREE.Matrix4) {
    transform.decompose(this.group.position, this.group.quaternion, this.group.scale);
    const geometry = new THREE.CylinderGeometry(0.86, 0.86, 0.5, 4, 1, true, Math.PI / 4).translate(0, 0.25, 0);
    const height = geometry.getAttribute("position");
    const colours = new Float32Array(height.count * 3);
    for (let i = 0; i < height.count; i++) new THREE.Color(CYAN).multiplyScalar(height.getY(i) > 0.2 ? 0 : 1).toArray(colours, 3 * i);
    geometry.setAttribute("color", new THREE.BufferAttribute(colours, 3));
    for (let i = 0; i < RINGS; i++) {
      const material = new THREE.MeshBasicMaterial({
        vertexColors: true, transparent: true, blending: THREE.AdditiveBlending, depthWrite: false, side: THREE.DoubleSide, fog: false,
      });
      const ring = new THREE.Mesh(geometry, material);
      this.rings.push(ring);
      this.group.add(ring);
    }
  }

  advance(time: number): void {
    this.rings.forEach((ring, i) => {
      const share = (time * 0.7 + i / RINGS) % 1;
      ring.position.y = -1 + share * 2.6;
      ring.scale.setScalar(1 - 0.35 * share);
      ring.material.opacity = 0.75 * (1 - share) * Math.min(1, share * 6);
    });
  }
}

const WATER_VERTEX = `
varying vec3 place;
varying float depth;
void main() {
  vec4 world = modelMatrix * vec4(position, 1.0);
  place = world.xyz;
  vec4 seen = viewMatrix * world;
  depth = -seen.z;
  gl_Position = projectionMatrix * seen;
}`;

const WATER_PIXEL = `
varying vec3 place;
varying float depth;
uniform float time;
uniform vec3 sun;
uniform vec3 sky;
uniform vec3 horizon;
uniform vec2 fogReach;
void main() {
  vec2 p = place.xz;
  vec2 slope = vec2(
    cos(p.x * 2.1 + time * 1.3) + cos(p.x * 1.2 - p.y * 1.7 + time * 0.9) + 0.6 * cos(p.x * 5.3 + p.y * 3.1 - time * 2.1),
    cos(p.y * 1.9 - time * 1.1) - cos(p.x * 1.2 - p.y * 1.7 + time * 0.9) + 0.6 * cos(p.y * 4.7 - p.x * 2.3 + time * 1.9)) * 0.028;
  vec3 n = normalize(vec3(-slope.x, 1.0, -slope.y));
  vec3 eye = normalize(cameraPosition - place);
  float under = step(eye.y, 0.0);
  float facing = clamp(abs(dot(n, eye)), 0.0, 1.0);
  float mirror = pow(1.0 - facing, 3.0);
  vec3 colour = mix(vec3(0.10, 0.47, 0.52), sky, 0.12 + 0.75 * mirror);
  colour += vec3(0.05) * (slope.x + slope.y) * 12.0;
  float glint = pow(max(dot(reflect(-eye, n), sun), 0.0), 120.0) * (1.0 - under);
  colour += vec3(1.0, 0.95, 0.8) * glint * 0.9;
  float cover = mix(0.58 + 0.36 * mirror + glint, 0.5, under);
  gl_FragColor = vec4(mix(colour, horizon, smoothstep(fogReach.x, fogReach.y, depth)), min(cover, 1.0));
}`;

/** The surface of a water volume, with small waves. */
function waterSurface(transform: THREE.Matrix4, time: { value: number }): THREE.Mesh {
  const geometry = new THREE.PlaneGeometry(2, 2).rotateX(-Math.PI / 2).translate(0, 1, 0).applyMatrix4(transform);
  const material = new THREE.ShaderMaterial({
    vertexShader: WATER_VERTEX,
    fragmentShader: WATER_PIXEL,
    uniforms: {
      time,
      sun: { value: SUN_DIRECTION },
      sky: { value: new THREE.Vector3(0.63, 0.8, 0.93) },
      horizon: { value: new THREE.Vector3(...HORIZON.clone().convertLinearToSRGB().toArray()) },
      fogReach: { value: new THREE.Vector2(FOG_NEAR, FOG_FAR) },
    },
    transparent: true,
    depthWrite: false,
    side: THREE.DoubleSide,
    toneMapped: false,
  });
  const mesh = new THREE.Mesh(geometry, material);
  mesh.renderOrder = 2; // over the sky, which is drawn after all opaque meshes
  return mesh;
}
