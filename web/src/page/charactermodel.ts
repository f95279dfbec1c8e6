// The character model, from the same file that the hitboxes come from: one mesh per part, rigidly
// attached to a bone. Start at loadCharacterModel.
import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import model from "../../../examples/arena/assets/humanoid.glb?url";

/** One visible part of a character. */
interface ModelPart {
  name: string;
  /** Index of the bone that carries it. */
  bone: number;
  /** Transform in the bone's space. */
  transform: THREE.Matrix4;
  geometry: THREE.BufferGeometry;
}

/** A character model: its parts, and the bones to attach other things to. */
export interface CharacterModel {
  parts: readonly ModelPart[];
  head: number;
  rightHand: number;
}

/** Loads the model. Rejects if the file is missing or has no skeleton. */
export async function loadCharacterModel(): Promise<CharacterModel> {
  const gltf = await new GLTFLoader().loadAsync(model);
  gltf.scene.updateMatrixWorld(true);
  const bones = new Map<THREE.Object3D, number>();
  const names: string[] = [];
  for (const joint of await joints(gltf.parser)) {
    bones.set(joint, names.length);
    names.push(joint.name);
  }
  const parts: ModelPart[] = [];
  gltf.scene.traverse((object) => {
    const bone = object.parent === null ? undefined : bones.get(object.parent);
    if (!(object instanceof THREE.Mesh) || bone === undefined) return;
    object.updateMatrix();
    parts.push({ name: object.name, bone, transform: object.matrix.clone(), geometry: object.geometry as THREE.BufferGeometry });
  });
  if (parts.length === 0) throw new Error("page: the character model has no parts on bones");
  return { parts, head: names.indexOf("bone_head"), rightHand: names.indexOf("bone_right_hand") };
}

/** The part of the loader's parser that is needed. */
interface GLTFParser {
  json: { skins?: readonly { joints: readonly number[] }[] };
  getDependency(type: string, index: number): Promise<THREE.Object3D>;
}

/** Returns the joints in the skin's order, which is the rig's. */
async function joints(parser: unknown): Promise<THREE.Object3D[]> {
  const p = parser as GLTFParser;
  const skin = p.json.skins?.[0];
  if (skin === undefined) throw new Error("page: the character model has no skeleton");
  return Promise.all(skin.joints.map((node) => p.getDependency("node", node)));
}
