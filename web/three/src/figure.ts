// The figure that a player has unless the page makes another: a round body with eyes, hands and feet that
// lean, walk, jump and crouch. Start at DefaultFigure.
import type { Point } from "@backstep/client";
import * as THREE from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import { clamp, ease } from "./math.js";
import type { CharacterPose } from "./session.js";

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
  /** Whether it is the page's own player, whose state is session.self. */
  own: boolean;
  /** The movement mode (Go: movement.Mode): 1 walks, 2 falls; a game's own are 16 and up. */
  mode: number;
  /** The game's own number (Go: track.GameData.UserData). */
  userData: number;
}

/** An object that draws a player or an NPC. If it has a method update, that is called in each frame; dispose is
 * called when the character has left. */
export type Figure = THREE.Object3D & { update?(pose: Pose): void };

/** How a character is drawn in this frame. */
export interface FigureView extends Omit<Pose, "dt" | "velocity"> {
  position: Point;
  velocity: Point;
  baseVelocity: Point;
  up: Point;
  yaw: number;
}

/** Returns how a character is drawn that is not the page's own. */
export function characterView({ position, velocity, baseVelocity, up, yaw, pitch, stance, dead, mode, userData }: CharacterPose): FigureView {
  return { position, velocity, baseVelocity, up, yaw, pitch, crouch: stance.crouch, air: stance.air, dead, mode, userData, own: false };
}

/** Returns how the page's own character is drawn at a position. It faces where others see it face: its body may turn
 * slower than its player's view, or as a car does. */
export function ownView(pose: CharacterPose, position: Point): FigureView {
  return { ...characterView(pose), own: true, position };
}

const UP = new THREE.Vector3(0, 1, 0);

/** Puts figures where characters are, and tells them how these move. */
export class FigurePlacer {
  private readonly pose: Pose = { dt: 0, velocity: new THREE.Vector3(), pitch: 0, crouch: 0, air: 0, dead: false, own: false, mode: 0, userData: 0 };
  private readonly turn = new THREE.Quaternion();
  private readonly up = new THREE.Vector3();

  place(figure: Figure, view: FigureView, dt: number): void {
    const { pose, turn, up } = this;
    turn.setFromAxisAngle(UP, view.yaw);
    up.copy(view.up);
    figure.position.copy(view.position);
    figure.quaternion.identity();
    if (up.lengthSq() > 0) figure.quaternion.setFromUnitVectors(UP, up);
    figure.quaternion.multiply(turn);
    pose.velocity.copy(view.velocity).sub(view.baseVelocity as THREE.Vector3).applyQuaternion(turn.copy(figure.quaternion).invert());
    const { pitch, crouch, air, dead, own, mode, userData } = view;
    Object.assign(pose, { dt, pitch, crouch, air, dead, own, mode, userData });
    figure.update?.(pose);
  }
}

/** Takes a figure off a group, and frees what it drew with. */
export function removeFigure(group: THREE.Group, figure: THREE.Object3D): void {
  group.remove(figure);
  (figure as { dispose?(): void }).dispose?.(); // which three.js has since 0.185
}

const HUES = [0.58, 0.02, 0.12, 0.38, 0.8, 0.49, 0.93, 0.68, 0.23, 0.07];

/** Returns the colour of a player, the same on every page. */
export function playerColour(id: number): THREE.Color {
  return new THREE.Color().setHSL(HUES[id % HUES.length] ?? 0, 0.8, id % 20 < 10 ? 0.44 : 0.3);
}

/** Size of the default figure, metres. */
const HEIGHT = 1.76;
const RADIUS = 0.32;
const STRIDE = 1.25; // metres of a double step at a walk
const SKIN = new THREE.Color(0xffe3c4);
const WHITE = new THREE.Color(0xffffff);
const DARK = new THREE.Color(0x1c2430);

/** Sizes of a hand and a foot along their axes, metres. */
const HAND = new THREE.Vector3(0.095, 0.095, 0.095);
const FOOT = new THREE.Vector3(0.105, 0.08, 0.165);

/** A capsule with eyes, two hands and two feet: two draw calls, and one of a shadow. */
export class DefaultFigure extends THREE.Group {
  private readonly body: THREE.Mesh;
  private readonly limbs: THREE.InstancedMesh; // left and right hand, left and right foot
  private phase = 0; // of the walk, radians
  private swing = 0; // of hands and feet, 0 standing, 1 running
  private readonly lean = { x: 0, z: 0 };
  private crouch = 0;
  private air = 0;
  private time = Math.random() * 9; // breathing
  private readonly limb = { at: new THREE.Vector3(), turn: new THREE.Quaternion(), axis: new THREE.Vector3(1, 0, 0), matrix: new THREE.Matrix4() };

  /** height in metres, of the standing player. */
  constructor(colour: THREE.ColorRepresentation, height = HEIGHT) {
    super();
    const tint = new THREE.Color(colour);
    this.body = new THREE.Mesh(bodyGeometry(tint), new THREE.MeshLambertMaterial({ vertexColors: true }));
    this.body.castShadow = true;
    this.limbs = new THREE.InstancedMesh(new THREE.SphereGeometry(1, 14, 10), new THREE.MeshLambertMaterial(), 4);
    for (let i = 0; i < 4; i++) this.limbs.setColorAt(i, i < 2 ? SKIN : DARK.clone().lerp(tint, 0.2));
    this.limbs.boundingSphere = new THREE.Sphere(new THREE.Vector3(0, HEIGHT / 2, 0), HEIGHT);
    this.body.receiveShadow = this.limbs.receiveShadow = true;
    this.add(this.body, this.limbs);
    this.scale.setScalar(height / HEIGHT);
  }

  update(pose: Omit<Pose, "own" | "mode" | "userData">): void {
    const { dt, velocity } = pose;
    const speed = Math.hypot(velocity.x, velocity.z);
    this.time += dt;
    this.crouch = ease(this.crouch, pose.crouch, 14, dt);
    this.air = ease(this.air, pose.air, 12, dt);
    this.swing = ease(this.swing, Math.min(speed / 4, 1) * (1 - this.air), 10, dt);
    this.phase += (2 * Math.PI * speed * dt) / (STRIDE + 0.16 * speed);
    this.lean.x = ease(this.lean.x, clamp(0.035 * velocity.z, 0.28), 8, dt);
    this.lean.z = ease(this.lean.z, clamp(-0.035 * velocity.x, 0.28), 8, dt);
    this.poseBody(pose);
    for (const side of [-1, 1]) this.poseSide(side, speed > 0.2 ? Math.atan2(velocity.x, velocity.z) : Math.PI);
    this.limbs.instanceMatrix.needsUpdate = true;
    this.limbs.visible = !pose.dead;
  }

  override dispose(): void {
    (super.dispose as (() => void) | undefined)?.(); // which three.js has since 0.185
    for (const part of [this.body, this.limbs]) {
      part.geometry.dispose();
      (part.material as THREE.Material).dispose();
    }
    this.limbs.dispose();
  }

  private poseBody({ dead, pitch }: Pick<Pose, "dead" | "pitch">): void {
    const bob = 0.045 * this.swing * Math.abs(Math.sin(this.phase)) + 0.008 * Math.sin(2.2 * this.time);
    const wide = 1 + 0.12 * this.crouch;
    this.body.position.set(0, dead ? 1.1 * RADIUS : bob, 0);
    this.body.rotation.set(dead ? -Math.PI / 2 : this.lean.x + 0.12 * clamp(pitch, 1), 0, this.lean.z);
    this.body.scale.set(wide, 1 - 0.4 * this.crouch + 0.04 * this.air, wide);
  }

  /** Swings the hand and the foot of a side along the direction of motion, in radians about Y. */
  private poseSide(side: number, direction: number): void {
    const { swing, air, crouch, lean } = this;
    const [dx, dz] = [Math.sin(direction), Math.cos(direction)];
    const phase = this.phase + (side > 0 ? Math.PI : 0);
    const forward = 0.34 * swing * Math.sin(phase);
    const lift = 0.2 * swing * Math.max(0, Math.cos(phase));
    const index = side > 0 ? 1 : 0;
    const shoulder = 0.88 - 0.3 * crouch + 0.32 * air + 0.02 * Math.sin(2.2 * this.time + 1) + 0.3 * lift;
    this.place(index, HAND, (0.43 + 0.06 * air) * side - 0.7 * dx * forward, shoulder, -0.06 - 0.75 * dz * forward + 0.8 * lean.x, 0);
    this.place(2 + index, FOOT, 0.15 * side + dx * forward, 0.08 + lift + 0.12 * air, dz * forward + 0.1 * air * side - 0.04, -2.7 * lift - 0.5 * air);
  }

  private place(index: number, size: THREE.Vector3, x: number, y: number, z: number, turn: number): void {
    const { at, turn: rotation, axis, matrix } = this.limb;
    this.limbs.setMatrixAt(index, matrix.compose(at.set(x, y, z), rotation.setFromAxisAngle(axis, turn), size));
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
  parts.push(coloured(pack, darker(tint, 0.06, -0.3)));
  return mergeGeometries(parts);
}

/** Makes a body narrower towards the head. */
function tapered(body: THREE.BufferGeometry): THREE.BufferGeometry {
  const position = body.getAttribute("position");
  for (let i = 0; i < position.count; i++) {
    const by = 1.16 - 0.24 * (position.getY(i) / HEIGHT);
    position.setXYZ(i, position.getX(i) * by, position.getY(i), position.getZ(i) * by);
  }
  body.computeVertexNormals();
  return body;
}

/** Colours a body, and its trousers darker. */
function dressed(geometry: THREE.BufferGeometry, tint: THREE.Color): THREE.BufferGeometry {
  const trousers = darker(tint, 0.01, -0.2);
  const { array, count } = coloured(geometry, tint).getAttribute("color");
  const position = geometry.getAttribute("position");
  for (let i = 0; i < count; i++) if (position.getY(i) < 0.62) trousers.toArray(array, 3 * i);
  return geometry;
}

/** Returns a colour of less than half the lightness, which leaves dark ones a colour. */
function darker(tint: THREE.Color, hue: number, saturation: number): THREE.Color {
  const { h, s, l } = tint.getHSL({ h: 0, s: 0, l: 0 });
  return new THREE.Color().setHSL(h + hue, s + saturation, 0.45 * l);
}

/** Gives all vertices of a geometry one colour. */
function coloured(geometry: THREE.BufferGeometry, colour: THREE.Color): THREE.BufferGeometry {
  const { count } = geometry.getAttribute("position");
  const colours = new Float32Array(3 * count);
  for (let i = 0; i < count; i++) colour.toArray(colours, 3 * i);
  return geometry.setAttribute("color", new THREE.BufferAttribute(colours, 3));
}
