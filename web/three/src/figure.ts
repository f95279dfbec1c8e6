// The figure that a player has unless the page makes another: a round body with eyes, hands and feet that
// lean, walk, jump and crouch. Start at DefaultFigure.
import * as THREE from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import { clamp, ease } from "./math.js";

/** How a player stands and moves in this frame. The stage has put the figure's origin at the player's feet
 * and turned its −Z to where the player looks. */
export interface Pose {
  /** Seconds since the last frame. */
  dt: number;
  /** Velocity over what it stands on, m/s: right, up and backwards of where it looks. */
  velocity: THREE.Vector3;
  /** Of the view, radians, positive upwards. */
  pitch: number;
  /** Share of crouching and of being in the air, 0 to 1. */
  crouch: number;
  air: number;
  dead: boolean;
}

/** An object that draws a player. If it has a method update, that is called in each frame; dispose is called
 * when the player has left. */
export type Figure = THREE.Object3D & { update?(pose: Pose): void };

const HUES = [0.58, 0.02, 0.12, 0.38, 0.8, 0.49, 0.93, 0.68, 0.23, 0.07];

/** Returns the colour of a player, the same on every page. */
export function playerColour(id: number): THREE.Color {
  return new THREE.Color().setHSL(HUES[id % HUES.length] ?? 0, 0.72, id % 20 < 10 ? 0.5 : 0.35);
}

/** Size of the default figure, metres. */
const HEIGHT = 1.76;
const RADIUS = 0.31;
const STRIDE = 1.25; // metres of a double step at a walk
const SKIN = new THREE.Color(0xffe3c4);
const WHITE = new THREE.Color(0xffffff);
const DARK = new THREE.Color(0x1c2430);

/** A capsule with eyes, two hands and two feet. */
export class DefaultFigure extends THREE.Group {
  private readonly body: THREE.Mesh;
  private readonly hands: readonly [THREE.Mesh, THREE.Mesh];
  private readonly feet: readonly [THREE.Mesh, THREE.Mesh];
  private readonly material = new THREE.MeshLambertMaterial({ vertexColors: true });
  private phase = 0; // of the walk, radians
  private swing = 0; // of the feet, 0 standing, 1 running
  private readonly lean = { x: 0, z: 0 };
  private crouch = 0;
  private air = 0;
  private time = Math.random() * 9;

  /** height in metres, of the standing player. */
  constructor(colour: THREE.ColorRepresentation, height = HEIGHT) {
    super();
    const tint = new THREE.Color(colour);
    const part = (geometry: THREE.BufferGeometry): THREE.Mesh => {
      const mesh = new THREE.Mesh(geometry, this.material);
      mesh.castShadow = mesh.receiveShadow = true;
      this.add(mesh);
      return mesh;
    };
    const hand = coloured(new THREE.SphereGeometry(0.095, 12, 9), SKIN);
    const foot = coloured(new THREE.SphereGeometry(0.13, 14, 10).scale(0.8, 0.62, 1.25).translate(0, 0.075, -0.04), DARK.clone().lerp(tint, 0.2));
    this.body = part(bodyGeometry(tint));
    this.hands = [part(hand), part(hand.clone())];
    this.feet = [part(foot), part(foot.clone())];
    this.scale.setScalar(height / HEIGHT);
  }

  update(pose: Pose): void {
    const { dt, velocity } = pose;
    const speed = Math.hypot(velocity.x, velocity.z);
    this.time += dt;
    this.crouch = ease(this.crouch, pose.crouch, 14, dt);
    this.air = ease(this.air, pose.air, 12, dt);
    this.swing = ease(this.swing, Math.min(speed / 4, 1) * (1 - this.air), 10, dt);
    this.phase += (2 * Math.PI * speed * dt) / (STRIDE + 0.16 * speed);
    this.lean.x = ease(this.lean.x, clamp(0.035 * velocity.z, 0.28), 8, dt);
    this.lean.z = ease(this.lean.z, clamp(-0.035 * velocity.x, 0.28), 8, dt);
    if (speed > 0.2) this.walk(Math.atan2(velocity.x, velocity.z));
    else this.walk(Math.PI);
    this.rotation.z = 0;
    this.poseBody(pose);
  }

  override dispose(): void {
    (super.dispose as (() => void) | undefined)?.(); // which three.js has since 0.185
    for (const part of [this.body, ...this.hands, ...this.feet]) part.geometry.dispose();
    this.material.dispose();
  }

  private poseBody({ dead, pitch }: Pose): void {
    const bob = 0.045 * this.swing * Math.abs(Math.sin(this.phase)) + 0.008 * Math.sin(2.2 * this.time);
    this.body.position.set(0, bob, 0);
    this.body.rotation.set(this.lean.x + 0.25 * clamp(pitch, 1) * 0.5, 0, this.lean.z);
    this.body.scale.set(1 + 0.12 * this.crouch, 1 - 0.4 * this.crouch + 0.04 * this.air, 1 + 0.12 * this.crouch);
    if (dead) this.body.rotation.x = -Math.PI / 2;
  }

  /** Swings feet and hands along the direction of motion, in radians about Y; at 0 it goes backwards. */
  private walk(direction: number): void {
    const [dx, dz] = [Math.sin(direction), Math.cos(direction)];
    [-1, 1].forEach((side, i) => {
      const [foot, hand] = [this.feet[i]!, this.hands[i]!];
      const phase = this.phase + (i * Math.PI);
      const forward = Math.sin(phase) * 0.34 * this.swing;
      const lift = Math.max(0, Math.cos(phase)) * 0.2 * this.swing;
      foot.position.set(0.15 * side + dx * forward, lift + 0.12 * this.air, dz * forward + 0.1 * this.air * side);
      foot.rotation.x = -0.9 * lift * 3 - 0.5 * this.air;
      const shoulder = 0.88 - 0.3 * this.crouch + 0.32 * this.air + 0.02 * Math.sin(2.2 * this.time + 1);
      hand.position.set((0.42 + 0.06 * this.air) * side - dx * 0.7 * forward, shoulder + 0.3 * lift, -0.06 - 0.75 * dz * forward + this.lean.x * 0.8);
    });
  }
}

/** Returns the body with its face, coloured by vertex. */
function bodyGeometry(tint: THREE.Color): THREE.BufferGeometry {
  const bottom = 0.17;
  const body = new THREE.CapsuleGeometry(RADIUS, HEIGHT - bottom - 2 * RADIUS, 10, 22, 12).translate(0, (HEIGHT + bottom) / 2, 0);
  const parts = [dressed(tapered(body), tint)];
  for (const side of [-1, 1]) {
    parts.push(coloured(new THREE.SphereGeometry(0.1, 14, 12).scale(0.8, 1.15, 0.5).translate(0.115 * side, 1.42, -0.285), WHITE));
    parts.push(coloured(new THREE.SphereGeometry(0.052, 12, 10).scale(0.85, 1.2, 0.5).translate(0.105 * side, 1.415, -0.325), DARK));
    parts.push(coloured(new THREE.SphereGeometry(0.016, 6, 5).translate(0.118 * side, 1.445, -0.35), WHITE));
  }
  const pack = new THREE.CapsuleGeometry(0.13, 0.24, 5, 12).scale(1.25, 1, 0.8).translate(0, 0.98, 0.3);
  parts.push(coloured(pack, tint.clone().offsetHSL(0.04, -0.15, -0.16)));
  return mergeGeometries(parts);
}

/** Makes a body narrower towards the head. */
function tapered(body: THREE.BufferGeometry): THREE.BufferGeometry {
  const position = body.getAttribute("position");
  for (let i = 0; i < position.count; i++) {
    const by = 1.12 - 0.16 * (position.getY(i) / HEIGHT);
    position.setXYZ(i, position.getX(i) * by, position.getY(i), position.getZ(i) * by);
  }
  body.computeVertexNormals();
  return body;
}

/** Colours a body, and its trousers darker. */
function dressed(geometry: THREE.BufferGeometry, tint: THREE.Color): THREE.BufferGeometry {
  const trousers = tint.clone().offsetHSL(0.01, -0.2, -0.2);
  const { array, count } = coloured(geometry, tint).getAttribute("color");
  const position = geometry.getAttribute("position");
  for (let i = 0; i < count; i++) if (position.getY(i) < 0.62) trousers.toArray(array, 3 * i);
  return geometry;
}

/** Gives all vertices of a geometry one colour. */
function coloured(geometry: THREE.BufferGeometry, colour: THREE.Color): THREE.BufferGeometry {
  const { count } = geometry.getAttribute("position");
  const colours = new Float32Array(3 * count);
  for (let i = 0; i < count; i++) colour.toArray(colours, 3 * i);
  return geometry.setAttribute("color", new THREE.BufferAttribute(colours, 3));
}
