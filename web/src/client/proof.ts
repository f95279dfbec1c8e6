// How one of the player's own last shots was judged: a window on the state block, filled
// after Client.shots(true). Start at ProofView.
import { PARTS, type Part } from "./events";
import * as L from "./layout";
import { View, type HasState } from "./views";

/** What the server has said of a shot. */
export type Judgement = "waiting" | "refused" | "miss" | "hit" | "launched";
/** What a shot met. */
export type Met = "nothing" | "the world" | "somebody";

const JUDGEMENTS: readonly Judgement[] = ["waiting", "refused", "miss", "hit", "launched"];
const METS: readonly Met[] = ["nothing", "the world", "somebody"];

/** Somebody whom a shot hurt. */
export interface Hurt {
  target: number;
  part: Part;
  damage: number;
  /** Why it did no damage: Client.reason has it in words; 0: it did. */
  why: number;
}

/** The shot that is looked at. Seconds of match time, metres. */
export class ProofView extends View {
  readonly volume: VolumeView;
  readonly line: LineView;

  constructor(source: HasState) {
    super(source);
    this.volume = new VolumeView(source);
    this.line = new LineView(source);
  }

  /** How many shots there are to look at; the chosen one counts from 0, the newest. */
  get shots(): number { return this.read(L.PROOF_SHOTS); }
  get chosen(): number { return this.read(L.PROOF_CHOSEN); }
  get shot(): number { return this.read(L.PROOF_SHOT); }
  get weapon(): number { return this.read(L.PROOF_WEAPON); }
  get verdict(): Judgement { return JUDGEMENTS[this.read(L.PROOF_VERDICT) + 1] ?? "waiting"; }
  get reason(): number { return this.read(L.PROOF_REASON); }
  /** When it was fired, which picture it was aimed at, by which it was judged. */
  get fired(): number { return this.read(L.PROOF_FIRED); }
  get asked(): number { return this.read(L.PROOF_ASKED); }
  get granted(): number { return this.read(L.PROOF_GRANTED); }
  /** How many poses the server tested it against. */
  get tested(): number { return this.read(L.PROOF_TESTED); }
  get agrees(): boolean { return this.read(L.PROOF_AGREES) !== 0; }
  /** What it met by the server: whom, where, how far away. */
  get met(): Met { return METS[this.read(L.PROOF_MET)] ?? "nothing"; }
  get target(): number { return this.read(L.PROOF_TARGET); }
  get part(): Part { return PARTS[this.read(L.PROOF_PART)] ?? ""; }
  get distance(): number { return this.read(L.PROOF_DISTANCE); }
  get damage(): number { return this.read(L.PROOF_DAMAGE); }
  /** What it met on the page. */
  get saw(): Met { return METS[this.read(L.PROOF_SAW)] ?? "nothing"; }
  get sawTarget(): number { return this.read(L.PROOF_SAW_TARGET); }
  /** 0: the server has not said by what it judged; 1: it has; 2: it remembers no more. */
  get known(): number { return this.read(L.PROOF_KNOWN); }
  /** The largest distance between a volume here and the same there; −1: none to compare. */
  get apart(): number { return this.read(L.PROOF_APART); }
  get volumes(): number { return this.shots === 0 ? 0 : Math.min(this.read(L.PROOF_VOLUMES), L.MAX_PROOF_VOLUMES); }
  get lines(): number { return this.shots === 0 ? 0 : Math.min(this.read(L.PROOF_LINES), L.MAX_PROOF_LINES); }

  /** Everybody whom it hurt. */
  hurts(): Hurt[] {
    const count = Math.min(this.read(L.PROOF_HURTS), L.MAX_PROOF_HURTS);
    return Array.from({ length: count }, (_, i) => {
      const at = L.PROOF_HURT_BASE + i * L.PROOF_HURT_STRIDE;
      return { target: this.read(at), part: PARTS[this.read(at + 1)] ?? "", damage: this.read(at + 2), why: this.read(at + 3) };
    });
  }
}

/** Three numbers of a record. */
export type Place = readonly [x: number, y: number, z: number];

/** A volume of a figure, moved by at. */
export class VolumeView extends View {
  private base = L.PROOF_VOLUME_BASE;

  at(i: number): this {
    this.base = L.PROOF_VOLUME_BASE + i * L.PROOF_VOLUME_STRIDE;
    return this;
  }

  /** 0 a ball at a, 1 a capsule from a to b, 2 a box around a. */
  get shape(): number { return this.read(this.base + L.VOLUME_SHAPE); }
  /** As the server rebuilt it; else as the page had it. */
  get judged(): boolean { return this.read(this.base + L.VOLUME_JUDGED) !== 0; }
  get a(): Place { return this.three(L.VOLUME_AX); }
  get b(): Place { return this.three(L.VOLUME_BX); }
  get half(): Place { return this.three(L.VOLUME_HX); }
  get radius(): number { return this.read(this.base + L.VOLUME_RADIUS); }
  get turn(): readonly [number, number, number, number] {
    return [...this.three(L.VOLUME_QX), this.read(this.base + L.VOLUME_QW)] as const;
  }

  private three(at: number): Place {
    return [this.read(this.base + at), this.read(this.base + at + 1), this.read(this.base + at + 2)];
  }
}

/** A piece of a shot's way, moved by at. */
export class LineView extends View {
  private base = L.PROOF_LINE_BASE;

  at(i: number): this {
    this.base = L.PROOF_LINE_BASE + i * L.PROOF_LINE_STRIDE;
    return this;
  }

  get judged(): boolean { return this.read(this.base + L.LINE_JUDGED) !== 0; }
  get a(): Place { return this.three(L.LINE_AX); }
  get b(): Place { return this.three(L.LINE_BX); }

  private three(at: number): Place {
    return [this.read(this.base + at), this.read(this.base + at + 1), this.read(this.base + at + 2)];
  }
}
