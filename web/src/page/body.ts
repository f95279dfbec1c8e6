// The body that every figure has, from the same file that shots are tested by: one mesh
// for each part, fast on a bone. Start at loadBody.
import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import model from "../../../examples/arena/assets/humanoid.glb?url";

/** One visible piece of a body. */
export interface ModelPart {
  name: string;
  /** The number of the bone that carries it. */
  bone: number;
  /** Where it is in the bone's space. */
  transform: THREE.Matrix4;
  geometry: THREE.BufferGeometry;
}

/** A body: its pieces, and the bones that others are to be fast on. */
export interface CharacterModel {
  parts: readonly ModelPart[];
  head: number;
  rightHand: number;
}

/** Fetches the body. Rejects where the file is not there or has no skeleton. */
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
  if (parts.length === 0) throw new Error("page: the figure's file has no parts on bones");
  return { parts, head: names.indexOf("bone_head"), rightHand: names.indexOf("bone_right_hand") };
}

/** What of the loader's parser is needed. */
interface GLTFParser {
  json: { skins?: readonly { joints: readonly number[] }[] };
  getDependency(type: string, index: number): Promise<THREE.Object3D>;
}

/** The joints in the skin's order, which is the rig's. */
async function joints(parser: unknown): Promise<THREE.Object3D[]> {
  const p = parser as GLTFParser;
  const skin = p.json.skins?.[0];
  if (skin === undefined) throw new Error("page: the figure's file has no skeleton");
  return Promise.all(skin.joints.map((node) => p.getDependency("node", node)));
}
