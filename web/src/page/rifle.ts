// The rifle in the player's own hands: it bobs with the walk, lags behind the
// view, kicks when fired and dips while it is loaded. Start at Rifle.
import * as THREE from "three";
import { RoundedBoxGeometry } from "three/addons/geometries/RoundedBoxGeometry.js";
import { ease } from "./figures";
import { glowTexture } from "./sky";

const REST = new THREE.Vector3(0.155, -0.15, -0.34);
const SIZE = 0.63;

/** What the rifle's motion follows. */
export interface Handling {
  /** Speed over ground, m/s; 0 in the air. */
  speed: number;
  yaw: number;
  pitch: number;
  /** Vertical speed, m/s. */
  rising: number;
  /** What is left of a reload, seconds. */
  reload: number;
  crouched: boolean;
  hidden: boolean;
}

/** The rifle, a child of the camera. */
export class Rifle {
  readonly group = new THREE.Group();
  private readonly flash: THREE.Sprite;
  private kick = 0;
  private bob = 0;
  private stride = 0;
  private dip = 0;
  private turnLag = 0;
  private tiltLag = 0;
  private lastYaw = 0;
  private lastPitch = 0;

  constructor() {
    build(this.group);
    this.group.scale.setScalar(SIZE);
    const material = new THREE.SpriteMaterial({
      map: glowTexture("255,214,140"), blending: THREE.AdditiveBlending, depthWrite: false, fog: false,
    });
    this.flash = new THREE.Sprite(material);
    this.flash.position.set(0, 0.028, -0.5);
    this.flash.visible = false;
    this.group.add(this.flash);
  }

  /** Kicks and flashes. */
  fire(): void {
    this.kick = 1;
    this.flash.visible = true;
    this.flash.scale.setScalar(0.2 + Math.random() * 0.1);
    this.flash.material.rotation = Math.random() * Math.PI;
  }

  /** Writes where the muzzle is in the world. */
  muzzle(into: THREE.Vector3): THREE.Vector3 {
    return this.group.localToWorld(into.set(0, 0.028, -0.5));
  }

  /** Follows the player's motion for dt seconds. */
  advance(h: Handling, dt: number): void {
    this.group.visible = !h.hidden;
    if (this.kick < 0.72) this.flash.visible = false;
    this.kick = ease(this.kick, 0, 15, dt);
    this.stride += h.speed * 1.65 * dt;
    this.bob = ease(this.bob, Math.min(h.speed / 5, 1), 8, dt);
    this.dip = ease(this.dip, h.reload > 0.15 ? 1 : 0, 9, dt);
    this.turnLag = ease(this.turnLag + turn(h.yaw - this.lastYaw), 0, 13, dt);
    this.tiltLag = ease(this.tiltLag + h.pitch - this.lastPitch, 0, 13, dt);
    this.lastYaw = h.yaw;
    this.lastPitch = h.pitch;
    this.place(h);
  }

  private place(h: Handling): void {
    const lag = THREE.MathUtils.clamp(this.turnLag, -0.4, 0.4);
    const tilt = THREE.MathUtils.clamp(this.tiltLag, -0.3, 0.3);
    const fall = THREE.MathUtils.clamp(h.rising * 0.006, -0.045, 0.04);
    this.group.position.set(
      REST.x + Math.sin(this.stride) * 0.012 * this.bob + lag * 0.06,
      REST.y - Math.abs(Math.cos(this.stride)) * 0.012 * this.bob - fall - tilt * 0.08 - this.dip * 0.13,
      REST.z + this.kick * 0.065,
    );
    this.group.rotation.set(
      this.kick * 0.075 - tilt * 0.25 - this.dip * 0.55,
      lag * 0.35 + this.dip * 0.25,
      lag * 0.25 + (h.crouched ? 0.06 : 0) - this.dip * 0.35,
    );
  }
}

function turn(angle: number): number {
  return Math.atan2(Math.sin(angle), Math.cos(angle));
}

function build(into: THREE.Group): void {
  const metal = new THREE.MeshPhongMaterial({ color: 0x5d6a77, emissive: 0x10151b, shininess: 45, specular: 0x8796a5 });
  const grip = new THREE.MeshLambertMaterial({ color: 0x3a424d, emissive: 0x0a0d11 });
  const accent = new THREE.MeshPhongMaterial({ color: 0xe8963a, shininess: 40, specular: 0x664422 });
  const sleeve = new THREE.MeshLambertMaterial({ color: 0x41505f, emissive: 0x0b0e12 });
  const glove = new THREE.MeshLambertMaterial({ color: 0x6a5a48, emissive: 0x100d09 });
  const box = (m: THREE.Material, w: number, h: number, d: number, x: number, y: number, z: number, tilt = 0): void => {
    const geometry = new RoundedBoxGeometry(w, h, d, 2, Math.min(w, h, d) * 0.25);
    const mesh = new THREE.Mesh(geometry, m);
    mesh.position.set(x, y, z);
    mesh.rotation.x = tilt;
    into.add(mesh);
  };
  box(metal, 0.05, 0.075, 0.3, 0, 0, 0);
  box(metal, 0.038, 0.046, 0.24, 0, 0.012, -0.24);
  box(grip, 0.046, 0.05, 0.17, 0, -0.004, -0.2);
  box(metal, 0.022, 0.022, 0.16, 0, 0.028, -0.4);
  box(grip, 0.03, 0.03, 0.05, 0, 0.028, -0.47);
  box(accent, 0.053, 0.018, 0.12, 0, 0.02, 0.02);
  box(grip, 0.022, 0.03, 0.2, 0, 0.052, -0.06);
  box(accent, 0.008, 0.03, 0.008, 0, 0.068, -0.3);
  box(grip, 0.038, 0.12, 0.055, 0, -0.085, -0.06, 0.22);
  box(grip, 0.036, 0.1, 0.045, 0, -0.075, 0.1, -0.4);
  box(metal, 0.04, 0.07, 0.16, 0, -0.012, 0.2);
  box(glove, 0.075, 0.07, 0.09, 0.005, -0.075, 0.11);
  box(glove, 0.07, 0.065, 0.1, -0.012, -0.045, -0.22);
  limb(into, sleeve, new THREE.Vector3(0.02, -0.1, 0.14), new THREE.Vector3(0.14, -0.26, 0.5));
  limb(into, sleeve, new THREE.Vector3(-0.02, -0.075, -0.2), new THREE.Vector3(-0.34, -0.27, 0.02));
}

function limb(into: THREE.Group, material: THREE.Material, from: THREE.Vector3, to: THREE.Vector3): void {
  const arm = new THREE.Mesh(new THREE.CylinderGeometry(0.058, 0.03, from.distanceTo(to), 10), material);
  arm.position.lerpVectors(from, to, 0.5);
  arm.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), to.clone().sub(from).normalize());
  into.add(arm);
}
