// Sky, sun and their light. Start at makeSky; lightOn computes the same light for baking.
import * as THREE from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import { bakedMaterial } from "./baked.js";
import { paintTexture } from "./canvas.js";

export const HORIZON = new THREE.Color(0xcfe2f2);
const ZENITH = new THREE.Color(0x2a72cc);
const NADIR = new THREE.Color(0x9aa6b0);
export const SUN_COLOUR = new THREE.Color(0xffeccb);
export const SKY_COLOUR = new THREE.Color(0xc6ddff);
export const GROUND_COLOUR = new THREE.Color(0x93826c);
export const SUN_DIRECTION = new THREE.Vector3(0.52, 0.68, 0.34).normalize();

/** Where fog begins and where it is opaque, metres. */
export const FOG_NEAR = 38;
export const FOG_FAR = 190;

/** Exposure of the tone mapping. */
export const EXPOSURE = 1;

/** Light intensities in three.js units: divided by π they scale a colour. */
export const SUN_LIGHT = 3.75;
export const SKY_LIGHT = 2.1;

/** Writes the light of sun and sky on a white surface with the normal x, up, z. */
export function lightOn(x: number, up: number, z: number, into: THREE.Color): THREE.Color {
  const facing = Math.max(0, x * SUN_DIRECTION.x + up * SUN_DIRECTION.y + z * SUN_DIRECTION.z);
  into.lerpColors(GROUND_COLOUR, SKY_COLOUR, 0.5 + up / 2).multiplyScalar(SKY_LIGHT / Math.PI);
  into.r += (SUN_COLOUR.r * facing * SUN_LIGHT) / Math.PI;
  into.g += (SUN_COLOUR.g * facing * SUN_LIGHT) / Math.PI;
  into.b += (SUN_COLOUR.b * facing * SUN_LIGHT) / Math.PI;
  return into;
}

/** Returns a dome with the sun, optionally with clouds. */
export function makeSky(clouds: boolean): THREE.Object3D {
  const dome = new THREE.SphereGeometry(300, 24, 24);
  const position = dome.getAttribute("position");
  const colours = new Float32Array(position.count * 3);
  const colour = new THREE.Color();
  for (let i = 0; i < position.count; i++) {
    const height = position.getY(i) / 300;
    if (height >= 0) colour.lerpColors(HORIZON, ZENITH, Math.pow(height, 0.62));
    else colour.lerpColors(HORIZON, NADIR, Math.min(1, -height * 3));
    colour.convertLinearToSRGB().toArray(colours, 3 * i);
  }
  dome.setAttribute("color", new THREE.BufferAttribute(colours, 3));
  const material = bakedMaterial();
  material.side = THREE.BackSide;
  material.depthWrite = false;
  const sky = new THREE.Mesh(dome, material);
  sky.renderOrder = 1; // after all opaque meshes, so only visible sky is drawn
  sky.frustumCulled = false;
  sky.add(makeSun());
  if (clouds) sky.add(makeClouds());
  return sky;
}

/** A ring of low-poly clouds as one mesh. */
function makeClouds(): THREE.Mesh {
  const puff = new THREE.IcosahedronGeometry(1, 1);
  const parts: THREE.BufferGeometry[] = [];
  let seed = 7;
  const next = (): number => (seed = (seed * 16807) % 2147483647) / 2147483647;
  for (let c = 0; c < 13; c++) {
    const angle = (c / 13) * 2 * Math.PI + next() * 0.3;
    const reach = 190 + next() * 60;
    const height = 52 + next() * 58;
    for (let k = 0; k < 5; k++) {
      const size = 7 + next() * 9;
      const part = puff.clone().scale(size * 1.8, size * 0.5, size * 1.1).translate((k - 2) * size * 1.35, next() * 4, next() * 8);
      parts.push(part.rotateY(angle).translate(Math.sin(angle) * reach, height, Math.cos(angle) * reach));
    }
  }
  const geometry = mergeGeometries(parts);
  if (geometry === null) throw new Error("@backstep/three: no clouds");
  const material = new THREE.MeshLambertMaterial({ color: 0xffffff, emissive: 0x9fb4c8, emissiveIntensity: 0.75, fog: false, flatShading: true });
  const clouds = new THREE.Mesh(geometry, material);
  clouds.renderOrder = 0;
  clouds.frustumCulled = false;
  return clouds;
}

function makeSun(): THREE.Sprite {
  const texture = glowTexture("255,246,224");
  const material = new THREE.SpriteMaterial({ map: texture, blending: THREE.AdditiveBlending, depthWrite: false, fog: false, opacity: 0.85 });
  const sun = new THREE.Sprite(material);
  sun.position.copy(SUN_DIRECTION).multiplyScalar(280);
  sun.scale.setScalar(120);
  sun.renderOrder = 2;
  return sun;
}

/** Returns a round glow texture for sprites; rgb as "255,200,120". */
export function glowTexture(rgb: string): THREE.CanvasTexture {
  const texture = paintTexture(128, (on, size) => {
    const glow = on.createRadialGradient(64, 64, 0, 64, 64, 64);
    glow.addColorStop(0, `rgba(${rgb},1)`);
    glow.addColorStop(0.13, `rgba(${rgb},0.85)`);
    glow.addColorStop(0.3, `rgba(${rgb},0.25)`);
    glow.addColorStop(1, `rgba(${rgb},0)`);
    on.fillStyle = glow;
    on.fillRect(0, 0, size, size);
  });
  texture.colorSpace = THREE.NoColorSpace; // a light, not a colour to convert
  return texture;
}
