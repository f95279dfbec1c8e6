// The other players: the model on the skeletons posed by the core, one draw call per part. Start at
// Characters.show.
import * as THREE from "three";
import type { Entity, Figure } from "../core";
import { loadCharacterModel, type CharacterModel } from "./charactermodel";
import { ease, NameTag } from "@backstep/three/parts";
import { FLYING } from "./self";
import { attachPointsOf, WEAPON_MODELS, weaponGeometry, weaponMaterial, type WeaponModel } from "./weaponmodels";

const MAX_CHARACTERS = 128;
const HUES = [0.03, 0.57, 0.33, 0.78, 0.13, 0.48, 0.93, 0.68, 0.23, 0.87];
const SHIELD = "shield";
const COLOUR_GAIN = 1.35; // of the player's colour
const COLOUR_WHITE = 0.2; // white added to it
const PROTECTED_GLOW = 0.65; // share of white of a player that takes no damage
const NAME_HEIGHT = 0.36; // metres from the head bone to the name
const PALM = new THREE.Vector3(0, -0.06, 0); // in the right hand's space
const WEAPON_SCALE = 0.95; // scale of held weapons
const SWING_TIME = 0.32; // seconds of a melee swing, as drawn
const RETRY = 2000; // ms until a download that failed is tried again

/** Transform of each weapon in the right hand, whose fingers point along −Y and whose thumb
 * points along −Z. */
const GRIPS = new Map<WeaponModel, THREE.Matrix4>(WEAPON_MODELS.map((weapon) => {
  const turn = new THREE.Matrix4().makeRotationX(-Math.PI / 2).scale(new THREE.Vector3(WEAPON_SCALE, WEAPON_SCALE, WEAPON_SCALE));
  const { grip } = attachPointsOf(weapon);
  return [weapon, turn.setPosition(PALM.clone().sub(grip.clone().applyMatrix4(turn)))];
}));

/** What is drawn of another player besides its figure. */
export type PlayerState = Pick<Entity, "id" | "dead" | "mode">;

/** Returns the index of the weapon that a figure holds, and whether its shield is up. */
function heldBy({ held }: Figure): { weapon: number; shielded: boolean } {
  return { weapon: held & 7, shielded: (held & 8) !== 0 };
}

const TEAMS = { red: new THREE.Color(0xd8392b), blue: new THREE.Color(0x2f74d8) } as const;

/** Returns the colour of a team. */
export function teamColour(team: "red" | "blue"): THREE.Color {
  return TEAMS[team].clone();
}

/** Returns the colour of a player, the same on every page. */
export function playerColour(id: number): THREE.Color {
  const hue = HUES[id % HUES.length] ?? 0;
  return new THREE.Color().setHSL(hue, 0.78, id % 20 < 10 ? 0.42 : 0.28);
}

/** What is kept of one character between frames. */
class Character {
  readonly tag: NameTag;
  readonly head = new THREE.Vector3();
  readonly muzzle = new THREE.Vector3();
  seen = 0;
  flash = 0;
  swing = 0; // seconds left

  constructor(readonly id: number, name: string, readonly colour: THREE.Color) {
    this.tag = new NameTag(name, colour);
  }
}

/** Supplies names, colours and weapon models. */
export interface Appearance {
  name(id: number): string;
  colour(id: number): THREE.Color;
  weaponModel(weapon: number): WeaponModel;
  /** Whether the player's new life takes no damage; absent means none does. */
  protected?(id: number): boolean;
  /** Whether names are seen through walls; absent means they are not. */
  namesThroughWalls?(): boolean;
}

/** All characters except the player's own. */
export class Characters {
  readonly group = new THREE.Group();
  private model: CharacterModel | undefined;
  private meshes: THREE.InstancedMesh[] = [];
  private readonly weapons = new Map<WeaponModel, THREE.InstancedMesh>();
  private readonly characters = new Map<number, Character>();
  private readonly white = new THREE.Color(1, 1, 1);
  private readonly colour = new THREE.Color();
  private readonly position = new THREE.Vector3();
  private readonly rotation = new THREE.Quaternion();
  private readonly one = new THREE.Vector3(1, 1, 1);
  private readonly bone = new THREE.Matrix4();
  private readonly none = new THREE.Matrix4().makeScale(0, 0, 0);
  private readonly piece = new THREE.Matrix4();
  private frame = 0;

  /** nameScale enlarges the name tags. Nothing is drawn until the model is loaded. */
  constructor(public appearance: Appearance, private readonly nameScale = 1) {
    const material = weaponMaterial();
    for (const weapon of WEAPON_MODELS) {
      if (weapon !== SHIELD) this.weapons.set(weapon, this.instanced(weaponGeometry(weapon), material));
    }
    this.load();
  }

  /** Loads the model, again and again: without it no opponent is seen. */
  private load(): void {
    loadCharacterModel().then((model) => this.useModel(model), (error: unknown) => {
      console.warn(error);
      setTimeout(() => this.load(), RETRY);
    });
  }

  private useModel(model: CharacterModel): void {
    const material = new THREE.MeshLambertMaterial({ vertexColors: true });
    this.meshes = model.parts.map((part) => {
      const mesh = this.instanced(part.geometry, material);
      mesh.setColorAt(0, this.white);
      return mesh;
    });
    this.model = model;
  }

  private instanced(shape: THREE.BufferGeometry, material: THREE.Material): THREE.InstancedMesh {
    const mesh = new THREE.InstancedMesh(shape, material, MAX_CHARACTERS);
    mesh.count = 0;
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    this.group.add(mesh);
    return mesh;
  }

  /** Plays a melee swing of a player. */
  swing(id: number): void {
    const character = this.characters.get(id);
    if (character !== undefined) character.swing = SWING_TIME;
  }

  /** Flashes a player's character after a hit. */
  flash(id: number): void {
    const character = this.characters.get(id);
    if (character !== undefined) character.flash = 1;
  }

  /** Writes the position of a player's muzzle; returns false if the player is not drawn. */
  muzzle(id: number, into: THREE.Vector3): boolean {
    const character = this.characters.get(id);
    if (character === undefined) return false;
    into.copy(character.muzzle);
    return true;
  }

  /** Draws every figure; dt is seconds since the last frame. */
  show(remotes: readonly PlayerState[], figures: readonly Figure[], dt: number, eye: THREE.Vector3): void {
    if (this.model === undefined) return;
    this.frame++;
    const spectators = new Set<number>();
    const dead = new Set<number>();
    for (const remote of remotes) if (remote.dead) (remote.mode === FLYING ? spectators : dead).add(remote.id);
    let drawn = 0;
    for (const mesh of this.weapons.values()) mesh.count = 0;
    const hidden = this.appearance.namesThroughWalls?.() !== true;
    for (const figure of figures) {
      const id = figure.player;
      if (spectators.has(id) || drawn === MAX_CHARACTERS) continue;
      const character = this.character(id);
      character.seen = this.frame;
      character.flash = ease(character.flash, 0, 9, dt);
      character.swing = Math.max(0, character.swing - dt);
      this.write(this.model, character, figure, drawn++, dead.has(id));
      character.tag.sprite.material.depthTest = hidden;
      character.tag.place(character.head.x, character.head.y + NAME_HEIGHT, character.head.z, eye, !dead.has(id), this.nameScale);
    }
    for (const mesh of this.meshes) {
      mesh.count = drawn;
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor !== null) mesh.instanceColor.needsUpdate = true;
    }
    for (const mesh of this.weapons.values()) mesh.instanceMatrix.needsUpdate = true;
    for (const character of this.characters.values()) if (character.seen !== this.frame) this.remove(character);
  }

  /** Returns the character of a player, made anew with another name, which also says its team. */
  private character(id: number): Character {
    const [name, known] = [this.appearance.name(id), this.characters.get(id)];
    if (known?.tag.text === name) return known;
    if (known !== undefined) this.remove(known);
    const character = new Character(id, name, this.appearance.colour(id));
    this.characters.set(id, character);
    this.group.add(character.tag.sprite);
    return character;
  }

  /** Writes the parts of one character. */
  private write(model: CharacterModel, character: Character, figure: Figure, at: number, dead: boolean): void {
    const { weapon, shielded } = heldBy(figure);
    const glow = this.appearance.protected?.(character.id) === true ? PROTECTED_GLOW : 0;
    this.colour.copy(character.colour).multiplyScalar(COLOUR_GAIN).addScalar(COLOUR_WHITE).lerp(this.white, Math.max(character.flash * 0.8, glow));
    model.parts.forEach((part, i) => {
      const mesh = this.meshes[i];
      if (mesh === undefined) return;
      if (part.name === SHIELD && !shielded) {
        mesh.setMatrixAt(at, this.none);
        return;
      }
      this.poseBone(figure, part.bone);
      mesh.setMatrixAt(at, this.piece.multiplyMatrices(this.bone, part.transform));
      mesh.setColorAt(at, this.colour);
    });
    this.poseBone(figure, model.head);
    character.head.setFromMatrixPosition(this.bone);
    this.poseBone(figure, model.rightHand);
    this.holdWeapon(character, this.appearance.weaponModel(weapon), dead);
  }

  /** Sets the scratch matrix bone to the pose of a bone. */
  private poseBone(figure: Figure, i: number): void {
    const pose = figure.bones[i];
    if (pose === undefined) return;
    this.bone.compose(this.position.copy(pose.translation), this.rotation.copy(pose.rotation as THREE.Quaternion), this.one);
  }

  /** Puts the weapon into the right hand, whose pose is in the scratch matrix bone. */
  private holdWeapon(character: Character, weapon: WeaponModel, dead: boolean): void {
    const [mesh, grip] = [this.weapons.get(weapon), GRIPS.get(weapon)];
    if (mesh === undefined || grip === undefined) return;
    if (character.swing > 0) {
      const share = 1 - character.swing / SWING_TIME;
      this.bone.multiply(this.piece.makeRotationZ(1.4 - 2.8 * share)); // about the thumb
    }
    this.piece.multiplyMatrices(this.bone, grip);
    character.muzzle.copy(attachPointsOf(weapon).muzzle).applyMatrix4(this.piece);
    if (!dead) mesh.setMatrixAt(mesh.count++, this.piece);
  }

  private remove(character: Character): void {
    this.group.remove(character.tag.sprite);
    character.tag.dispose();
    this.characters.delete(character.id);
  }
}
