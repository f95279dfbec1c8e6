// The cheapest material for static meshes, for software renderers: light, tone mapping and gamma
// are baked into the vertices, fog is computed per vertex, and a pixel is a copy. Start at
// bakedMaterial.
import * as THREE from "three";

const FIT_IN = [0.59719, 0.35458, 0.04823, 0.076, 0.90834, 0.01566, 0.0284, 0.13383, 0.83777];
const FIT_OUT = [1.60475, -0.53108, -0.07367, -0.10208, 1.10813, -0.00605, -0.00327, -0.07276, 1.07602];

/** Converts light to a display colour: three.js's ACES tone mapping, then sRGB. */
export function toneMap(colour: THREE.Color, exposure: number): THREE.Color {
  const { r, g, b } = colour;
  const by = exposure / 0.6;
  const [x, y, z] = [shoulder(by * row(FIT_IN, 0, r, g, b)), shoulder(by * row(FIT_IN, 3, r, g, b)), shoulder(by * row(FIT_IN, 6, r, g, b))];
  colour.r = clamp(row(FIT_OUT, 0, x, y, z));
  colour.g = clamp(row(FIT_OUT, 3, x, y, z));
  colour.b = clamp(row(FIT_OUT, 6, x, y, z));
  return colour.convertLinearToSRGB();
}

const row = (m: readonly number[], at: number, r: number, g: number, b: number): number => m[at]! * r + m[at + 1]! * g + m[at + 2]! * b;

const clamp = (v: number): number => Math.min(1, Math.max(0, v));

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
