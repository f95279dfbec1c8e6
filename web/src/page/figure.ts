// The pose of a player's figure: a small jointed body whose legs, arms and back
// follow speed, stance and aim. One Skeleton serves every figure: it is posed,
// read, and posed again. Start at Skeleton.pose.
import * as THREE from "three";

/** What a pose is made from. Metres, m/s, radians. */
export interface Stance {
  x: number;
  y: number;
  z: number;
  yaw: number;
  pitch: number;
  /** Speed over ground along and across the facing. */
  forward: number;
  sideways: number;
  /** How much of a stride is behind; grows with the way walked. */
  stride: number;
  /** 0 stands, 1 crouches. */
  crouch: number;
  /** 0 on the ground, 1 in the air. */
  air: number;
  /** 0 on land, 1 in water. */
  swim: number;
  /** 0 alive, 1 lies on the ground. */
  fallen: number;
  /** 0 to 1: the kick of a shot just fired. */
  kick: number;
}

/** Which of a figure's colours a part has. */
export type Paint = "suit" | "dark" | "skin" | "glow" | "metal";

/** One visible piece: a rounded box of this size on a joint. */
export interface Part {
  joint: THREE.Object3D;
  paint: Paint;
}

const HIP = 0.92;
const THIGH = 0.44;
const SHIN = 0.46;
const TORSO = 0.5;
const ARM = 0.29; // upper and lower arm are equally long
const DOWN = new THREE.Vector3(0, -1, 0);

interface Arm {
  upper: THREE.Object3D;
  lower: THREE.Object3D;
}

/** The joints and pieces of a body that faces −Z, feet at the origin. */
export class Skeleton {
  readonly parts: Part[] = [];
  private readonly root = new THREE.Object3D();
  private readonly hips = this.joint(this.root, 0, HIP, 0);
  private readonly spine = this.joint(this.hips, 0, 0.08, 0);
  private readonly chest = this.joint(this.spine, 0, TORSO * 0.5, 0);
  private readonly head = this.joint(this.chest, 0, 0.36, 0);
  private readonly legs = [-1, 1].map((side) => this.leg(side));
  private readonly arms = [-1, 1].map((side) => this.arm(side));
  private readonly gun = this.joint(this.chest, 0.13, 0.12, -0.3);
  private readonly grip = new THREE.Vector3();
  private readonly elbow = new THREE.Vector3();
  private readonly bone = new THREE.Vector3();
  private readonly undo = new THREE.Quaternion();

  constructor() {
    this.root.rotation.order = "YXZ";
    this.part(this.hips, "dark", 0.34, 0.2, 0.22, 0, 0.02, 0);
    this.part(this.spine, "suit", 0.34, 0.3, 0.2, 0, 0.14, 0);
    this.part(this.chest, "suit", 0.42, 0.32, 0.25, 0, 0.1, 0);
    this.part(this.chest, "dark", 0.3, 0.3, 0.12, 0, 0.1, 0.16);
    this.part(this.head, "suit", 0.25, 0.28, 0.27, 0, 0.05, 0);
    this.part(this.head, "glow", 0.2, 0.08, 0.05, 0, 0.07, -0.125);
    this.part(this.gun, "metal", 0.055, 0.1, 0.62, 0, 0, -0.12);
    this.part(this.gun, "dark", 0.05, 0.17, 0.09, 0, -0.1, -0.1);
  }

  /** Sets every joint for one figure; then each part's joint.matrixWorld is
   * where it is drawn. */
  pose(s: Stance): void {
    const speed = Math.hypot(s.forward, s.sideways);
    const walk = Math.max(Math.min(speed / 4.5, 1) * (1 - s.air), 0.55 * s.swim);
    this.root.position.set(s.x, s.y, s.z);
    this.root.rotation.set(0, s.yaw, 0);
    this.bendDown(s, walk);
    this.bendLegs(s, walk);
    this.aim(s, walk);
    if (s.swim > 0) this.float(s, Math.min(Math.max(s.forward, 0) / 2, 1));
    if (s.fallen > 0) this.fall(s.fallen);
    this.root.updateMatrixWorld(true);
  }

  private bendDown(s: Stance, walk: number): void {
    const bounce = Math.abs(Math.sin(s.stride)) * 0.045 * walk;
    this.hips.position.y = HIP - 0.4 * s.crouch - bounce - 0.05 * walk;
    this.hips.position.z = 0.1 * s.crouch;
    this.hips.rotation.set(0, this.legTurn(s), 0);
    const lean = 0.04 * s.forward * walk + 0.42 * s.crouch + 0.12 * s.air;
    this.spine.rotation.set(-lean, -this.hips.rotation.y * 0.9, -0.02 * s.sideways * walk);
    this.chest.rotation.set(lean * 0.5 + s.pitch * 0.45, -this.hips.rotation.y * 0.1, 0);
    this.head.rotation.set(lean * 0.4 + s.pitch * 0.5, 0, 0);
  }

  /** Legs step where the body goes, up to a quarter turn off the facing. */
  private legTurn(s: Stance): number {
    if (Math.hypot(s.forward, s.sideways) < 0.4) return 0;
    const back = s.forward < -0.1 ? -1 : 1;
    return -Math.atan2(s.sideways * back, Math.abs(s.forward)) * 0.75;
  }

  private bendLegs(s: Stance, walk: number): void {
    const back = s.forward < -0.1 ? -1 : 1;
    this.legs.forEach((leg, i) => {
      const phase = s.stride * back + i * Math.PI;
      const swing = Math.sin(phase) * 0.72 * walk;
      const lift = Math.max(0, Math.cos(phase)) * 0.95 * walk;
      const tuck = s.air * (i === 0 ? 0.75 : 0.3);
      leg.thigh.rotation.x = swing + 1.15 * s.crouch + tuck;
      leg.shin.rotation.x = -lift - 1.75 * s.crouch - tuck * 1.5 - 0.08 * walk;
      leg.foot.rotation.x = -(leg.thigh.rotation.x + leg.shin.rotation.x) * 0.75;
    });
  }

  /** Both hands hold the rifle, which points where the player looks. */
  private aim(s: Stance, walk: number): void {
    const sway = Math.sin(s.stride * 2) * 0.015 * walk;
    const above = s.pitch * 0.55 + this.upright();
    this.gun.position.set(0.12, 0.1 + sway + 0.12 * s.pitch, -0.3 + 0.06 * s.kick);
    this.gun.rotation.set(above + 0.12 * s.kick, 0, 0);
    const [left, right] = this.arms;
    if (left === undefined || right === undefined) return;
    this.reach(right, 1, this.grip.set(0.01, -0.1, 0.0));
    this.reach(left, -1, this.grip.set(-0.01, -0.05, -0.28));
  }

  /** Bends an arm so that its hand is at a place on the rifle. */
  private reach(arm: Arm, side: number, grip: THREE.Vector3): void {
    const to = grip.applyEuler(this.gun.rotation).add(this.gun.position).sub(arm.upper.position);
    const distance = Math.min(to.length(), 2 * ARM - 0.01);
    const along = to.normalize();
    const bend = Math.sqrt(ARM * ARM - (distance * distance) / 4);
    const out = this.elbow.set(0.55 * side, -1, 0.25);
    out.addScaledVector(along, -out.dot(along)).normalize();
    const upper = this.bone.copy(along).multiplyScalar(distance / 2).addScaledVector(out, bend).normalize();
    arm.upper.quaternion.setFromUnitVectors(DOWN, upper);
    const lower = along.multiplyScalar(distance).addScaledVector(upper, -ARM).normalize();
    lower.applyQuaternion(this.undo.copy(arm.upper.quaternion).invert());
    arm.lower.quaternion.setFromUnitVectors(DOWN, lower);
  }

  /** What the back's bend must be undone by for the rifle to be level. */
  private upright(): number {
    return -(this.spine.rotation.x + this.chest.rotation.x) + this.chest.rotation.x * 0.9;
  }

  /** A swimmer who gets on lies in the water, and turns about the middle. */
  private float(s: Stance, along: number): void {
    const lie = 1.05 * s.swim * (0.2 + 0.8 * along);
    this.root.rotation.x = -lie;
    this.root.position.x += 0.88 * Math.sin(lie) * Math.sin(s.yaw);
    this.root.position.y += 0.88 * (1 - Math.cos(lie));
    this.root.position.z += 0.88 * Math.sin(lie) * Math.cos(s.yaw);
    this.head.rotation.x += 0.6 * lie;
    this.chest.rotation.x += 0.15 * lie;
  }

  private fall(fallen: number): void {
    const drop = fallen * fallen * (3 - 2 * fallen);
    this.root.rotation.x = drop * 1.5;
    this.root.position.y += drop * 0.12;
    this.legs.forEach((leg, i) => {
      leg.thigh.rotation.x += drop * (i === 0 ? 0.5 : 0.15);
      leg.shin.rotation.x -= drop * (i === 0 ? 0.9 : 0.2);
    });
    this.gun.position.y -= drop * 0.3;
    this.gun.rotation.x -= drop * 1.4; // it lies on the chest
    this.arms.forEach((arm, i) => arm.upper.rotateZ(drop * (i === 0 ? -0.9 : 0.9)));
  }

  private leg(side: number): { thigh: THREE.Object3D; shin: THREE.Object3D; foot: THREE.Object3D } {
    const thigh = this.joint(this.hips, 0.1 * side, -0.02, 0);
    const shin = this.joint(thigh, 0, -THIGH, 0);
    const foot = this.joint(shin, 0, -SHIN + 0.06, 0);
    this.part(thigh, "suit", 0.16, THIGH + 0.06, 0.18, 0, -THIGH / 2, 0);
    this.part(shin, "dark", 0.13, SHIN, 0.15, 0, -SHIN / 2 + 0.03, 0);
    this.part(foot, "dark", 0.13, 0.1, 0.28, 0, -0.01, -0.06);
    return { thigh, shin, foot };
  }

  private arm(side: number): Arm {
    const upper = this.joint(this.chest, 0.26 * side, 0.2, 0);
    const lower = this.joint(upper, 0, -ARM, 0);
    this.part(upper, "suit", 0.12, 0.32, 0.13, 0, -0.13, 0);
    this.part(lower, "suit", 0.1, 0.28, 0.11, 0, -0.12, 0);
    this.part(lower, "skin", 0.1, 0.1, 0.1, 0, -0.28, 0);
    return { upper, lower };
  }

  private joint(parent: THREE.Object3D, x: number, y: number, z: number): THREE.Object3D {
    const joint = new THREE.Object3D();
    joint.position.set(x, y, z);
    parent.add(joint);
    return joint;
  }

  private part(joint: THREE.Object3D, paint: Paint, w: number, h: number, d: number, x: number, y: number, z: number): void {
    const piece = this.joint(joint, x, y, z);
    piece.scale.set(w, h, d);
    this.parts.push({ joint: piece, paint });
  }
}
