// The cheapest material for static meshes, for software renderers: light, tone mapping and gamma
// are baked into the vertices, fog is computed per vertex, and a pixel is a copy. Start at
// bakedMaterial.
import * as THREE from "three";

const FIT_IN = [0.59719, 0.35458, 0.04823, 0.076, 0.90834, 0.01566, 0.0284, 0.13383, 0.83777];
const FIT_OUT = [1.60475, -0.53108, -0.07367, -0.10208, 1.10813, -0.00605, -0.00327, -0.07276, 1.07602];

/** Converts light to a display colour: three.js's ACES tone mapping, then sRGB. */
export function toneMap(colour: THREE.Color, exposure: number): THREE.Color {
  const [r, g, b] = times(FIT_IN, colour.r, colour.g, colour.b, exposure / 0.6).map(shoulder) as [number, number, number];
  const [x, y, z] = times(FIT_OUT, r, g, b, 1).map((v) => Math.min(1, Math.max(0, v))) as [number, number, number];
  return colour.setRGB(x, y, z, THREE.LinearSRGBColorSpace).convertLinearToSRGB();
}

function times(m: number[], r: number, g: number, b: number, by: number): number[] {
  return [0, 3, 6].map((i) => by * ((m[i] ?? 0) * r + (m[i + 1] ?? 0) * g + (m[i + 2] ?? 0) * b));
}

function shoulder(v: number): number {
  return (v * (v + 0.0245786) - 0.000090537) / (v * (0.983729 * v + 0.432951) + 0.238081);
}

const VERTEX = `
attribute vec3 color;
uniform vec3 fogColor;
uniform vec2 fogReach;
varying vec3 seen;
void main() {
  vec4 place = modelViewMatrix * vec4(position, 1.0);
  gl_Position = projectionMatrix * place;
  seen = mix(color, fogColor, smoothstep(fogReach.x, fogReach.y, -place.z));
}`;

const PIXEL = `
varying vec3 seen;
void main() { gl_FragColor = vec4(seen, 1.0); }`;

/** Linear fog: none before near, opaque beyond far, metres. */
export interface Fog {
  colour: THREE.Color;
  near: number;
  far: number;
}

/** Returns a material that shows baked vertex colours, with optional fog. */
export function bakedMaterial(fog?: Fog): THREE.ShaderMaterial {
  const colour = (fog?.colour ?? new THREE.Color()).clone().convertLinearToSRGB();
  const reach = new THREE.Vector2(fog?.near ?? 1e8, fog?.far ?? 1e9);
  return new THREE.ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: PIXEL,
    uniforms: { fogColor: { value: colour }, fogReach: { value: reach } },
    fog: false,
    toneMapped: false,
  });
}
