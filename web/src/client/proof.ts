// How one of the player's own last shots was judged: a window on the state block, filled
// after Client.shots(true). Start at ProofView.
import { PARTS, type Part } from "./events";
import * as L from "./layout";
import { View, type StateSource } from "./views";

/** What the server has said of a shot. */
export type ShotVerdict = "waiting" | "refused" | "miss" | "hit" | "launched";
/** What a shot met. */
export type HitKind = "nothing" | "the world" | "somebody";

const VERDICTS: readonly ShotVerdict[] = ["waiting", "refused", "miss", "hit", "launched"];
const HIT_KINDS: readonly HitKind[] = ["nothing", "the world", "somebody"];

/** Somebody whom a shot hurt. */
export interface DamageEntry {
  target: number;
  part: Part;
  damage: number;
  /** Why it did no damage: Client.reason has it in words; 0: it did. */
  why: number;
}

/** The shot that is looked at. Seconds of match time, metres. */
export class ShotDebugView extends View {
  readonly hitbox: HitboxView;
  readonly segment: SegmentView;

  constructor(source: StateSource) {
    super(source);
    this.hitbox = new HitboxView(source);
    this.segment = new SegmentView(source);
  }

  /** How many shots there are to look at; the chosen one counts from 0, the newest. */
  get count(): number { return this.read(L.PROOF_SHOTS); }
  get index(): number { return this.read(L.PROOF_CHOSEN); }
  get shot(): number { return this.read(L.PROOF_SHOT); }
  get weapon(): number { return this.read(L.PROOF_WEAPON); }
  get verdict(): ShotVerdict { return VERDICTS[this.read(L.PROOF_VERDICT) + 1] ?? "waiting"; }
  get reason(): number { return this.read(L.PROOF_REASON); }
  /** When it was fired, which picture it was aimed at, by which it was judged. */
  get fired(): number { return this.read(L.PROOF_FIRED); }
  get viewRequested(): number { return this.read(L.PROOF_ASKED); }
  get viewGranted(): number { return this.read(L.PROOF_GRANTED); }
  /** How many poses the server tested it against. */
  get posesTested(): number { return this.read(L.PROOF_TESTED); }
  get agrees(): boolean { return this.read(L.PROOF_AGREES) !== 0; }
  /** What it met by the server: whom, where, how far away. */
  get hitKind(): HitKind { return HIT_KINDS[this.read(L.PROOF_MET)] ?? "nothing"; }
  get target(): number { return this.read(L.PROOF_TARGET); }
  get part(): Part { return PARTS[this.read(L.PROOF_PART)] ?? ""; }
  get distance(): number { return this.read(L.PROOF_DISTANCE); }
  get damage(): number { return this.read(L.PROOF_DAMAGE); }
  /** What it met on the page. */
  get predictedHit(): HitKind { return HIT_KINDS[this.read(L.PROOF_SAW)] ?? "nothing"; }
  get predictedTarget(): number { return this.read(L.PROOF_SAW_TARGET); }
  /** 0: the server has not said by what it judged; 1: it has; 2: it remembers no more. */
  get poses(): number { return this.read(L.PROOF_KNOWN); }
  /** The largest distance between a volume here and the same there; −1: none to compare. */
  get maxDeviation(): number { return this.read(L.PROOF_APART); }
  get hitboxes(): number { return this.count === 0 ? 0 : Math.min(this.read(L.PROOF_VOLUMES), L.MAX_PROOF_VOLUMES); }
  get segments(): number { return this.count === 0 ? 0 : Math.min(this.read(L.PROOF_LINES), L.MAX_PROOF_LINES); }

  /** Everybody whom it hurt. */
  damages(): DamageEntry[] {
    const count = Math.min(this.read(L.PROOF_HURTS), L.MAX_PROOF_HURTS);
    return Array.from({ length: count }, (_, i) => {
      const at = L.PROOF_HURT_BASE + i * L.PROOF_HURT_STRIDE;
      return { target: this.read(at), part: PARTS[this.read(at + 1)] ?? "", damage: this.read(at + 2), why: this.read(at + 3) };
    });
  }
}

/** Three numbers of a record. */
export type Vector = readonly [x: number, y: number, z: number];

/** A volume of a figure, moved by at. */
export class HitboxView extends View {
  private base = L.PROOF_VOLUME_BASE;

  at(i: number): this {
    this.base = L.PROOF_VOLUME_BASE + i * L.PROOF_VOLUME_STRIDE;
    return this;
  }

  /** 0 a ball at a, 1 a capsule from a to b, 2 a box around a. */
  get shape(): number { return this.read(this.base + L.VOLUME_SHAPE); }
  /** As the server rebuilt it; else as the page had it. */
  get server(): boolean { return this.read(this.base + L.VOLUME_JUDGED) !== 0; }
  get a(): Vector { return this.three(L.VOLUME_AX); }
  get b(): Vector { return this.three(L.VOLUME_BX); }
  get half(): Vector { return this.three(L.VOLUME_HX); }
  get radius(): number { return this.read(this.base + L.VOLUME_RADIUS); }
  get rotation(): readonly [number, number, number, number] {
    return [...this.three(L.VOLUME_QX), this.read(this.base + L.VOLUME_QW)] as const;
  }

  private three(at: number): Vector {
    return [this.read(this.base + at), this.read(this.base + at + 1), this.read(this.base + at + 2)];
  }
}

/** A piece of a shot's way, moved by at. */
export class SegmentView extends View {
  private base = L.PROOF_LINE_BASE;

  at(i: number): this {
    this.base = L.PROOF_LINE_BASE + i * L.PROOF_LINE_STRIDE;
    return this;
  }

  get judged(): boolean { return this.read(this.base + L.LINE_JUDGED) !== 0; }
  get a(): Vector { return this.three(L.LINE_AX); }
  get b(): Vector { return this.three(L.LINE_BX); }

  private three(at: number): Vector {
    return [this.read(this.base + at), this.read(this.base + at + 1), this.read(this.base + at + 2)];
  }
}
