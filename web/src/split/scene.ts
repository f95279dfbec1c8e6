// Draws the match three times with one renderer: the same level and camera, each view with its own
// figures. Start at Scene.
import * as THREE from "three";
import { RoundedBoxGeometry } from "three/addons/geometries/RoundedBoxGeometry.js";
import { DefaultFigure } from "@backstep/three";
import { disposeObjects } from "@backstep/three/parts";
import { FIRED, JUDGED, SEEN, type Figure, type Frame, type SplitEvent } from "./frame.js";

/** You and the opponent; they differ by shape too. */
export const COLOURS = ["#ff9d3d", "#45a6ff"] as const;
const TRUTH = "#e8eef6";

/** A rectangle of the stage, CSS pixels from its top left corner. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const VIEWS = 3;
const BEAM_TIME = 350; // ms of match time
const GHOST_TIME = 900;
const CHEST = 1;

/** A shot or a ghost that is drawn until a match time. */
interface Passing {
  view: number;
  object: THREE.Object3D;
  begin: number;
  end: number;
  fade(share: number): void;
  mark?: Mark | undefined;
}

/** A word beside something in a view. */
export interface Mark {
  view: number;
  x: number;
  y: number;
  z: number;
  text: string;
}

export class Scene {
  readonly renderer: THREE.WebGLRenderer;
  private readonly scene = new THREE.Scene();
  private readonly cameras: THREE.PerspectiveCamera[] = [];
  private readonly players: Character[][] = [];
  private readonly truths: (Character | undefined)[][] = [];
  private passing: Passing[] = [];
  private readonly corners: THREE.Vector3[] = [];
  private readonly ray = new THREE.Raycaster();
  private time = 0;
  private turned = 0;

  constructor(canvas: HTMLCanvasElement, private readonly shadows: boolean, pixelRatio: number) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.renderer.setPixelRatio(pixelRatio);
    this.renderer.setScissorTest(true);
    this.renderer.shadowMap.enabled = shadows;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.lights();
    for (let view = 0; view < VIEWS; view++) {
      const camera = new THREE.PerspectiveCamera(30, 1, 1, 200);
      camera.layers.enable(view + 1);
      this.cameras.push(camera);
      this.players.push([0, 1].map((player) => this.add(new Character(COLOURS[player] ?? TRUTH, player, 1, !shadows), view)));
      this.truths.push(view === 1 ? [undefined, undefined] : [0, 1].map((player) => this.add(new Character(TRUTH, player, 0.34), view)));
    }
  }

  private lights(): void {
    const sun = new THREE.DirectionalLight(0xfff1dc, 2.1);
    sun.position.set(-7, 14, 6);
    sun.castShadow = this.shadows;
    sun.shadow.mapSize.set(1024, 1024);
    sun.shadow.radius = 4;
    sun.shadow.normalBias = 0.03;
    Object.assign(sun.shadow.camera, { left: -10, right: 10, top: 10, bottom: -10, near: 1, far: 40 });
    this.scene.add(sun, new THREE.HemisphereLight(0xcfe4ff, 0x2b3544, 1.5));
  }

  private add(character: Character, view: number): Character {
    onLayer(character.object, view);
    this.scene.add(character.object);
    return character;
  }

  /** Builds the level: half the floor's sides, then the middle and half size of each box. */
  build(solids: Float64Array): void {
    const [halfX = 4, halfZ = 4] = solids;
    const slab = new THREE.Mesh(new RoundedBoxGeometry(2 * halfX + 0.8, 0.7, 2 * halfZ + 0.8, 4, 0.25), new THREE.MeshLambertMaterial({ color: 0x54687f }));
    slab.position.y = -0.352;
    slab.receiveShadow = true;
    this.scene.add(slab, grid(halfX, halfZ));
    for (let i = 2; i + 5 < solids.length; i += 6) {
      const [x, y, z, hx, hy, hz] = solids.subarray(i, i + 6) as unknown as [number, number, number, number, number, number];
      const box = new THREE.Mesh(new RoundedBoxGeometry(2 * hx, 2 * hy, 2 * hz, 3, 0.09), new THREE.MeshLambertMaterial({ color: 0x8296ad }));
      box.position.set(x, y, z);
      box.castShadow = box.receiveShadow = true;
      this.scene.add(box);
    }
    const [x, z] = [halfX + 0.4, halfZ + 0.4];
    for (const i of [-1, 1]) for (const k of [-1, 1]) this.corners.push(new THREE.Vector3(i * x, -0.5, k * z), new THREE.Vector3(0.8 * i * x, 2.2, 0.8 * k * z));
  }

  /** Sets the size of the stage, and moves each camera so that the whole level is in its view. A wide view
   * looks along the level's short side, which is turned radians. */
  layout(width: number, height: number, boxes: readonly Box[]): void {
    this.renderer.setSize(width, height, false);
    this.cameras.forEach((camera, view) => {
      const { width: w, height: h } = boxes[view]!;
      camera.aspect = w / Math.max(h, 1);
      camera.updateProjectionMatrix();
      const wide = camera.aspect > 1;
      this.turned = wide ? Math.PI / 2 : 0;
      const elevation = wide ? 0.75 : 1.05;
      const roof = wide ? 0.96 : 0.78; // a narrow view has its title above the level
      let [near, far] = [10, 90];
      for (let i = 0; i < 20; i++) {
        const distance = (near + far) / 2;
        camera.position.set(Math.sin(this.turned), Math.tan(elevation), Math.cos(this.turned)).setLength(distance);
        camera.lookAt(0, 0.3, 0);
        camera.updateMatrixWorld();
        if (this.corners.every((c) => inside(c.clone().project(camera), roof))) far = distance;
        else near = distance;
      }
    });
  }

  /** The way on the level, along +X and +Z, of a way on the screen, to the right and down. */
  onLevel(right: number, down: number): [number, number] {
    const [sin, cos] = [Math.sin(this.turned), Math.cos(this.turned)];
    return [right * cos + down * sin, down * cos - right * sin];
  }

  /** Poses the figures of a frame; ghosts says whether to draw the server's truth on both screens. */
  show(frame: Frame, ghosts: boolean): void {
    const dt = Math.max(0, (frame.time - this.time) / 1000);
    this.time = frame.time;
    const truth = frame.views[1]!;
    frame.views.forEach((figures, view) => {
      for (const player of [0, 1] as const) {
        const figure = figures[player];
        this.players[view]![player]!.pose(figure, dt);
        const ghost = this.truths[view]![player];
        if (ghost === undefined) continue;
        const apart = distance(figure, truth[player]);
        ghost.pose({ ...truth[player], present: ghosts && truth[player].present && apart > 0.1 }, dt);
        ghost.fade(Math.min(1, (apart - 0.1) / 0.35));
      }
    });
    this.passing = this.passing.filter((p) => this.pass(p));
  }

  private pass(p: Passing): boolean {
    const share = (this.time - p.begin) / (p.end - p.begin);
    if (share < 1) {
      p.fade(1 - Math.max(share, 0));
      return true;
    }
    p.object.removeFromParent();
    disposeObjects(p.object);
    return false;
  }

  /** Draws a shot in the view that shows it now, and what the server judged it by. */
  shot(event: SplitEvent): void {
    const view = event.kind === JUDGED ? 1 : event.kind === FIRED ? 2 * event.player : event.kind === SEEN ? 2 - 2 * event.player : -1;
    if (view < 0) return;
    this.beam(view, event);
    if (event.kind !== JUDGED || !event.ghost.present || event.moved < 0.15) return;
    const ghost = new Character(TRUTH, 1 - event.player, 0.6);
    ghost.pose({ ...event.ghost, vx: 0, vy: 0, vz: 0, air: 0 }, 0);
    this.keep(view, ghost.object, event.at, GHOST_TIME, (share) => ghost.fade(Math.min(1, 2 * share)), { ...event.ghost, view, text: `as seen, ${Math.round(event.ago)} ms ago` });
  }

  private beam(view: number, { from, to, player, hit, kind, at }: SplitEvent): void {
    const a = new THREE.Vector3(from[0], from[1] - 0.42, from[2]);
    const b = new THREE.Vector3(...to);
    const material = new THREE.MeshBasicMaterial({ color: new THREE.Color(COLOURS[player]).lerp(new THREE.Color("white"), 0.45), transparent: true, depthWrite: false });
    const beam = new THREE.Mesh(new THREE.CylinderGeometry(0.055, 0.055, a.distanceTo(b), 8), material);
    beam.position.copy(a).lerp(b, 0.5);
    beam.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), b.clone().sub(a).normalize());
    const group = new THREE.Group().add(beam);
    if (hit || kind === SEEN) {
      const flash = new THREE.Mesh(new THREE.SphereGeometry(0.24, 16, 12), material);
      flash.position.copy(b);
      group.add(flash);
    }
    this.keep(view, group, at, BEAM_TIME, (share) => (material.opacity = Math.sqrt(share)));
  }

  private keep(view: number, object: THREE.Object3D, begin: number, lasts: number, fade: (share: number) => void, mark?: Mark): void {
    onLayer(object, view);
    this.scene.add(object);
    this.passing.push({ view, object, begin, end: begin + lasts, fade, mark });
  }

  /** The words that belong to what is passing. */
  get marks(): Mark[] {
    return this.passing.flatMap(({ mark }) => (mark === undefined ? [] : [mark]));
  }

  /** Draws each view into its box. */
  draw(height: number, boxes: readonly Box[]): void {
    this.cameras.forEach((camera, view) => {
      const box = boxes[view]!;
      this.renderer.setViewport(box.x, height - box.y - box.height, box.width, box.height);
      this.renderer.setScissor(box.x, height - box.y - box.height, box.width, box.height);
      this.renderer.render(this.scene, camera);
    });
  }

  /** Where a point above a figure's head is on the stage. */
  above(view: number, figure: { x: number; y: number; z: number }, box: Box, height = 2.6): { x: number; y: number } {
    const at = new THREE.Vector3(figure.x, figure.y + height, figure.z).project(this.cameras[view]!);
    return { x: box.x + ((at.x + 1) / 2) * box.width, y: box.y + ((1 - at.y) / 2) * box.height };
  }

  /** The point at the height of a chest under a place of a view, −1 to 1 to the right and up. */
  pick(view: number, x: number, y: number): [number, number, number] {
    this.ray.setFromCamera(new THREE.Vector2(x, y), this.cameras[view]!);
    const at = this.ray.ray.intersectPlane(new THREE.Plane(new THREE.Vector3(0, 1, 0), -CHEST), new THREE.Vector3());
    return at === null ? [0, CHEST, 0] : [at.x, at.y, at.z];
  }
}

const inside = (p: THREE.Vector3, roof: number): boolean => Math.abs(p.x) < 0.96 && p.y < roof && p.y > -0.95;

export const distance = (a: Figure, b: Figure): number => Math.hypot(a.x - b.x, a.y - b.y, a.z - b.z);

/** The lines of a grid, about a metre apart. */
function grid(halfX: number, halfZ: number): THREE.LineSegments {
  const points: number[] = [];
  const [nx, nz] = [Math.round(halfX), Math.round(halfZ)];
  for (let i = -nx; i <= nx; i += 2) points.push((i / nx) * halfX, 0, -halfZ, (i / nx) * halfX, 0, halfZ);
  for (let k = -nz; k <= nz; k += 2) points.push(-halfX, 0, (k / nz) * halfZ, halfX, 0, (k / nz) * halfZ);
  const geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
  const lines = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: 0x6a7f98 }));
  lines.position.y = 0.006;
  return lines;
}

function onLayer(object: THREE.Object3D, view: number): void {
  object.traverse((part) => part.layers.set(view + 1));
}

/** A shadow for renderers that draw none. */
function shadowDisc(): THREE.Mesh {
  const disc = new THREE.Mesh(new THREE.CircleGeometry(0.44, 24), new THREE.MeshBasicMaterial({ color: 0x101823, transparent: true, opacity: 0.3, depthWrite: false }));
  disc.rotation.x = -Math.PI / 2;
  disc.position.y = 0.02;
  return disc;
}

/** A figure with a gun. The opponent has a hat, so nobody needs its colour. */
class Character {
  readonly object: THREE.Group;
  private readonly figure: DefaultFigure;
  private readonly velocity = new THREE.Vector3();
  private readonly materials = new Set<THREE.Material>();

  constructor(colour: string, player: number, private readonly opacity = 1, disc = false) {
    this.figure = new DefaultFigure(colour);
    this.object = this.figure;
    const dark = new THREE.MeshLambertMaterial({ color: opacity < 1 ? 0xd5dfeb : 0x1c2430 });
    const gun = new THREE.Mesh(new RoundedBoxGeometry(0.1, 0.13, 0.62, 2, 0.03), dark);
    gun.position.set(0.36, 1.02, -0.42);
    this.figure.add(gun);
    if (player === 1) {
      const hat = new THREE.Mesh(new THREE.ConeGeometry(0.3, 0.42, 24), dark);
      hat.position.set(0, 1.9, 0);
      this.figure.add(hat);
    }
    if (disc) this.figure.add(shadowDisc());
    this.figure.traverse((part) => part instanceof THREE.Mesh && this.prepare(part));
  }

  private prepare(mesh: THREE.Mesh): void {
    mesh.castShadow = this.opacity === 1;
    mesh.receiveShadow = false;
    const material = mesh.material as THREE.Material;
    this.materials.add(material);
    if (this.opacity === 1) return;
    material.transparent = true;
    material.depthWrite = false;
    material.opacity = this.opacity;
  }

  pose(f: Figure, dt: number): void {
    this.object.visible = f.present;
    if (!f.present) return;
    this.object.position.set(f.x, f.y, f.z);
    this.object.rotation.y = f.yaw;
    const [sin, cos] = [Math.sin(f.yaw), Math.cos(f.yaw)];
    this.velocity.set(cos * f.vx - sin * f.vz, f.vy, sin * f.vx + cos * f.vz);
    this.figure.update({ dt, velocity: this.velocity, pitch: 0, crouch: 0, air: f.air, dead: false });
  }

  /** share 1 is its full opacity. */
  fade(share: number): void {
    for (const material of this.materials) material.opacity = this.opacity * share;
  }
}
