// The player's own character as the page shows it. Start at Self.
import type { Session } from "@backstep/client";
import type { Ammo, Block, Hero, Roots, Score, Stats, Vec3, View } from "../core";

/** A session of the arena. */
export type ArenaSession = Session<Roots>;

/** Movement modes, as the core numbers them. */
export const WALKING = 1;
export const FALLING = 2;
export const FLYING = 4;
export const GRAPPLING = 16;

/** What of several values of the core belongs to the player. Metres, m/s, radians, seconds. */
export class Self {
  constructor(private readonly session: ArenaSession) {}

  get view(): View { return this.session.view; }
  get stats(): Stats { return this.session.stats; }
  private get arena(): Block { return this.session.roots.arena; }
  /** The state of the character; all zero before the server has placed it. */
  get hero(): Hero { return this.view.self; }
  get playing(): boolean { return this.session.playing; }
  /** The player's number; 0 before joining. */
  get id(): number { return this.view.id; }
  /** Position of the feet. */
  get position(): Vec3 { return this.view.position; }
  get velocity(): Vec3 { return this.hero.velocity; }
  /** Height of the eye above the feet. */
  get eye(): number { return this.view.eye.y - this.view.position.y; }
  get mode(): number { return this.hero.mode; }
  get crouched(): boolean { return this.hero.crouched; }
  get dead(): boolean { return this.hero.dead; }
  /** A spectator, invisible to others. */
  get spectating(): boolean { return this.hero.spectating; }
  /** Whether the player stands on a moving base, and the base's rotation in this frame, to be added to
   * the view's yaw. */
  get onMovingBase(): boolean { return this.hero.base.mover !== 0; }
  get baseYaw(): number { return this.arena.player?.turned ?? 0; }
  /** 0 to 100. */
  get health(): number { return this.arena.player?.status.health ?? 0; }
  get armour(): number { return this.arena.player?.status.armour ?? 0; }
  /** Time until the respawn; 0 while alive. */
  get respawn(): number { return this.arena.respawn; }
  /** Whether the new life takes no damage. */
  get protected(): boolean { return this.score?.protected ?? false; }
  get score(): Score | undefined { return this.scoreOf(this.id); }
  /** The scores of all players, by number; those that are not connected are empty. */
  get scores(): readonly Score[] { return this.arena.scores; }
  /** Returns the score of a player. */
  scoreOf(id: number): Score | undefined { return this.scores[id]; }

  /** Index of the held weapon, its magazine, and the time left of its reload and of drawing it. */
  get weapon(): number { return Math.max(0, Math.min(this.hero.loadout.held, this.view.weapons.length - 1)); }
  get magazine(): number { return this.view.weapons[this.weapon]?.magazine ?? 0; }
  get ammo(): number { return this.rounds(this.weapon); }
  get reload(): number { return this.slot(this.weapon)?.reload ?? 0; }
  get deploy(): number { return this.hero.loadout.deploy; }
  /** Time left of a swing of a blade. */
  get swing(): number { return this.hero.loadout.swing; }
  /** Returns the rounds in the magazine of a weapon. */
  rounds(weapon: number): number { return this.slot(weapon)?.rounds ?? 0; }
  private slot(weapon: number): Ammo | undefined { return this.hero.loadout.ammo[weapon]; }
  get shielded(): boolean { return this.hero.shielded; }
  get aiming(): boolean { return this.hero.aiming; }

  /** Whether the player hangs on the grappling hook, and the time until the next hook and dash. */
  get hooked(): boolean { return this.mode === GRAPPLING; }
  get hookCooldown(): number { return this.hero.hook.cooldown; }
  get dashCooldown(): number { return this.hero.dashCooldown; }
}
