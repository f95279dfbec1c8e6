// The volumes of a level that players should see: water, what kills, what launches. Start at volumeObject.
import type { LevelVolume } from "@backstep/client";
import * as THREE from "three";

const LOOKS = {
  water: { color: 0x2f9fd0, opacity: 0.5 },
  kill: { color: 0xe0342b, opacity: 0.42 },
  launch: { color: 0x35e0e6, opacity: 0.45 },
} as const;

/** How high a volume that launches is drawn, metres: what is above it is in the air. */
const PAD = 0.4;

/** Returns the object that draws a volume, as the box around it; undefined for those that are not seen. */
export function volumeObject({ min, max, kind }: LevelVolume): THREE.Mesh | undefined {
  if (kind === "other") return undefined;
  const top = kind === "launch" ? Math.min(max.y, min.y + PAD) : max.y;
  const material = new THREE.MeshLambertMaterial({ ...LOOKS[kind], transparent: true, depthWrite: false, side: THREE.DoubleSide });
  const box = new THREE.Mesh(new THREE.BoxGeometry(max.x - min.x, top - min.y, max.z - min.z), material);
  box.position.set((min.x + max.x) / 2, (min.y + top) / 2, (min.z + max.z) / 2);
  box.renderOrder = 2; // over the sky, which is drawn after all opaque meshes
  return box;
}
