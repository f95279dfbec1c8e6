// Short-lived effects: tracers, muzzle flashes, impacts and their marks, smoke, explosions. All objects are pooled.
// Start at Effects.
import * as THREE from "three";
import { ease, glowTexture, type Sweep } from "@backstep/three/parts";
import { Decals } from "./decals";

const TRACERS = 40;
const PUFFS = 120;
const BLASTS = 8;
const BLAST_LIFE = 0.5;
const TRACER_LIFE = 0.09;
const PUFF_LIFE = 0.32;
const HOLES = 64;
const SCORCHES = 12;
const HOLE_SIZE = 0.09; // metres
const SCORCH_SIZE = 0.5; // of the explosion's radius
/** Where the surface of an explosion may be. */
const SIDES = [[0, -1, 0], [1, 0, 0], [-1, 0, 0], [0, 0, 1], [0, 0, -1], [0, 1, 0]] as const;
const FLASH_RANGE = 9; // metres that a flash lights up

interface Tracer {
  from: THREE.Vector3;
  to: THREE.Vector3;
  age: number;
}

interface Puff {
  sprite: THREE.Sprite;
  age: number;
  life: number;
  size: number;
  rise: number;
}

/** An explosion: a growing ball of light and a ring. */
interface Blast {
  ball: THREE.Mesh<THREE.BufferGeometry, THREE.MeshBasicMaterial>;
  ring: THREE.Mesh<THREE.BufferGeometry, THREE.MeshBasicMaterial>;
  age: number;
  radius: number;
}

/** The effects of a match. */
export class Effects {
  readonly group = new THREE.Group();
  private readonly tracers: Tracer[] = [];
  private readonly lines: THREE.InstancedMesh;
  private readonly puffs: Puff[] = [];
  private readonly spark: THREE.SpriteMaterial;
  private readonly dust: THREE.SpriteMaterial;
  private readonly blood: THREE.SpriteMaterial;
  private readonly grey: THREE.SpriteMaterial;
  private readonly ball = new THREE.IcosahedronGeometry(1, 3);
  private readonly ring = new THREE.RingGeometry(0.86, 1, 40);
  private readonly blasts: Blast[] = [];
  private nextBlast = 0;
  private nextTracer = 0;
  private nextPuff = 0;
  private readonly dummy = new THREE.Object3D();
  private readonly way = new THREE.Vector3();
  private readonly holes: Decals;
  private readonly scorches: Decals;
  /** The newest flash; one is enough for what the eye sees. */
  private readonly light = new THREE.PointLight(0xffc680, 0, FLASH_RANGE, 1.6);

  /** sweep is the core's; lit says whether the level's materials take light, which costs. */
  constructor(public sweep: Sweep, lit: boolean) {
    const current: Sweep = (from, delta, radius) => this.sweep(from, delta, radius);
    this.holes = new Decals("hole", HOLES, current);
    this.scorches = new Decals("scorch", SCORCHES, current);
    this.group.add(this.holes.mesh, this.scorches.mesh);
    if (lit) this.group.add(this.light);
    const material = new THREE.MeshBasicMaterial({
      color: 0xffd58a, transparent: true, opacity: 0.8, blending: THREE.AdditiveBlending, depthWrite: false, fog: false,
    });
    this.lines = new THREE.InstancedMesh(new THREE.BoxGeometry(0.022, 0.022, 1), material, TRACERS);
    this.lines.frustumCulled = false;
    this.lines.count = 0;
    this.spark = spriteMaterial(glowTexture("255,206,120"), THREE.AdditiveBlending);
    this.dust = spriteMaterial(glowTexture("196,188,174"), THREE.NormalBlending);
    this.blood = spriteMaterial(glowTexture("255,96,72"), THREE.AdditiveBlending);
    this.grey = spriteMaterial(glowTexture("120,118,116"), THREE.NormalBlending);
    this.grey.opacity = 0.55;
    this.group.add(this.lines);
    for (let i = 0; i < BLASTS; i++) this.blasts.push(this.makeBlast());
    for (let i = 0; i < TRACERS; i++) this.tracers.push({ from: new THREE.Vector3(), to: new THREE.Vector3(), age: 1 });
    for (let i = 0; i < PUFFS; i++) this.puffs.push(this.makePuff());
  }

  /** Shows a shot: muzzle flash, tracer, impact. */
  shot(from: THREE.Vector3, to: THREE.Vector3, hitCharacter: boolean, own: boolean): void {
    const tracer = this.tracers[this.nextTracer++ % TRACERS];
    if (tracer === undefined) return;
    tracer.from.copy(from);
    tracer.to.copy(to);
    tracer.age = 0;
    if (!own) this.emit(from, this.spark, 0.5, 0.07, 0);
    this.lightUp(from, 14);
    if (!hitCharacter) this.holes.add(to, this.way.subVectors(to, from).normalize(), HOLE_SIZE);
    this.emit(to, hitCharacter ? this.blood : this.dust, hitCharacter ? 0.42 : 0.34, PUFF_LIFE, 0.5);
    if (!hitCharacter) this.emit(to, this.spark, 0.22, 0.12, 0);
  }

  /** Shows a flash of light. */
  flash(at: THREE.Vector3, size: number): void {
    this.emit(at, this.spark, size, 0.09, 0);
    this.lightUp(at, 20);
  }

  /** The marks on the level, for tests. */
  get marks(): number {
    return this.holes.count + this.scorches.count;
  }

  /** Lights what is near for an instant; power in candela. */
  private lightUp(at: THREE.Vector3, power: number): void {
    this.light.position.copy(at);
    this.light.intensity = power;
  }

  /** Shows a rising puff of smoke. */
  smoke(at: THREE.Vector3, size: number, life: number): void {
    this.emit(at, this.grey, size, life, 0.25);
  }

  /** Shows the impact of a blade or a projectile. */
  impact(at: THREE.Vector3, character: boolean): void {
    this.emit(at, character ? this.blood : this.dust, 0.5, PUFF_LIFE, 0.4);
    this.emit(at, this.spark, 0.3, 0.12, 0);
  }

  /** Shows an explosion; radius in metres. */
  explode(at: THREE.Vector3, radius: number): void {
    const blast = this.blasts[this.nextBlast++ % BLASTS];
    if (blast === undefined) return;
    Object.assign(blast, { age: 0, radius });
    blast.ball.position.copy(at);
    blast.ring.position.copy(at);
    blast.ball.visible = blast.ring.visible = true;
    this.emit(at, this.spark, radius * 1.5, 0.16, 0);
    this.lightUp(at, 60);
    SIDES.some(([x, y, z]) => this.scorches.add(at, this.way.set(x, y, z), SCORCH_SIZE * radius));
    const place = new THREE.Vector3();
    for (let i = 0; i < 10; i++) {
      place.randomDirection().multiplyScalar(radius * 0.35).add(at);
      this.emit(place, i < 5 ? this.spark : this.grey, radius * (0.35 + 0.3 * Math.random()), i < 5 ? 0.3 : 0.8 + 0.5 * Math.random(), 0.9);
    }
  }

  private makeBlast(): Blast {
    const fire = (colour: number, blending: THREE.Blending): THREE.MeshBasicMaterial =>
      new THREE.MeshBasicMaterial({ color: colour, transparent: true, blending, depthWrite: false, fog: false, side: THREE.DoubleSide });
    const ball = new THREE.Mesh(this.ball, fire(0xff7a1c, THREE.NormalBlending));
    const ring = new THREE.Mesh(this.ring, fire(0xffe0b0, THREE.AdditiveBlending));
    ball.visible = ring.visible = false;
    this.group.add(ball, ring);
    return { ball, ring, age: BLAST_LIFE, radius: 1 };
  }

  private updateBlast(blast: Blast, dt: number, camera: THREE.Object3D): void {
    if (!blast.ball.visible) return;
    blast.age += dt;
    const share = Math.min(blast.age / BLAST_LIFE, 1);
    blast.ball.visible = blast.ring.visible = share < 1;
    const grown = 1 - (1 - share) ** 3;
    blast.ball.scale.setScalar(blast.radius * 0.75 * grown);
    blast.ball.material.opacity = 0.85 * (1 - share) ** 1.5;
    blast.ring.scale.setScalar(blast.radius * grown);
    blast.ring.material.opacity = 0.9 * (1 - share);
    blast.ring.quaternion.copy(camera.quaternion);
  }

  /** Advances all effects by dt seconds; rings face the camera. */
  advance(dt: number, camera: THREE.Object3D): void {
    this.light.intensity = ease(this.light.intensity, 0, 22, dt);
    this.holes.advance(dt);
    this.scorches.advance(dt);
    for (const blast of this.blasts) this.updateBlast(blast, dt, camera);
    let count = 0;
    for (const tracer of this.tracers) {
      if (tracer.age >= TRACER_LIFE) continue;
      tracer.age += dt;
      if (tracer.age < TRACER_LIFE) this.placeTracer(tracer, count++);
    }
    this.lines.count = count;
    this.lines.visible = count > 0;
    if (count > 0) this.lines.instanceMatrix.needsUpdate = true;
    for (const puff of this.puffs) this.updatePuff(puff, dt);
  }

  /** Places the tracer: a streak of a few metres that flies from one end to the other. */
  private placeTracer(tracer: Tracer, slot: number): void {
    const length = tracer.from.distanceTo(tracer.to);
    const share = tracer.age / TRACER_LIFE;
    const streak = Math.min(length, Math.max(3, length * 0.4));
    const middle = Math.min(length - streak / 2, streak / 2 + share * length);
    this.dummy.position.lerpVectors(tracer.from, tracer.to, length > 0 ? middle / length : 0);
    this.dummy.lookAt(tracer.to);
    this.dummy.scale.set(1 - share * 0.6, 1 - share * 0.6, streak);
    this.dummy.updateMatrix();
    this.lines.setMatrixAt(slot, this.dummy.matrix);
  }

  private emit(at: THREE.Vector3, material: THREE.SpriteMaterial, size: number, life: number, rise: number): void {
    const puff = this.puffs[this.nextPuff++ % PUFFS];
    if (puff === undefined) return;
    puff.sprite.position.copy(at);
    puff.sprite.material = material;
    puff.sprite.visible = true;
    Object.assign(puff, { age: 0, life, size, rise });
    puff.sprite.scale.setScalar(size);
  }

  private updatePuff(puff: Puff, dt: number): void {
    if (!puff.sprite.visible) return;
    puff.age += dt;
    const share = puff.age / puff.life;
    puff.sprite.visible = share < 1;
    puff.sprite.position.y += puff.rise * dt;
    puff.sprite.scale.setScalar(puff.size * (0.45 + 0.9 * share) * (share > 0.6 ? (1 - share) / 0.4 : 1));
  }

  private makePuff(): Puff {
    const sprite = new THREE.Sprite(this.dust);
    sprite.visible = false;
    this.group.add(sprite);
    return { sprite, age: 0, life: 1, size: 1, rise: 0 };
  }
}

function spriteMaterial(map: THREE.Texture, blending: THREE.Blending): THREE.SpriteMaterial {
  return new THREE.SpriteMaterial({ map, blending, depthWrite: false, fog: blending === THREE.NormalBlending, opacity: 0.9 });
}
