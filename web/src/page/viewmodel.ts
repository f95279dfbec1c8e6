// The first-person view model: arms and weapon with bob, sway, recoil, reload and melee swing.
// Start at ViewModel.
import * as THREE from "three";
import { ease, glowTexture, wrapAngle } from "@backstep/three/parts";
import { handsGeometry } from "./hands";
import { attachPointsOf, weaponGeometry, weaponMaterial, type WeaponModel } from "./weaponmodels";

const REST = new THREE.Vector3(0.155, -0.15, -0.34);
const SIGHTS = new THREE.Vector3(0, -0.088, -0.3);
const SIZE = 0.63;
const SWING = 0.3; // seconds of a melee swing, as drawn
const DRAWN = 0.3; // seconds in which a drawn weapon comes up

/** Offset of each weapon from the rifle's position, and its rotation. */
const OFFSETS: Readonly<Record<WeaponModel, readonly [x: number, y: number, z: number, tilt: number, yaw: number]>> = {
  rifle: [0, 0, 0, 0, 0],
  shotgun: [0, 0, 0, 0, 0],
  rocket: [0.03, 0.03, -0.02, 0, 0],
  grenade: [0.04, -0.02, -0.1, 0, 0],
  sword: [0.06, -0.07, -0.06, 0.75, 0.25],
  shield: [0, 0, 0, 0, 0],
};

/** Motion and weapon state that the view model follows. */
export interface ViewModelInput {
  /** Speed over ground, m/s; 0 in the air. */
  speed: number;
  yaw: number;
  pitch: number;
  /** Vertical speed, m/s. */
  rising: number;
  /** Time left of a reload and of drawing the weapon, seconds. */
  reload: number;
  draw: number;
  crouched: boolean;
  shielded: boolean;
  aiming: boolean;
  hidden: boolean;
}

/** The view model, a child of the camera. */
export class ViewModel {
  readonly group = new THREE.Group();
  private readonly held = new THREE.Group();
  private readonly shield: THREE.Mesh;
  private readonly material = weaponMaterial();
  private readonly hands = new THREE.MeshLambertMaterial({ vertexColors: true, emissive: 0x0e0e10 });
  private readonly meshes = new Map<WeaponModel, THREE.Object3D>();
  private readonly flash: THREE.Sprite;
  private model: WeaponModel = "rifle";
  private kick = 0;
  private bob = 0;
  private stride = 0;
  private reloadDip = 0;
  private lowered = 0;
  private shieldUp = 0;
  private sights = 0;
  private swing = 0; // seconds left
  private turnLag = 0;
  private tiltLag = 0;
  private lastYaw = 0;
  private lastPitch = 0;

  constructor() {
    this.group.visible = false; // before the first advance the player holds nothing
    this.held.scale.setScalar(SIZE);
    this.shield = new THREE.Mesh(weaponGeometry("shield"), this.material);
    this.shield.scale.setScalar(0.8);
    const flash = new THREE.SpriteMaterial({
      map: glowTexture("255,214,140"), blending: THREE.AdditiveBlending, depthWrite: false, fog: false,
    });
    this.flash = new THREE.Sprite(flash);
    this.flash.visible = false;
    this.held.add(this.flash);
    this.group.add(this.held, this.shield);
    this.equip("rifle");
  }

  /** Makes a weapon in its hands. Each is made when it is first held: all at once would delay the match. */
  private build(model: WeaponModel): void {
    const all = new THREE.Group();
    all.add(new THREE.Mesh(weaponGeometry(model), this.material));
    all.add(new THREE.Mesh(handsGeometry(model), this.hands));
    this.held.add(all);
    this.meshes.set(model, all);
  }

  /** Switches to another weapon. */
  equip(model: WeaponModel): void {
    if (model !== this.model) this.lowered = 1;
    this.model = model;
    if (model !== "shield" && !this.meshes.has(model)) this.build(model);
    for (const [name, mesh] of this.meshes) mesh.visible = name === model;
    this.flash.position.copy(attachPointsOf(model).muzzle);
  }

  /** Plays recoil and muzzle flash. */
  fire(): void {
    if (this.model === "sword") return;
    this.kick = this.model === "rifle" ? 1 : 1.8;
    if (this.model === "grenade") return;
    this.flash.visible = true;
    this.flash.scale.setScalar((this.model === "rifle" ? 0.2 : 0.34) + Math.random() * 0.1);
    this.flash.material.rotation = Math.random() * Math.PI;
  }

  /** Plays a melee swing. */
  strike(): void {
    this.swing = SWING;
  }

  /** Writes the muzzle's world position. */
  muzzle(into: THREE.Vector3): THREE.Vector3 {
    return this.held.localToWorld(into.copy(attachPointsOf(this.model).muzzle));
  }

  /** Advances the motion by dt seconds. */
  advance(h: ViewModelInput, dt: number): void {
    this.group.visible = !h.hidden;
    if (this.kick < 0.72) this.flash.visible = false;
    this.kick = ease(this.kick, 0, 15, dt);
    this.stride += h.speed * 1.65 * dt;
    this.bob = ease(this.bob, Math.min(h.speed / 5, 1), 8, dt);
    this.reloadDip = ease(this.reloadDip, h.reload > 0.15 ? 1 : 0, 9, dt);
    this.lowered = ease(this.lowered, Math.min(h.draw / DRAWN, 1), 16, dt);
    this.shieldUp = ease(this.shieldUp, h.shielded ? 1 : 0, 18, dt);
    this.sights = ease(this.sights, h.aiming ? 1 : 0, 16, dt);
    this.swing = Math.max(0, this.swing - dt);
    this.turnLag = ease(this.turnLag + wrapAngle(h.yaw - this.lastYaw), 0, 13, dt);
    this.tiltLag = ease(this.tiltLag + h.pitch - this.lastPitch, 0, 13, dt);
    this.lastYaw = h.yaw;
    this.lastPitch = h.pitch;
    this.pose(h);
    if (this.swing > 0) this.swingBlade(1 - this.swing / SWING);
    this.shield.visible = this.shieldUp > 0.02;
    this.shield.position.set(-0.24, -0.62 + 0.34 * this.shieldUp, -0.5);
    this.shield.rotation.set(0.06, 0.3, 0.02);
  }

  private pose(h: ViewModelInput): void {
    const lag = THREE.MathUtils.clamp(this.turnLag, -0.4, 0.4);
    const tilt = THREE.MathUtils.clamp(this.tiltLag, -0.3, 0.3);
    const fall = THREE.MathUtils.clamp(h.rising * 0.006, -0.045, 0.04);
    const [x, y, z, seatTilt, seatYaw] = OFFSETS[this.model];
    const away = this.reloadDip + this.shieldUp;
    this.held.position.set(
      REST.x + x + Math.sin(this.stride) * 0.012 * this.bob + lag * 0.06,
      REST.y + y - Math.abs(Math.cos(this.stride)) * 0.012 * this.bob - fall - tilt * 0.08 - away * 0.13 - this.lowered * 0.3,
      REST.z + z + this.kick * 0.065,
    );
    this.held.rotation.set(
      this.kick * 0.075 - tilt * 0.25 - this.reloadDip * 0.55 - this.lowered * 0.8 + seatTilt,
      lag * 0.35 + away * 0.25 + seatYaw,
      lag * 0.25 + (h.crouched ? 0.06 : 0) - away * 0.35,
      "XYZ", // a swing leaves another
    );
    if (this.model === "sword" || this.model === "grenade") return;
    this.held.position.lerp(new THREE.Vector3(SIGHTS.x, SIGHTS.y, SIGHTS.z + this.kick * 0.04), this.sights * 0.95);
  }

  /** Moves the blade from right to left; share is 0 to 1. */
  private swingBlade(share: number): void {
    const a = 1.05 - 2.1 * smooth(share);
    this.held.position.set(0.34 * Math.sin(a) + 0.02, -0.13 - 0.1 * Math.sin(a) * 0.4, -0.2 - 0.22 * Math.cos(a));
    this.held.rotation.set(0.15, -a * 1.05, 1.25 - 0.35 * share, "YXZ");
  }
}

function smooth(t: number): number {
  return t * t * (3 - 2 * t);
}
