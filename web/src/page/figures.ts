// Everybody else: the body on the bones that the core has posed, one draw call for each
// part. Start at Figures.show.
import * as THREE from "three";
import { Layout as L, type FigureView, type RemoteView } from "../client/index";
import { loadCharacterModel, type CharacterModel } from "./body";
import { NameTag } from "./names";
import { WEAPON_MODELS, attachPointsOf, weaponMaterial, weaponGeometry, type WeaponModel } from "./weapons";

const MAX_CHARACTERS = L.MAX_FIGURES;
const FLYING = 4;
const HUES = [0.03, 0.57, 0.33, 0.78, 0.13, 0.48, 0.93, 0.68, 0.23, 0.87];
const SHIELD = "shield";
const COLOUR_GAIN = 1.35; // of the player's colour on the body
const COLOUR_WHITE = 0.2; // of white in it
const NAME_HEIGHT = 0.36; // metres from the head's bone to the name
const PALM = new THREE.Vector3(0, -0.06, 0); // in the right hand's space
const WEAPON_SCALE = 0.95; // size of what is held
const SWING_TIME = 0.32; // seconds in which a blade is seen to strike

/** How a weapon lies in the right hand, whose fingers point along its −Y and whose thumb
 * along its −Z. */
const GRIPS = new Map<WeaponModel, THREE.Matrix4>(WEAPON_MODELS.map((look) => {
  const turn = new THREE.Matrix4().makeRotationX(-Math.PI / 2).scale(new THREE.Vector3(WEAPON_SCALE, WEAPON_SCALE, WEAPON_SCALE));
  const { grip } = attachPointsOf(look);
  return [look, turn.setPosition(PALM.clone().sub(grip.clone().applyMatrix4(turn)))];
}));

const TEAMS = { red: new THREE.Color(0xd8392b), blue: new THREE.Color(0x2f74d8) } as const;

/** The colour of a team's players. */
export function teamColour(team: "red" | "blue"): THREE.Color {
  return TEAMS[team].clone();
}

/** The colour that belongs to a player, the same on every page. */
export function playerColour(id: number): THREE.Color {
  const hue = HUES[id % HUES.length] ?? 0;
  return new THREE.Color().setHSL(hue, 0.78, id % 20 < 10 ? 0.42 : 0.28);
}

/** What one figure remembers. */
class Character {
  tag: NameTag;
  readonly head = new THREE.Vector3();
  readonly muzzle = new THREE.Vector3();
  seen = 0;
  flash = 0;
  swing = 0; // seconds left of a blade's

  constructor(readonly id: number, name: string, readonly colour: THREE.Color) {
    this.tag = new NameTag(name, this.colour);
  }
}

/** What figures are asked of: names, colours and what the weapons look like. */
export interface Appearance {
  name(id: number): string;
  colour(id: number): THREE.Color;
  weaponModel(weapon: number): WeaponModel;
}

/** All figures of the match but one's own. */
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

  /** Names are drawn so many times as large as in a match. Until the body has come
   * nobody is drawn. */
  constructor(private readonly appearance: Appearance, private readonly nameScale = 1) {
    const paint = weaponMaterial();
    for (const look of WEAPON_MODELS) {
      if (look !== SHIELD) this.weapons.set(look, this.instanced(weaponGeometry(look), paint));
    }
    loadCharacterModel().then((body) => this.useModel(body), (error: unknown) => console.warn(error));
  }

  private useModel(body: CharacterModel): void {
    const material = new THREE.MeshLambertMaterial({ vertexColors: true });
    this.meshes = body.parts.map((part) => {
      const mesh = this.instanced(part.geometry, material);
      mesh.setColorAt(0, this.white);
      return mesh;
    });
    this.model = body;
  }

  private instanced(shape: THREE.BufferGeometry, material: THREE.Material): THREE.InstancedMesh {
    const mesh = new THREE.InstancedMesh(shape, material, MAX_CHARACTERS);
    mesh.count = 0;
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    this.group.add(mesh);
    return mesh;
  }

  /** Makes a player's figure strike with the blade. */
  swing(id: number): void {
    const figure = this.characters.get(id);
    if (figure !== undefined) figure.swing = SWING_TIME;
  }

  /** Takes the colours anew: somebody has changed sides. */
  repaint(): void {
    for (const figure of this.characters.values()) {
      this.group.remove(figure.tag.sprite);
      figure.tag.dispose();
    }
    this.characters.clear();
  }

  /** Makes a player's figure flash as one who was hit. */
  flash(id: number): void {
    const figure = this.characters.get(id);
    if (figure !== undefined) figure.flash = 1;
  }

  /** Writes where the muzzle of a player's weapon is, if the player is drawn. */
  muzzle(id: number, into: THREE.Vector3): boolean {
    const figure = this.characters.get(id);
    if (figure === undefined) return false;
    into.copy(figure.muzzle);
    return true;
  }

  /** Takes everybody as the core poses them now; dt is seconds since the last
   * picture. */
  show(remotes: RemoteView, poses: FigureView, dt: number, eye: THREE.Vector3): void {
    if (this.model === undefined) return;
    this.frame++;
    const watching = new Set<number>();
    const dead = new Set<number>();
    for (let i = 0; i < remotes.count; i++) {
      const remote = remotes.at(i);
      if (remote.dead) (remote.mode === FLYING ? watching : dead).add(remote.id);
    }
    let drawn = 0;
    for (const mesh of this.weapons.values()) mesh.count = 0;
    for (let i = 0; i < poses.count; i++) {
      const pose = poses.at(i);
      if (watching.has(pose.id)) continue; // one who only watches
      const figure = this.characters.get(pose.id) ?? this.add(pose.id);
      figure.seen = this.frame;
      figure.flash = ease(figure.flash, 0, 9, dt);
      figure.swing = Math.max(0, figure.swing - dt);
      this.write(this.model, figure, pose, drawn++, dead.has(figure.id));
      figure.tag.rename(this.appearance.name(figure.id));
      figure.tag.place(figure.head.x, figure.head.y + NAME_HEIGHT, figure.head.z, eye, !dead.has(figure.id), this.nameScale);
    }
    for (const mesh of this.meshes) {
      mesh.count = drawn;
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor !== null) mesh.instanceColor.needsUpdate = true;
    }
    for (const mesh of this.weapons.values()) mesh.instanceMatrix.needsUpdate = true;
    if (this.characters.size > drawn) this.dropUnseen();
  }

  private add(id: number): Character {
    const figure = new Character(id, this.appearance.name(id), this.appearance.colour(id));
    this.characters.set(id, figure);
    this.group.add(figure.tag.sprite);
    return figure;
  }

  /** Writes the pieces of one figure. */
  private write(body: CharacterModel, figure: Character, pose: FigureView, at: number, dead: boolean): void {
    this.colour.copy(figure.colour).multiplyScalar(COLOUR_GAIN).addScalar(COLOUR_WHITE).lerp(this.white, figure.flash * 0.8);
    body.parts.forEach((part, i) => {
      const mesh = this.meshes[i];
      if (mesh === undefined) return;
      if (part.name === SHIELD && !pose.shielded) {
        mesh.setMatrixAt(at, this.none);
        return;
      }
      pose.bone(part.bone, this.position, this.rotation);
      this.bone.compose(this.position, this.rotation, this.one);
      mesh.setMatrixAt(at, this.piece.multiplyMatrices(this.bone, part.transform));
      mesh.setColorAt(at, this.colour);
    });
    pose.bone(body.head, figure.head, this.rotation);
    this.holdWeapon(figure, pose, body.rightHand, dead);
  }

  /** Puts the weapon into the right hand. */
  private holdWeapon(figure: Character, pose: FigureView, hand: number, dead: boolean): void {
    const look = this.appearance.weaponModel(pose.weapon);
    const [mesh, grip] = [this.weapons.get(look), GRIPS.get(look)];
    if (mesh === undefined || grip === undefined) return;
    pose.bone(hand, this.position, this.rotation);
    this.bone.compose(this.position, this.rotation, this.one);
    if (figure.swing > 0) {
      const share = 1 - figure.swing / SWING_TIME;
      this.bone.multiply(this.piece.makeRotationZ(1.4 - 2.8 * share)); // about the thumb
    }
    this.piece.multiplyMatrices(this.bone, grip);
    figure.muzzle.copy(attachPointsOf(look).muzzle).applyMatrix4(this.piece);
    if (!dead) mesh.setMatrixAt(mesh.count++, this.piece);
  }

  private dropUnseen(): void {
    for (const [id, figure] of this.characters) {
      if (figure.seen === this.frame) continue;
      this.group.remove(figure.tag.sprite);
      figure.tag.dispose();
      this.characters.delete(id);
    }
  }
}

/** Moves from towards to, by the share that rate a second gives. */
export function ease(from: number, to: number, rate: number, dt: number): number {
  return to + (from - to) * Math.exp(-rate * dt);
}
