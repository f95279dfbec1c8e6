// Debug data of one of the player's own recent shots: what the client predicted and what the server
// decided. Filled after Client.debugShots(true). Start at ShotDebugView.
import { PARTS, type Part, type Point } from "./events";
import * as L from "./layout";
import { View, type StateSource } from "./views";

/** The server's verdict on a shot. */
export type ShotVerdict = "waiting" | "refused" | "miss" | "hit" | "launched";
/** What a shot hit. */
export type HitKind = "nothing" | "world" | "player";
/** Whether the server's poses are here: not yet, received, or no longer kept by the server. */
export type PoseStatus = "pending" | "received" | "expired";

const VERDICTS: readonly ShotVerdict[] = ["waiting", "refused", "miss", "hit", "launched"];
const HIT_KINDS: readonly HitKind[] = ["nothing", "world", "player"];
const POSE_STATUS: readonly PoseStatus[] = ["pending", "received", "expired"];

/** Damage done by a shot to one target. */
export interface DamageEntry {
  target: number;
  part: Part;
  damage: number;
  /** Why there was no damage (a code of Client.reasonText); 0 if there was. */
  reason: number;
}

/** The selected shot. Seconds of match time, metres. */
export class ShotDebugView extends View {
  readonly hitbox: HitboxView;
  readonly segment: SegmentView;

  constructor(owner: StateSource) {
    super(owner);
    this.hitbox = new HitboxView(owner);
    this.segment = new SegmentView(owner);
  }

  /** Number of shots available, and the index of the selected one; 0 is the newest. */
  get count(): number { return this.read(L.SHOT_DEBUG_COUNT); }
  get index(): number { return this.read(L.SHOT_DEBUG_SELECTED); }
  get shot(): number { return this.read(L.SHOT_DEBUG_NUMBER); }
  get weapon(): number { return this.read(L.SHOT_DEBUG_WEAPON); }
  get verdict(): ShotVerdict { return VERDICTS[this.read(L.SHOT_DEBUG_VERDICT) + 1] ?? "waiting"; }
  get reason(): number { return this.read(L.SHOT_DEBUG_REASON); }
  /** When the shot was fired, and the view time that the client requested and the server granted.
   */
  get fired(): number { return this.read(L.SHOT_DEBUG_FIRED); }
  get viewRequested(): number { return this.read(L.SHOT_DEBUG_VIEW_REQUESTED); }
  get viewGranted(): number { return this.read(L.SHOT_DEBUG_VIEW_GRANTED); }
  /** Number of poses that the server tested the shot against. */
  get posesTested(): number { return this.read(L.SHOT_DEBUG_POSES); }
  get agrees(): boolean { return this.read(L.SHOT_DEBUG_AGREES) !== 0; }
  /** What the shot hit according to the server: target, body part, distance. */
  get hitKind(): HitKind { return HIT_KINDS[this.read(L.SHOT_DEBUG_HIT)] ?? "nothing"; }
  get target(): number { return this.read(L.SHOT_DEBUG_TARGET); }
  get part(): Part { return PARTS[this.read(L.SHOT_DEBUG_PART)] ?? ""; }
  get distance(): number { return this.read(L.SHOT_DEBUG_DISTANCE); }
  get damage(): number { return this.read(L.SHOT_DEBUG_DAMAGE); }
  /** What the shot hit according to the client. */
  get predictedHit(): HitKind { return HIT_KINDS[this.read(L.SHOT_DEBUG_SEEN_HIT)] ?? "nothing"; }
  get predictedTarget(): number { return this.read(L.SHOT_DEBUG_SEEN_TARGET); }
  /** Whether the server has sent the poses that it tested. */
  get poses(): PoseStatus { return POSE_STATUS[this.read(L.SHOT_DEBUG_KNOWN)] ?? "pending"; }
  /** Largest distance between a client hitbox and the same server hitbox; −1 if there is none to
   * compare. */
  get maxDeviation(): number { return this.read(L.SHOT_DEBUG_VOLUME_ERROR); }
  get hitboxes(): number { return this.count === 0 ? 0 : Math.min(this.read(L.SHOT_DEBUG_VOLUMES), L.MAX_SHOT_DEBUG_VOLUMES); }
  get segments(): number { return this.count === 0 ? 0 : Math.min(this.read(L.SHOT_DEBUG_LINES), L.MAX_SHOT_DEBUG_LINES); }

  /** Returns the damage to each target. */
  damages(): DamageEntry[] {
    const count = Math.min(this.read(L.SHOT_DEBUG_EVENTS), L.MAX_SHOT_DEBUG_EVENTS);
    return Array.from({ length: count }, (_, i) => {
      const at = L.SHOT_DEBUG_EVENT_BASE + i * L.SHOT_DEBUG_EVENT_STRIDE;
      return { target: this.read(at), part: PARTS[this.read(at + 1)] ?? "", damage: this.read(at + 2), reason: this.read(at + 3) };
    });
  }
}


/** One hitbox of a character; at selects it. */
export class HitboxView extends View {
  private base = L.SHOT_DEBUG_VOLUME_BASE;

  at(i: number): this {
    this.base = L.SHOT_DEBUG_VOLUME_BASE + i * L.SHOT_DEBUG_VOLUME_STRIDE;
    return this;
  }

  /** 0 sphere at a, 1 capsule from a to b, 2 box around a. */
  get shape(): number { return this.read(this.base + L.VOLUME_SHAPE); }
  /** Rebuilt by the server; otherwise as the client drew it. */
  get server(): boolean { return this.read(this.base + L.VOLUME_JUDGED) !== 0; }
  get a(): Point { return this.vector(this.base + L.VOLUME_AX); }
  get b(): Point { return this.vector(this.base + L.VOLUME_BX); }
  get half(): Point { return this.vector(this.base + L.VOLUME_HX); }
  get radius(): number { return this.read(this.base + L.VOLUME_RADIUS); }
  get rotation(): readonly [number, number, number, number] {
    return [...this.vector(this.base + L.VOLUME_QX), this.read(this.base + L.VOLUME_QW)] as const;
  }
}

/** A segment of the shot's path; at selects it. */
export class SegmentView extends View {
  private base = L.SHOT_DEBUG_LINE_BASE;

  at(i: number): this {
    this.base = L.SHOT_DEBUG_LINE_BASE + i * L.SHOT_DEBUG_LINE_STRIDE;
    return this;
  }

  get server(): boolean { return this.read(this.base + L.LINE_JUDGED) !== 0; }
  get a(): Point { return this.vector(this.base + L.LINE_AX); }
  get b(): Point { return this.vector(this.base + L.LINE_BX); }
}
