// Coloured debug lines, rebuilt every frame and drawn in one call over everything else. Start at
// Lines.
import * as THREE from "three";

/** The player's capsule, metres. */
export const RADIUS = 0.34;
export const HEIGHT = 1.76;
export const CROUCHED_HEIGHT = 0.8;
const SEGMENTS = 16;

/** Coloured vertices, rebuilt every frame: clear, add, show. */
export class VertexBuffer<M extends THREE.LineSegments | THREE.Points> {
  private readonly position: THREE.BufferAttribute;
  private readonly colour: THREE.BufferAttribute;
  private used = 0;

  /** max is the number of vertices; more are not drawn. */
  constructor(readonly mesh: M, private readonly max: number) {
    this.position = new THREE.BufferAttribute(new Float32Array(3 * max), 3).setUsage(THREE.DynamicDrawUsage);
    this.colour = new THREE.BufferAttribute(new Float32Array(3 * max), 3).setUsage(THREE.DynamicDrawUsage);
    mesh.geometry.setAttribute("position", this.position);
    mesh.geometry.setAttribute("color", this.colour);
    mesh.frustumCulled = false;
  }

  /** Removes all vertices. */
  clear(): void {
    this.used = 0;
  }

  /** Adds a vertex. */
  add(x: number, y: number, z: number, colour: THREE.Color): void {
    if (this.used === this.max) return;
    this.position.setXYZ(this.used, x, y, z);
    this.colour.setXYZ(this.used++, colour.r, colour.g, colour.b);
  }

  /** Uploads the vertices to the renderer. */
  show(): void {
    this.mesh.geometry.setDrawRange(0, this.used);
    this.mesh.visible = this.used > 0;
    this.position.needsUpdate = this.colour.needsUpdate = true;
  }
}

/** A buffer of lines. */
export class Lines extends VertexBuffer<THREE.LineSegments> {
  /** max is the number of lines; more are not drawn. */
  constructor(max: number) {
    super(new THREE.LineSegments(new THREE.BufferGeometry(), overlay(new THREE.LineBasicMaterial({ vertexColors: true }))), 2 * max);
    this.mesh.renderOrder = 10;
  }

  /** Adds a line between two points. */
  line(ax: number, ay: number, az: number, bx: number, by: number, bz: number, colour: THREE.Color): void {
    this.add(ax, ay, az, colour);
    this.add(bx, by, bz, colour);
  }

  /** Adds the outline of a player's capsule at the position of its feet. */
  capsule(x: number, y: number, z: number, crouched: boolean, colour: THREE.Color): void {
    const height = crouched ? CROUCHED_HEIGHT : HEIGHT;
    for (const ring of [RADIUS, height - RADIUS]) {
      for (let i = 0; i < SEGMENTS; i++) {
        const [c0, s0, c1, s1] = corner(i);
        this.line(x + c0, y + ring, z + s0, x + c1, y + ring, z + s1, colour);
      }
    }
    for (let i = 0; i < SEGMENTS; i++) {
      const [c0, s0, c1, s1] = corner(i);
      const centre = i < SEGMENTS / 2 ? height - RADIUS : RADIUS; // upper half of the circle above, lower half below
      this.line(x + c0, y + centre + s0, z, x + c1, y + centre + s1, z, colour);
      this.line(x, y + centre + s0, z + c0, x, y + centre + s1, z + c1, colour);
    }
    for (const [dx, dz] of [[RADIUS, 0], [-RADIUS, 0], [0, RADIUS], [0, -RADIUS]] as const) {
      this.line(x + dx, y + RADIUS, z + dz, x + dx, y + height - RADIUS, z + dz, colour);
    }
  }

  /** Adds an arrow from a point along a vector. */
  arrow(x: number, y: number, z: number, vx: number, vy: number, vz: number, colour: THREE.Color): void {
    const length = Math.hypot(vx, vy, vz);
    if (length < 0.05) return;
    const [tx, ty, tz] = [x + vx, y + vy, z + vz];
    this.line(x, y, z, tx, ty, tz, colour);
    const back = Math.min(0.25, 0.4 * length) / length;
    const side = 0.5 * back;
    this.line(tx, ty, tz, tx - back * vx - side * vz, ty - back * vy, tz - back * vz + side * vx, colour);
    this.line(tx, ty, tz, tx - back * vx + side * vz, ty - back * vy, tz - back * vz - side * vx, colour);
  }
}

/** Returns the i-th segment of a circle of the capsule's radius. */
function corner(i: number): [number, number, number, number] {
  const a = (2 * Math.PI * i) / SEGMENTS;
  const b = (2 * Math.PI * (i + 1)) / SEGMENTS;
  return [RADIUS * Math.cos(a), RADIUS * Math.sin(a), RADIUS * Math.cos(b), RADIUS * Math.sin(b)];
}

/** Makes a material visible through walls and independent of fog and tone mapping. */
export function overlay<M extends THREE.Material>(material: M): M {
  material.depthTest = material.depthWrite = false;
  material.transparent = true;
  material.toneMapped = false;
  (material as THREE.Material & { fog?: boolean }).fog = false;
  return material;
}
