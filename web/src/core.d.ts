// Generated from the game's Go types by running its core's main natively: do not edit.

/** What the page may write: the type without readonly. */
export type Writable<T> = { -readonly [K in keyof T]: Writable<T[K]> };

/** The values that the page shares with the core, by their names. */
export interface Roots {
  readonly view: View;
  readonly input: Writable<Command>;
  readonly remoteDebug: Writable<RemoteDebugs>;
  readonly arena: Block;
  readonly controls: Writable<Controls>;
  readonly disabled: Writable<Disabled>;
}

export interface View {
  readonly protocol: number;
  readonly format: number;
  readonly phase: Phase;
  readonly error: string;
  readonly closed: string;
  readonly queue: number;
  readonly id: number;
  readonly resumeKey: string;
  readonly matchInfo: Uint8Array;
  readonly weapons: readonly Weapon[];
  readonly now: number;
  readonly placed: boolean;
  readonly self: Hero;
  readonly position: Vec3;
  readonly eye: Vec3;
  readonly pose: Sample;
  readonly offset: Vec3;
  readonly interpolationAlpha: number;
  readonly fields: Fields;
  readonly match: Fields;
  readonly remotes: readonly Entity[];
  readonly entities: readonly Entity[];
  readonly movers: readonly Transform[];
  readonly projectiles: readonly Projectile[];
  readonly shots: readonly ClientShot[];
  readonly events: readonly Event[];
  readonly corrections: readonly Correction[];
  readonly stats: Stats;
  readonly inputDelay: number;
  readonly packets: readonly Packet[];
}

export type Phase = "outside" | "loading" | "syncing" | "playing" | "ended" | `${number}`;

export interface Weapon {
  readonly name: string;
  readonly kind: Kind;
  readonly range: number;
  readonly cooldown: number;
  readonly reload: number;
  readonly deploy: number;
  readonly magazine: number;
  readonly damage: Uint16Array;
  readonly falloff: Falloff;
  readonly policy: number;
  readonly pellets: number;
  readonly spread: Spread;
  readonly swing: Swing;
  readonly flight: Ballistics;
  readonly blast: Blast;
  readonly lagCompensation: LagCompensation;
}

export type Kind = "hitscan" | "melee" | "projectile" | `${number}`;

export interface Falloff {
  readonly from: number;
  readonly to: number;
  readonly min: number;
}

export interface Spread {
  readonly cone: number;
  readonly pattern: readonly Float64Array[];
  readonly secret: boolean;
}

export interface Swing {
  readonly arc: number;
  readonly tilt: number;
  readonly begins: number;
  readonly lasts: number;
  readonly radius: number;
}

export interface Ballistics {
  readonly speed: number;
  readonly gravity: number;
  readonly radius: number;
  readonly bounce: number;
  readonly fuse: number;
  readonly entityKind: number;
}

export interface Blast {
  readonly radius: number;
  readonly inner: number;
  readonly damage: number;
  readonly min: number;
  readonly self: number;
  readonly push: number;
}

export interface LagCompensation {
  readonly maxRewind: number;
  readonly beyond: number;
  readonly cover: number;
  readonly flight: number;
}

export interface Hero {
  readonly loadout: Loadout;
  readonly hook: Hook;
  readonly dashCooldown: number;
  readonly life: number;
  readonly dead: boolean;
  readonly shielded: boolean;
  readonly aiming: boolean;
  readonly spectating: boolean;
  readonly doomed: boolean;
  readonly position: Vec3;
  readonly velocity: Vec3;
  readonly yaw: number;
  readonly pitch: number;
  readonly floor: Floor;
  readonly base: Base;
  readonly impulse: Vec3;
  readonly force: Vec3;
  readonly launch: Vec3;
  readonly up: Vec3;
  readonly rail: Rail;
  readonly nav: Nav;
  readonly motion: Group;
  readonly speedScale: number;
  readonly halfHeight: number;
  readonly jumpHold: number;
  readonly mode: number;
  readonly jumpCount: number;
  readonly crouched: boolean;
  readonly jumpHeld: boolean;
  readonly forceFloor: boolean;
  readonly stuck: boolean;
  readonly wantsWalking: boolean;
}

export interface Loadout {
  readonly held: number;
  readonly next: number;
  readonly swings: number;
  readonly deploy: number;
  readonly swing: number;
  readonly swept: number;
  readonly claimDue: boolean;
  readonly ammo: readonly Ammo[];
}

export interface Ammo {
  readonly rounds: number;
  readonly cooldown: number;
  readonly reload: number;
}

export interface Hook {
  readonly anchor: Vec3;
  readonly mover: number;
  readonly remaining: number;
  readonly cooldown: number;
  readonly held: boolean;
}

export interface Vec3 {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

export interface Floor {
  readonly normal: Vec3;
  readonly rise: number;
  readonly distance: number;
  readonly shape: number;
  readonly mover: number;
  readonly walkable: boolean;
  readonly ray: boolean;
}

export interface Base {
  readonly mover: number;
  readonly position: Vec3;
  readonly angle: number;
}

export interface Rail {
  readonly path: number;
  readonly start: number;
}

export interface Nav {
  readonly polygon: number;
  readonly from: number;
  readonly to: number;
  readonly since: number;
}

export interface Group {
  readonly active: readonly Source[];
  readonly pending: readonly Source[];
  readonly added: Vec3;
  readonly carried: Vec3;
  readonly lastID: number;
}

export interface Source {
  readonly start: number;
  readonly duration: number;
  readonly elapsed: number;
  readonly vector: Vec3;
  readonly point: Vec3;
  readonly finishVelocity: Vec3;
  readonly length: number;
  readonly strength: number;
  readonly rate: number;
  readonly flags: number;
  readonly id: number;
  readonly landAfter: number;
  readonly kind: number;
  readonly finish: number;
  readonly priority: number;
  readonly curve: number;
  readonly fallOff: number;
  readonly offset: number;
  readonly clip: number;
}

export interface Sample {
  readonly at: number;
  readonly position: Vec3;
  readonly velocity: Vec3;
  readonly up: Vec3;
  readonly yaw: number;
  readonly pitch: number;
  readonly mode: number;
  readonly crouched: boolean;
  readonly asleep: boolean;
  readonly rotation: Quat;
  readonly angularVelocity: Vec3;
  readonly strideDistance: number;
  readonly stance: Stance;
  readonly base: number;
  readonly previousBase: number;
  readonly baseChangedAt: number;
  readonly lag: number;
  readonly airborne: boolean;
  readonly baseVelocity: Vec3;
  readonly kind: number;
  readonly dead: boolean;
  readonly life: number;
  readonly teleport: number;
  readonly clip: number;
  readonly clipAt: number;
  readonly userData: number;
}

export interface Quat {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly w: number;
}

export interface Stance {
  readonly crouch: number;
  readonly air: number;
  readonly swim: number;
}

export interface Fields {
  readonly name: string;
  readonly bot: number;
  readonly team: number;
  readonly kills: number;
  readonly deaths: number;
  readonly protected: number;
  readonly playing: number;
  readonly health: number;
  readonly armour: number;
  readonly respawn: number;
  readonly hits: number;
  readonly "red goals": number;
  readonly "blue goals": number;
  readonly scorer: number;
  readonly scored: number;
  readonly "round left": number;
  readonly "round over": number;
  readonly "round winner": number;
  readonly "round team": number;
  readonly level: number;
  readonly levels: string;
  readonly "votes 1": number;
  readonly "votes 2": number;
  readonly "votes 3": number;
  readonly "votes 4": number;
  readonly ping: number;
}

export interface Entity {
  readonly fields: Fields;
  readonly id: number;
  readonly at: number;
  readonly position: Vec3;
  readonly velocity: Vec3;
  readonly up: Vec3;
  readonly yaw: number;
  readonly pitch: number;
  readonly mode: number;
  readonly crouched: boolean;
  readonly asleep: boolean;
  readonly rotation: Quat;
  readonly angularVelocity: Vec3;
  readonly strideDistance: number;
  readonly stance: Stance;
  readonly base: number;
  readonly previousBase: number;
  readonly baseChangedAt: number;
  readonly lag: number;
  readonly airborne: boolean;
  readonly baseVelocity: Vec3;
  readonly kind: number;
  readonly dead: boolean;
  readonly life: number;
  readonly teleport: number;
  readonly clip: number;
  readonly clipAt: number;
  readonly userData: number;
}

export interface Transform {
  readonly rotation: Quat;
  readonly translation: Vec3;
}

export interface Projectile {
  readonly drawn: Vec3;
  readonly shooter: number;
  readonly shot: number;
  readonly weapon: number;
  readonly fired: number;
  readonly steps: number;
  readonly viewLag: number;
  readonly position: Vec3;
  readonly velocity: Vec3;
  readonly resting: boolean;
  readonly base: number;
}

export interface ClientShot {
  readonly number: number;
  readonly claim: Claim;
  readonly eye: Vec3;
  readonly outcome: Outcome;
  readonly outcomes: readonly Outcome[];
  readonly targets: readonly TrackEntity[];
}

export interface Claim {
  readonly fire: boolean;
  readonly weapon: number;
  readonly yaw: number;
  readonly pitch: number;
  readonly view: TrackView;
  readonly seenHit: HitTarget;
  readonly sceneSum: number;
}

export interface TrackView {
  readonly at: number;
  readonly platform: number;
  readonly seen: Received;
  readonly blendFrom: Received;
  readonly blendAt: number;
  readonly mode: number;
  readonly arrivedAt: Uint8Array;
  readonly arrivedTicks: number;
}

export interface Received {
  readonly newest: number;
  readonly mask: number;
}

export interface HitTarget {
  readonly kind: HitKind;
  readonly target: number;
  readonly hitbox: number;
  readonly hitGroup: HitGroup;
}

export type HitKind = "nothing" | "world" | "player" | `${number}`;

export type HitGroup = "" | "body" | "head" | "arm" | "leg" | "shield" | "group6" | "group7" | `${number}`;

export interface Outcome {
  readonly life: number;
  readonly distance: number;
  readonly point: Vec3;
  readonly kind: HitKind;
  readonly target: number;
  readonly hitbox: number;
  readonly hitGroup: HitGroup;
}

export interface TrackEntity {
  readonly id: number;
  readonly at: number;
  readonly position: Vec3;
  readonly velocity: Vec3;
  readonly up: Vec3;
  readonly yaw: number;
  readonly pitch: number;
  readonly mode: number;
  readonly crouched: boolean;
  readonly asleep: boolean;
  readonly rotation: Quat;
  readonly angularVelocity: Vec3;
  readonly strideDistance: number;
  readonly stance: Stance;
  readonly base: number;
  readonly previousBase: number;
  readonly baseChangedAt: number;
  readonly lag: number;
  readonly airborne: boolean;
  readonly baseVelocity: Vec3;
  readonly kind: number;
  readonly dead: boolean;
  readonly life: number;
  readonly teleport: number;
  readonly clip: number;
  readonly clipAt: number;
  readonly userData: number;
}

export interface Event {
  readonly kind: EventKind;
  readonly player: number;
  readonly account: string;
  readonly peer: number;
  readonly at: number;
  readonly reconnected: boolean;
  readonly corrected: boolean;
  readonly expelled: boolean;
  readonly name: string;
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly receipt: Receipt;
  readonly from: Vec3;
  readonly to: Vec3;
  readonly yaw: number;
  readonly pitch: number;
  readonly points: readonly Vec3[];
  readonly weapon: number;
  readonly hitGroup: HitGroup;
  readonly damage: number;
  readonly ago: number;
  readonly shotDebug: ShotDebug | null;
  readonly count: number;
  readonly discrepancy: Discrepancy;
}

export type EventKind = "" | "joined" | "left" | "shot" | "message" | "kick" | "welcomed" | "refused" | "teleported" | "shotJudged" | "shotSeen" | "detonated" | "damaged" | "shotDebugged" | "timeDiscrepancy" | "timeDiscrepancyCleared" | "mispredicting" | "clockDrift" | `${number}`;

export interface Receipt {
  readonly shot: number;
  readonly shooter: number;
  readonly weapon: number;
  readonly viewRequested: number;
  readonly viewGranted: number;
  readonly verdict: Verdict;
  readonly reason: Reason;
  readonly outcome: Outcome;
  readonly agrees: boolean;
  readonly damage: number;
  readonly events: readonly DamageEvent[];
  readonly eventCount: number;
  readonly scene: SceneCheck;
}

export type Verdict = "refused" | "miss" | "hit" | "launched" | `${number}`;

export type Reason = "" | "unknown weapon" | "shooter is dead" | "shot was judged before" | "too fast" | "view is in the future" | "view is too old" | "view is forgotten" | "target was dead already" | "weapon was not ready" | "another weapon is in hand" | "target has got behind cover" | "target evaded" | `${number}`;

export interface DamageEvent {
  readonly target: number;
  readonly life: number;
  readonly hitGroup: HitGroup;
  readonly count: number;
  readonly heads: number;
  readonly damage: number;
  readonly reason: Reason;
}

export interface SceneCheck {
  readonly count: number;
  readonly sum: number;
}

export interface ShotDebug {
  readonly shot: number;
  readonly known: boolean;
  readonly receipt: Receipt;
  readonly eye: Vec3;
  readonly platform: number;
  readonly targets: readonly TrackEntity[];
}

export interface Discrepancy {
  readonly error: number;
  readonly lifetime: number;
  readonly resolving: boolean;
  readonly episodes: number;
}

export interface Correction {
  readonly number: number;
  readonly at: number;
  readonly distance: number;
  readonly digest: boolean;
  readonly known: boolean;
  readonly cause: Cause;
  readonly replayed: number;
  readonly differences: readonly Difference[];
}

export type Cause = "misprediction" | "serverForce" | "teleport" | "timeout" | "throttle" | `${number}`;

export interface Difference {
  readonly field: string;
  readonly by: number;
}

export interface Stats {
  readonly rtt: number;
  readonly jitter: number;
  readonly up: number;
  readonly down: number;
  readonly clockUncertainty: number;
  readonly viewDelay: number;
  readonly lossUp: number;
  readonly lossDown: number;
  readonly lossRunUp: number;
  readonly lossRunDown: number;
  readonly quality: number;
  readonly drift: number;
  readonly tick: number;
  readonly in: Flow;
  readonly out: Flow;
  readonly bad: number;
  readonly missed: number;
  readonly moves: OwnerCounters;
  readonly clockJumps: number;
  readonly agreed: number;
  readonly disagreed: number;
  readonly refused: number;
  readonly hits: number;
}

export interface Flow {
  readonly datagrams: number;
  readonly bytes: number;
}

export interface OwnerCounters {
  readonly made: number;
  readonly combined: number;
  readonly notCombined: number;
  readonly sent: number;
  readonly resent: number;
  readonly stalled: number;
  readonly acked: number;
  readonly dropped: number;
  readonly corrections: number;
  readonly teleports: number;
  readonly serverForces: number;
  readonly timeouts: number;
  readonly throttles: number;
  readonly replayed: number;
  readonly ignored: number;
  readonly maxDistance: number;
}

export interface Packet {
  readonly peer: number;
  readonly channel: number;
  readonly bytes: Uint8Array;
}

export interface Command {
  readonly move: MovementCommand;
  readonly shot: Claim;
  readonly reload: boolean;
  readonly select: number;
  readonly ability: number;
  readonly dash: boolean;
  readonly hook: boolean;
  readonly shield: boolean;
  readonly aim: boolean;
}

export interface MovementCommand {
  readonly forward: number;
  readonly right: number;
  readonly yaw: number;
  readonly pitch: number;
  readonly jump: boolean;
  readonly crouch: boolean;
  readonly sprint: boolean;
  readonly buttons: number;
  readonly up: number;
  readonly request: Vec3;
}

export interface RemoteDebugs {
  readonly shown: boolean;
  readonly players: readonly RemoteDebug[];
}

export interface RemoteDebug {
  readonly player: number;
  readonly extrapolated: Vec3;
  readonly past: readonly PastState[];
  readonly mode: Mode;
  readonly drawn: Sample;
  readonly source: SampleSource;
  readonly age: Age;
  readonly delay: number;
  readonly blending: number;
  readonly offset: number;
  readonly states: readonly State[];
}

export interface PastState {
  readonly position: Vec3;
  readonly age: number;
  readonly keyframe: boolean;
}

export type Mode = "interpolate" | "linear" | "exponential" | "none" | "replay" | `${number}`;

export type SampleSource = "missing" | "exact" | "interpolated" | "held" | "extrapolated" | "stale" | `${number}`;

export interface Age {
  readonly total: number;
  readonly server: number;
  readonly network: number;
  readonly client: number;
}

export interface State {
  readonly tick: number;
  readonly received: number;
  readonly keyframe: boolean;
  readonly at: number;
  readonly position: Vec3;
  readonly velocity: Vec3;
  readonly up: Vec3;
  readonly yaw: number;
  readonly pitch: number;
  readonly mode: number;
  readonly crouched: boolean;
  readonly asleep: boolean;
  readonly rotation: Quat;
  readonly angularVelocity: Vec3;
  readonly strideDistance: number;
  readonly stance: Stance;
  readonly base: number;
  readonly previousBase: number;
  readonly baseChangedAt: number;
  readonly lag: number;
  readonly airborne: boolean;
  readonly baseVelocity: Vec3;
  readonly kind: number;
  readonly dead: boolean;
  readonly life: number;
  readonly teleport: number;
  readonly clip: number;
  readonly clipAt: number;
  readonly userData: number;
}

export interface Block {
  readonly player: Player | null;
  readonly scores: readonly Score[];
  readonly text: string;
  readonly pressed: Actions;
  readonly held: Actions;
  readonly joins: readonly Join[];
  readonly leaves: Uint16Array;
  readonly spawned: boolean;
  readonly notices: readonly string[];
  readonly scored: boolean;
  readonly tracers: readonly Tracer[];
  readonly detonations: readonly Detonation[];
  readonly hurts: readonly Hurt[];
  readonly respawn: number;
  readonly highPing: boolean;
  readonly hooks: readonly HookLine[];
  readonly figures: readonly Figure[];
  readonly entities: readonly DrawnEntity[];
  readonly shot: ShownShot;
  readonly killcam: ShownKillcam;
}

export interface Player {
  readonly status: Status;
  readonly kills: readonly Kill[];
  readonly notices: readonly Event[];
  readonly shots: readonly Fired[];
  readonly hitMarkers: readonly HitMarker[];
  readonly detonations: readonly Event[];
  readonly damageEvents: readonly Event[];
  readonly killcam: Killcam | null;
  readonly goals: Goals;
  readonly round: Round;
  readonly turned: number;
  readonly ping: PingNotice;
  readonly noBodies: boolean;
}

export interface Status {
  readonly health: number;
  readonly armour: number;
  readonly respawn: number;
  readonly hits: number;
}

export interface Kill {
  readonly killer: number;
  readonly victim: number;
  readonly weapon: number;
  readonly hitGroup: HitGroup;
  readonly distance: number;
}

export interface Fired {
  readonly weapon: number;
  readonly from: Vec3;
  readonly outcome: Outcome;
  readonly outcomes: readonly Outcome[];
}

export interface HitMarker {
  readonly state: MarkerState;
  readonly shot: number;
  readonly weapon: number;
  readonly target: number;
  readonly hitGroup: HitGroup;
  readonly damage: number;
  readonly reason: Reason;
}

export type MarkerState = "predicted" | "confirmed" | "denied" | `${number}`;

export interface Killcam {
  readonly killer: number;
  readonly weapon: number;
  readonly judged: number;
  readonly age: number;
  readonly fired: number;
  readonly hidden: number;
  readonly eye: Vec3;
  readonly point: Vec3;
  readonly seen: Sample;
  readonly position: Vec3;
}

export interface Goals {
  readonly red: number;
  readonly blue: number;
  readonly by: number;
  readonly team: number;
}

export interface Round {
  readonly left: number;
  readonly over: boolean;
  readonly winner: number;
  readonly team: number;
  readonly levels: string;
  readonly level: number;
  readonly votes: Uint8Array;
}

export interface PingNotice {
  readonly interval: number;
  readonly firstDelay: number;
  readonly threshold: number;
  readonly duration: number;
}

export interface Score {
  readonly player: number;
  readonly connected: boolean;
  readonly bot: boolean;
  readonly team: number;
  readonly kills: number;
  readonly deaths: number;
  readonly protected: boolean;
  readonly ping: number;
  readonly name: string;
}

export interface Actions {
  readonly scores: boolean;
  readonly net: boolean;
  readonly lag: boolean;
  readonly sound: boolean;
  readonly spectate: boolean;
  readonly bindings: boolean;
  readonly remoteDebug: boolean;
  readonly shotDebug: boolean;
  readonly previousShot: boolean;
  readonly nextShot: boolean;
  readonly fire: boolean;
}

export interface Join {
  readonly player: number;
  readonly bot: boolean;
  readonly team: number;
  readonly name: string;
}

export interface Tracer {
  readonly shooter: number;
  readonly weapon: number;
  readonly from: Vec3;
  readonly to: Vec3;
  readonly hit: boolean;
  readonly ends: readonly Vec3[];
}

export interface Detonation {
  readonly shooter: number;
  readonly weapon: number;
  readonly at: Vec3;
  readonly radius: number;
  readonly corrected: boolean;
}

export interface Hurt {
  readonly damage: number;
  readonly from: Vec3;
  readonly by: number;
  readonly weapon: number;
  readonly hitGroup: HitGroup;
  readonly ago: number;
}

export interface HookLine {
  readonly player: number;
  readonly at: Vec3;
}

export interface Figure {
  readonly player: number;
  readonly held: number;
  readonly bones: readonly Transform[];
}

export interface DrawnEntity {
  readonly id: number;
  readonly kind: number;
  readonly position: Vec3;
  readonly velocity: Vec3;
  readonly rotation: Quat;
  readonly asleep: boolean;
  readonly predicted: boolean;
  readonly userData: number;
}

export interface ShownShot {
  readonly stored: number;
  readonly selected: number;
  readonly record: ShotRecord | null;
  readonly fired: number;
  readonly viewRequested: number;
  readonly hitboxes: readonly Hitbox[];
  readonly hitboxError: number;
  readonly lines: readonly Line[];
}

export interface ShotRecord {
  readonly number: number;
  readonly weapon: number;
  readonly seen: Outcome;
  readonly answered: boolean;
  readonly receipt: Receipt;
  readonly debug: ShotDebug | null;
}

export interface Hitbox {
  readonly player: number;
  readonly number: number;
  readonly judged: boolean;
  readonly shape: Shape;
  readonly a: Vec3;
  readonly b: Vec3;
  readonly radius: number;
  readonly rotation: Quat;
  readonly half: Vec3;
}

export type Shape = "ball" | "capsule" | "box" | `${number}`;

export interface Line {
  readonly judged: boolean;
  readonly a: Vec3;
  readonly b: Vec3;
}

export interface ShownKillcam {
  readonly killer: number;
  readonly weapon: number;
  readonly age: number;
  readonly hidden: number;
  readonly apart: number;
  readonly direct: boolean;
  readonly eye: Vec3;
  readonly yaw: number;
  readonly pitch: number;
  readonly at: number;
  readonly point: Vec3;
  readonly players: readonly TrackEntity[];
}

export interface Controls {
  readonly alone: boolean;
  readonly debugShots: boolean;
  readonly killcam: KillcamTime;
  readonly samples: readonly DeviceSample[];
  readonly count: number;
  readonly recorded: readonly Recorded[];
  readonly forward: number;
  readonly right: number;
  readonly yaw: number;
  readonly pitch: number;
  readonly jump: boolean;
  readonly crouch: boolean;
  readonly fire: boolean;
  readonly reload: boolean;
  readonly dash: boolean;
  readonly hook: boolean;
  readonly shield: boolean;
  readonly aim: boolean;
  readonly select: number;
  readonly next: number;
  readonly melee: boolean;
  readonly shot: Float64Array | null;
}

export interface KillcamTime {
  readonly screen: Screen;
  readonly before: number;
}

export type Screen = "" | "killer" | "own" | `${number}`;

export interface DeviceSample {
  readonly key: number;
  readonly value: number;
}

export interface Recorded {
  readonly played: number;
  readonly deadFor: number;
  readonly id: number;
  readonly at: number;
  readonly position: Vec3;
  readonly velocity: Vec3;
  readonly up: Vec3;
  readonly yaw: number;
  readonly pitch: number;
  readonly mode: number;
  readonly crouched: boolean;
  readonly asleep: boolean;
  readonly rotation: Quat;
  readonly angularVelocity: Vec3;
  readonly strideDistance: number;
  readonly stance: Stance;
  readonly base: number;
  readonly previousBase: number;
  readonly baseChangedAt: number;
  readonly lag: number;
  readonly airborne: boolean;
  readonly baseVelocity: Vec3;
  readonly kind: number;
  readonly dead: boolean;
  readonly life: number;
  readonly teleport: number;
  readonly clip: number;
  readonly clipAt: number;
  readonly userData: number;
}

export interface Disabled {
  readonly lagCompensationOptOut: boolean;
  readonly prediction: boolean;
  readonly interpolation: boolean;
  readonly lagCompensation: boolean;
}
