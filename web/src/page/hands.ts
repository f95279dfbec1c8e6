// Gloved hands and sleeves of the first-person view, one geometry for each weapon. Start at handsGeometry.
import * as THREE from "three";
import { RoundedBoxGeometry } from "three/addons/geometries/RoundedBoxGeometry.js";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import { attachPointsOf, coloured, type WeaponModel } from "./weaponmodels";

const SLEEVE = 0x41505f;
const CUFF = 0x2a333d;
const GLOVE = 0x6a5a48;
const KNUCKLE = 0x4b3f33;

const at = (x: number, y: number, z: number): THREE.Vector3 => new THREE.Vector3(x, y, z);

/** Joints of a finger around a bar along Z, in metres: it leaves the palm below the bar on the right. */
const FINGER = [[0.022, -0.036], [0.037, -0.01], [0.03, 0.02], [0.006, 0.031]] as const;
const THUMB = [at(-0.02, -0.036, 0.02), at(-0.036, -0.01, 0), at(-0.027, 0.018, -0.022)];

/** Returns both hands with their sleeves where they hold a weapon, in its frame. */
export function handsGeometry(model: WeaponModel): THREE.BufferGeometry {
  const { grip } = attachPointsOf(model);
  const right = [...hand(rightHold(model).setPosition(grip.x, grip.y, grip.z)), ...sleeve(at(grip.x + 0.02, grip.y - 0.025, grip.z + 0.05), at(0.14, -0.26, 0.5))];
  if (model === "sword" || model === "grenade") return mergeGeometries(right);
  const front = model === "rocket" ? -0.24 : -0.23;
  const left = [...hand(new THREE.Matrix4().makeTranslation(-0.002, -0.006, front)), ...sleeve(at(-0.02, -0.07, front + 0.03), at(-0.34, -0.27, 0.02))];
  return mergeGeometries([...right, ...left]);
}

/** Turns the hand from a bar along Z to what the right one holds: an upright grip, a hilt, a ball. */
function rightHold(model: WeaponModel): THREE.Matrix4 {
  if (model === "sword") return new THREE.Matrix4().makeRotationZ(0.7);
  if (model === "grenade") return new THREE.Matrix4().makeScale(1.7, 1.5, 1.1);
  return new THREE.Matrix4().makeRotationX(-Math.PI / 2 - 0.3);
}

/** The parts of a glove around a bar along Z. */
function hand(place: THREE.Matrix4): THREE.BufferGeometry[] {
  const parts = [coloured(new RoundedBoxGeometry(0.058, 0.026, 0.088, 2, 0.011), GLOVE, new THREE.Matrix4().makeTranslation(0, -0.043, 0.004))];
  for (const z of [-0.033, -0.011, 0.011, 0.033]) {
    const joints = FINGER.map(([x, y]) => at(x, y, z));
    parts.push(...bones(joints, 0.0115), coloured(new THREE.SphereGeometry(0.0135, 8, 6), KNUCKLE, new THREE.Matrix4().setPosition(joints[0]!)));
  }
  parts.push(...bones(THUMB, 0.0125));
  return parts.map((part) => part.applyMatrix4(place));
}

function bones(joints: THREE.Vector3[], radius: number): THREE.BufferGeometry[] {
  return joints.slice(1).map((to, i) => between(joints[i]!, to, (length) => new THREE.CapsuleGeometry(radius, length, 3, 7), GLOVE));
}

function sleeve(from: THREE.Vector3, to: THREE.Vector3): THREE.BufferGeometry[] {
  const cuff = from.clone().lerp(to, 0.12);
  return [
    between(from, to, (length) => new THREE.CylinderGeometry(0.058, 0.032, length, 12), SLEEVE),
    between(from, cuff, (length) => new THREE.CylinderGeometry(0.04, 0.037, length, 12), CUFF),
  ];
}

/** Places a part that is made along Y between two points. */
function between(from: THREE.Vector3, to: THREE.Vector3, make: (length: number) => THREE.BufferGeometry, colour: number): THREE.BufferGeometry {
  const turn = new THREE.Quaternion().setFromUnitVectors(at(0, 1, 0), to.clone().sub(from).normalize());
  return coloured(make(from.distanceTo(to)), colour, new THREE.Matrix4().compose(from.clone().lerp(to, 0.5), turn, at(1, 1, 1)));
}
