// Everybody else: keeps what each figure's motion needs from frame to frame and
// draws all figures in one call. Start at Figures.show.
import * as THREE from "three";
import { RoundedBoxGeometry } from "three/addons/geometries/RoundedBoxGeometry.js";
import type { RemoteView } from "../client/index";
import { Skeleton, type Paint, type Stance } from "./figure";
import { NameTag } from "./names";

const MOST = 128;
const FALLING = 2;
const SWIMMING = 3;
const FLYING = 4;
const FALL_TIME = 0.55;
const STRIDE = 1.75; // radians of gait a metre
const HUES = [0.03, 0.57, 0.33, 0.78, 0.13, 0.48, 0.93, 0.68, 0.23, 0.87];

/** The colour that belongs to a player, the same on every page. */
export function playerColour(id: number): THREE.Color {
  const hue = HUES[id % HUES.length] ?? 0;
  return new THREE.Color().setHSL(hue, 0.78, id % 20 < 10 ? 0.42 : 0.28);
}

/** What one figure remembers. */
class Figure {
  readonly stance: Stance = {
    x: 0, y: 0, z: 0, yaw: 0, pitch: 0, forward: 0, sideways: 0, stride: 0, crouch: 0, air: 0, swim: 0, fallen: 0, kick: 0,
  };
  readonly colours: Record<Paint, THREE.Color>;
  readonly tag: NameTag;
  life = -1;
  seen = 0;
  flash = 0;

  constructor(readonly id: number, name: string) {
    const suit = playerColour(id);
    this.colours = {
      suit,
      dark: new THREE.Color(0x2a3038).lerp(suit, 0.12),
      skin: new THREE.Color(0x3a3f47),
      glow: new THREE.Color(0xfff2c8),
      metal: new THREE.Color(0x1c2127),
    };
    this.tag = new NameTag(name, suit);
  }
}

/** All figures of the match but one's own. */
export class Figures {
  readonly group = new THREE.Group();
  private readonly skeleton = new Skeleton();
  private readonly bodies: THREE.InstancedMesh;
  private readonly figures = new Map<number, Figure>();
  private readonly white = new THREE.Color(1, 1, 1);
  private readonly colour = new THREE.Color();
  private turn = 0;

  /** Names are drawn so many times as large as in a match. */
  constructor(private readonly nameOf: (id: number) => string, private readonly names = 1) {
    const box = new RoundedBoxGeometry(1, 1, 1, 2, 0.22);
    this.bodies = new THREE.InstancedMesh(box, new THREE.MeshLambertMaterial(), MOST * this.skeleton.parts.length);
    this.bodies.setColorAt(0, this.white);
    this.bodies.count = 0;
    this.bodies.castShadow = this.bodies.receiveShadow = true;
    this.bodies.frustumCulled = false;
    this.group.add(this.bodies);
  }

  /** Makes a player's figure kick as one who has just fired. */
  fired(id: number): void {
    const figure = this.figures.get(id);
    if (figure !== undefined) figure.stance.kick = 1;
  }

  /** Makes a player's figure flash as one who was hit. */
  struck(id: number): void {
    const figure = this.figures.get(id);
    if (figure !== undefined) figure.flash = 1;
  }

  /** Writes where the muzzle of a player's rifle is, if the player is drawn. */
  muzzle(id: number, into: THREE.Vector3): boolean {
    const s = this.figures.get(id)?.stance;
    if (s === undefined) return false;
    into.set(0.12, 1.42 - 0.45 * s.crouch, -0.7).applyAxisAngle(THREE.Object3D.DEFAULT_UP, s.yaw);
    into.x += s.x;
    into.y += s.y + Math.sin(s.pitch) * 0.6;
    into.z += s.z;
    return true;
  }

  /** Takes everybody as the core draws them now; dt is seconds since the last
   * picture. */
  show(remotes: RemoteView, dt: number, eye: THREE.Vector3): void {
    this.turn++;
    const pieces = this.skeleton.parts.length;
    const count = Math.min(remotes.count, MOST);
    let drawn = 0;
    for (let i = 0; i < count; i++) {
      const remote = remotes.at(i);
      if (remote.dead && remote.mode === FLYING) continue; // one who only watches
      const figure = this.figures.get(remote.id) ?? this.add(remote.id);
      figure.seen = this.turn;
      move(figure, remote, dt);
      this.skeleton.pose(figure.stance);
      this.write(figure, drawn++ * pieces);
      this.label(figure, remote.dead, eye);
    }
    this.bodies.count = drawn * pieces;
    this.bodies.instanceMatrix.needsUpdate = true;
    if (this.bodies.instanceColor !== null) this.bodies.instanceColor.needsUpdate = true;
    if (this.figures.size > drawn) this.dropUnseen();
  }

  private add(id: number): Figure {
    const figure = new Figure(id, this.nameOf(id));
    this.figures.set(id, figure);
    this.group.add(figure.tag.sprite);
    return figure;
  }

  private write(figure: Figure, at: number): void {
    const { parts } = this.skeleton;
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i];
      if (part === undefined) continue;
      this.bodies.setMatrixAt(at + i, part.joint.matrixWorld);
      this.colour.copy(figure.colours[part.paint]).lerp(this.white, figure.flash * 0.8);
      this.bodies.setColorAt(at + i, this.colour);
    }
  }

  private label(figure: Figure, dead: boolean, eye: THREE.Vector3): void {
    figure.tag.rename(this.nameOf(figure.id));
    const s = figure.stance;
    figure.tag.place(s.x, s.y + 2.02 - 0.5 * s.crouch, s.z, eye, !dead, this.names);
  }

  private dropUnseen(): void {
    for (const [id, figure] of this.figures) {
      if (figure.seen === this.turn) continue;
      this.group.remove(figure.tag.sprite);
      figure.tag.dispose();
      this.figures.delete(id);
    }
  }
}

function move(figure: Figure, remote: RemoteView, dt: number): void {
  const s = figure.stance;
  s.x = remote.x;
  s.y = remote.y;
  s.z = remote.z;
  s.yaw = remote.yaw;
  s.pitch = remote.pitch;
  const sin = Math.sin(s.yaw);
  const cos = Math.cos(s.yaw);
  const forward = -remote.vx * sin - remote.vz * cos;
  const sideways = remote.vx * cos - remote.vz * sin;
  const born = figure.life !== remote.life;
  figure.life = remote.life;
  s.forward = born ? forward : ease(s.forward, forward, 14, dt);
  s.sideways = born ? sideways : ease(s.sideways, sideways, 14, dt);
  s.stride = (s.stride + (Math.hypot(forward, sideways) * STRIDE + 3 * s.swim) * dt) % (2 * Math.PI);
  s.crouch = ease(s.crouch, remote.crouched ? 1 : 0, 14, dt);
  s.air = ease(s.air, remote.mode === FALLING || remote.hooked ? 1 : 0, 10, dt);
  s.swim = ease(s.swim, remote.mode === SWIMMING ? 1 : 0, 6, dt);
  s.kick = ease(s.kick, 0, 16, dt);
  figure.flash = ease(figure.flash, 0, 9, dt);
  s.fallen = remote.dead ? Math.min(1, s.fallen + dt / FALL_TIME) : 0;
}

/** Moves from towards to, by the share that rate a second gives. */
export function ease(from: number, to: number, rate: number, dt: number): number {
  return to + (from - to) * Math.exp(-rate * dt);
}
