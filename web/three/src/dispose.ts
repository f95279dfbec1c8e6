// What lets go of memory on the graphics card. Start at disposeObjects.
import type * as THREE from "three";

/** Frees what objects and all below them draw with. What another renderer, or a later picture, draws with too is
 * uploaded again there: until it is let go, a geometry, material or texture keeps each renderer that has drawn it. Kinds
 * are told by flags, not by instanceof: a project can have a second copy of three, whose classes are others. */
export function disposeObjects(root: THREE.Object3D): void {
  root.traverse((object) => {
    const { geometry, material, isInstancedMesh, isLight } = object as Partial<THREE.InstancedMesh & THREE.Light>;
    geometry?.dispose();
    for (const one of Array.isArray(material) ? material : [material]) if (one !== undefined) disposeMaterial(one);
    if (isInstancedMesh === true || isLight === true) (object as THREE.InstancedMesh).dispose();
  });
}

function disposeMaterial(material: THREE.Material): void {
  for (const value of Object.values(material) as unknown[]) if ((value as Partial<THREE.Texture> | null)?.isTexture === true) (value as THREE.Texture).dispose();
  material.dispose();
}
