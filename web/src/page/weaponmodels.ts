// Weapon models built of boxes and cylinders, one geometry with vertex colours each, for the view
// model and for other characters. Start at weaponModelOf and weaponGeometry.
import * as THREE from "three";
import { RoundedBoxGeometry } from "three/addons/geometries/RoundedBoxGeometry.js";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";

/** The models. */
export const WEAPON_MODELS = ["rifle", "shotgun", "rocket", "grenade", "sword", "shield"] as const;
export type WeaponModel = (typeof WEAPON_MODELS)[number];

/** Returns the model of a weapon by its name, or else by its kind. */
export function weaponModelOf(weapon: { name: string; kind: string } | undefined): WeaponModel {
  const named = WEAPON_MODELS.find((model) => weapon?.name.toLowerCase().includes(model) === true);
  if (named !== undefined && named !== "shield") return named;
  switch (weapon?.kind) {
    case "melee":
      return "sword";
    case "projectile":
      return "rocket";
    default:
      return "rifle";
  }
}

/** Grip position and muzzle position; metres, −Z forward. */
interface AttachPoints {
  grip: THREE.Vector3;
  muzzle: THREE.Vector3;
}

const at = (x: number, y: number, z: number): THREE.Vector3 => new THREE.Vector3(x, y, z);
const POINTS: Readonly<Record<WeaponModel, AttachPoints>> = {
  rifle: { grip: at(0, -0.075, 0.1), muzzle: at(0, 0.028, -0.5) },
  shotgun: { grip: at(0, -0.06, 0.12), muzzle: at(0, 0.03, -0.56) },
  rocket: { grip: at(0, -0.1, 0.02), muzzle: at(0, 0.03, -0.52) },
  grenade: { grip: at(0, 0, 0), muzzle: at(0, 0, -0.1) },
  sword: { grip: at(0, 0, 0), muzzle: at(0, 0, -0.9) },
  shield: { grip: at(0, 0, 0.06), muzzle: at(0, 0, 0) },
};

/** Returns the grip and the muzzle of a model. */
export function attachPointsOf(model: WeaponModel): AttachPoints {
  return POINTS[model];
}

const METAL = 0x5d6a77;
const DARK = 0x343c46;
const ACCENT = 0xe8963a;
const STEEL = 0xc6d2dc;
const GREEN = 0x55663e;

/** Returns a coloured part, rotated and placed. */
export function colouredPart(geometry: THREE.BufferGeometry, colour: number, x: number, y: number, z: number, turn: THREE.Euler): THREE.BufferGeometry {
  return coloured(geometry, colour, new THREE.Matrix4().makeRotationFromEuler(turn).setPosition(x, y, z));
}

/** Returns a part in one colour, moved by a matrix; parts can be merged. */
export function coloured(geometry: THREE.BufferGeometry, colour: number, place: THREE.Matrix4): THREE.BufferGeometry {
  const plain = geometry.index === null ? geometry : geometry.toNonIndexed();
  plain.applyMatrix4(place);
  const c = new THREE.Color(colour);
  const count = plain.getAttribute("position").count;
  const colours = new Float32Array(3 * count);
  for (let i = 0; i < count; i++) colours.set([c.r, c.g, c.b], 3 * i);
  plain.setAttribute("color", new THREE.BufferAttribute(colours, 3));
  plain.deleteAttribute("uv");
  return plain;
}

function box(colour: number, w: number, h: number, d: number, x: number, y: number, z: number, tilt = 0): THREE.BufferGeometry {
  return colouredPart(new RoundedBoxGeometry(w, h, d, 2, Math.min(w, h, d) * 0.25), colour, x, y, z, new THREE.Euler(tilt, 0, 0));
}

/** A tube along Z. */
function tube(colour: number, radius: number, length: number, x: number, y: number, z: number): THREE.BufferGeometry {
  return colouredPart(new THREE.CylinderGeometry(radius, radius, length, 14), colour, x, y, z, new THREE.Euler(Math.PI / 2, 0, 0));
}

function ball(colour: number, radius: number, x: number, y: number, z: number): THREE.BufferGeometry {
  return colouredPart(new THREE.SphereGeometry(radius, 14, 10), colour, x, y, z, new THREE.Euler());
}

const PIECES: Readonly<Record<WeaponModel, () => THREE.BufferGeometry[]>> = {
  rifle: () => [
    box(METAL, 0.05, 0.075, 0.3, 0, 0, 0), box(METAL, 0.038, 0.046, 0.24, 0, 0.012, -0.24), box(DARK, 0.046, 0.05, 0.17, 0, -0.004, -0.2),
    box(METAL, 0.022, 0.022, 0.16, 0, 0.028, -0.4), box(DARK, 0.03, 0.03, 0.05, 0, 0.028, -0.47), box(ACCENT, 0.053, 0.018, 0.12, 0, 0.02, 0.02),
    box(DARK, 0.022, 0.03, 0.2, 0, 0.052, -0.06), box(ACCENT, 0.008, 0.03, 0.008, 0, 0.068, -0.3), box(DARK, 0.038, 0.12, 0.055, 0, -0.085, -0.06, 0.22),
    box(DARK, 0.036, 0.1, 0.045, 0, -0.075, 0.1, -0.4), box(METAL, 0.04, 0.07, 0.16, 0, -0.012, 0.2),
  ],
  shotgun: () => [
    tube(METAL, 0.018, 0.5, 0, 0.03, -0.31), tube(DARK, 0.016, 0.42, 0, -0.008, -0.27), box(0x7a5230, 0.05, 0.05, 0.18, 0, -0.008, -0.26),
    box(METAL, 0.05, 0.075, 0.22, 0, 0.005, 0), box(ACCENT, 0.052, 0.016, 0.05, 0, 0.015, 0.02), box(0x7a5230, 0.036, 0.1, 0.05, 0, -0.06, 0.12, -0.5),
    box(0x7a5230, 0.042, 0.085, 0.2, 0, -0.035, 0.24, -0.14), box(DARK, 0.008, 0.02, 0.008, 0, 0.055, -0.54),
  ],
  rocket: () => [
    tube(GREEN, 0.062, 0.85, 0, 0.03, -0.08), tube(DARK, 0.07, 0.06, 0, 0.03, -0.49), tube(DARK, 0.075, 0.08, 0, 0.03, 0.33), tube(0x0c0f12, 0.05, 0.012, 0, 0.03, -0.517),
    box(DARK, 0.036, 0.12, 0.05, 0, -0.09, 0.02, -0.25), box(DARK, 0.03, 0.09, 0.04, 0, -0.07, -0.24), box(METAL, 0.03, 0.07, 0.12, -0.075, 0.06, -0.1), box(ACCENT, 0.126, 0.02, 0.03, 0, 0.03, -0.36),
  ],
  grenade: () => [
    ball(GREEN, 0.06, 0, 0.01, -0.03), tube(DARK, 0.062, 0.018, 0, 0.01, -0.03), box(METAL, 0.028, 0.035, 0.028, 0, 0.075, -0.03), box(ACCENT, 0.016, 0.075, 0.01, 0, 0.045, 0.03, 0.25),
  ],
  sword: () => [
    box(STEEL, 0.012, 0.05, 0.8, 0, 0, -0.5), box(0xe9f1f7, 0.006, 0.02, 0.78, 0, 0.02, -0.5), box(STEEL, 0.01, 0.034, 0.08, 0, -0.004, -0.92),
    box(ACCENT, 0.03, 0.19, 0.025, 0, 0, -0.09), tube(DARK, 0.017, 0.2, 0, 0, 0.02), ball(ACCENT, 0.026, 0, 0, 0.13),
  ],
  shield: () => [
    box(METAL, 0.54, 0.9, 0.04, 0, 0, 0), box(DARK, 0.44, 0.03, 0.05, 0, 0.3, 0), box(DARK, 0.44, 0.03, 0.05, 0, -0.3, 0), box(ACCENT, 0.05, 0.8, 0.05, 0, 0, 0), box(0x9fd8e8, 0.3, 0.07, 0.052, 0, 0.37, 0),
  ],
};

const shapes = new Map<WeaponModel, THREE.BufferGeometry>();

/** Returns the geometry of a model; built once. */
export function weaponGeometry(model: WeaponModel): THREE.BufferGeometry {
  const shape = shapes.get(model) ?? mergeGeometries(PIECES[model]());
  shapes.set(model, shape);
  return shape;
}

/** Returns the material of all weapons. */
export function weaponMaterial(): THREE.Material {
  return new THREE.MeshPhongMaterial({ vertexColors: true, emissive: 0x0d1116, shininess: 42, specular: 0x66727e });
}
