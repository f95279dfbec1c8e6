// Combat effects: view model, shots, explosions, hits, damage and kills. Start at Combat.onEvent.
import * as THREE from "three";
import type { DrawnEntity, Vec3, Weapon } from "../core";
import type { Characters } from "./characters";
import type { Effects } from "./effects";
import { KINDS } from "./entities";
import type { GameEvent } from "./events";
import type { Hud } from "./hud";
import type { Models } from "./models";
import type { Roster } from "./roster";
import type { Scenery } from "@backstep/three/parts";
import { FALLING, WALKING, type Self } from "./self";
import { heardBy, OWN, type Heard, type Sound } from "./sound";
import type { ViewModel, ViewModelInput } from "./viewmodel";
import { weaponModelOf, type WeaponModel } from "./weaponmodels";

/** What the effects are shown with. */
interface CombatContext {
  stage: Scenery;
  models: Models;
  hud: Hud;
  sound: Sound;
  roster: Roster;
  self: Self;
}

const SMOKE = 0.028; // seconds between two puffs behind a rocket
const CHEST = 1.2;

type EventOf<K extends GameEvent["kind"]> = Extract<GameEvent, { kind: K }>;

/** The combat effects of one match. */
export class Combat {
  weapons: readonly Weapon[] = [];
  private readonly from = new THREE.Vector3();
  private readonly to = new THREE.Vector3();
  private readonly viewModelInput: ViewModelInput = {
    speed: 0, yaw: 0, pitch: 0, rising: 0, reload: 0, draw: 0, crouched: false, shielded: false, aiming: false, hidden: true,
  };
  private reloading = false;
  private equipped = -1;
  private swing = 0;
  private smoke = 0;

  private readonly characters: Characters;
  private readonly effects: Effects;
  private readonly viewModel: ViewModel;

  constructor(private readonly context: CombatContext) {
    ({ characters: this.characters, effects: this.effects, viewModel: this.viewModel } = context.models);
  }

  /** Returns the model of a weapon by index. */
  readonly model = (weapon: number): WeaponModel => weaponModelOf(this.weapons[weapon]);

  /** Returns the name of a weapon by index; empty if there is none. */
  name(weapon: number): string {
    return this.weapons[weapon]?.name ?? "";
  }

  /** Advances the view model and the effects by dt seconds. */
  advance(entities: readonly DrawnEntity[], yaw: number, pitch: number, dt: number): void {
    this.updateViewModel(yaw, pitch, dt);
    this.smoke += dt;
    if (this.smoke > SMOKE) this.emitSmoke(entities);
    this.effects.advance(dt, this.context.stage.camera);
  }

  private updateViewModel(yaw: number, pitch: number, dt: number): void {
    const { self, sound, hud } = this.context;
    const h = this.viewModelInput;
    h.speed = self.mode === WALKING ? Math.hypot(self.velocity.x, self.velocity.z) : 0;
    h.rising = self.mode === FALLING ? self.velocity.y : 0;
    h.yaw = yaw;
    h.pitch = pitch;
    h.reload = self.reload;
    h.draw = self.deploy;
    h.crouched = self.crouched;
    h.shielded = self.shielded;
    h.aiming = self.aiming;
    h.hidden = self.dead || self.spectating || !self.playing;
    if (self.weapon !== this.equipped && this.weapons.length > 0) {
      if (this.equipped >= 0 && !h.hidden) sound.draw();
      this.equipped = self.weapon;
      this.viewModel.equip(this.model(self.weapon));
    }
    if (self.swing > this.swing + 0.05) {
      this.viewModel.strike();
      sound.shot("sword", OWN);
    }
    this.swing = self.swing;
    this.viewModel.advance(h, dt);
    if (self.reload > 0 !== this.reloading) {
      this.reloading = self.reload > 0;
      sound.reload();
    }
    hud.showWeapons(self, this.weapons);
  }

  /** Emits smoke behind projectiles. */
  private emitSmoke(entities: readonly DrawnEntity[]): void {
    this.smoke = 0;
    for (const entity of entities) {
      if (entity.kind === KINDS.rocket) this.effects.smoke(this.to.copy(entity.position), 0.3, 0.7);
      else if (entity.kind === KINDS.grenade && !entity.asleep) this.effects.smoke(this.to.copy(entity.position), 0.08, 0.3);
    }
  }

  /** Handles one event; returns whether it was a combat event. */
  onEvent(event: GameEvent): boolean {
    switch (event.kind) {
      case "weapons":
        this.weapons = event.weapons;
        this.equipped = -1;
        return true;
      case "kill":
        this.onKill(event);
        return true;
      case "shot":
        this.onShot(event);
        return true;
      case "detonation":
        this.onDetonation(event);
        return true;
      case "hit":
        this.onHit(event);
        return true;
      case "damage":
        this.onDamage(event);
        return true;
      default:
        return false;
    }
  }

  private onKill({ killer, victim, hitGroup, weapon }: EventOf<"kill">): void {
    const { self, roster, hud, sound } = this.context;
    const me = self.id;
    const head = hitGroup === "head";
    const fell = killer === 0 || killer === victim;
    const names = { killer: fell ? roster.name(victim) : roster.name(killer), victim: roster.name(victim) };
    const used = weapon === 0 ? "" : this.name(weapon - 1);
    hud.addFeedLine({ ...names, weapon: used, head, mine: killer === me || victim === me });
    if (killer === me && !fell) {
      hud.killed(names.victim, head);
      sound.kill();
    }
    if (victim !== me) return;
    if (fell) hud.killedBy(used === "" ? "You fell" : `Killed by your own ${used}`);
    else hud.killedBy(`Killed by ${names.killer}${used === "" ? "" : `, ${used}`}${head ? ", headshot" : ""}`);
  }

  private onShot(event: EventOf<"shot">): void {
    const { self, hud, sound, stage } = this.context;
    const own = event.shooter === self.id;
    const model = this.model(event.weapon);
    const heard = own ? OWN : heardBy(stage.camera, event.from);
    if (model === "sword") return this.onSlash(event, own, heard);
    if (own) {
      this.viewModel.fire();
      this.viewModel.muzzle(this.from);
      hud.fired();
    } else if (!this.characters.muzzle(event.shooter, this.from)) this.from.copy(event.from);
    sound.shot(model, heard);
    if (model === "rocket" || model === "grenade") {
      if (model === "rocket") this.effects.flash(this.from, 0.9);
      return;
    }
    this.effects.shot(this.from, this.to.copy(event.to), event.hit, own);
    for (const end of event.ends) this.effects.shot(this.from, this.to.copy(end), false, true);
  }

  /** Shows a melee attack: the player's own where it hit, another player's as a swing. */
  private onSlash(event: EventOf<"shot">, own: boolean, heard: Heard): void {
    if (own) {
      if (event.hit) this.effects.impact(this.to.copy(event.to), true);
      return;
    }
    this.characters.swing(event.shooter);
    this.context.sound.shot("sword", heard);
  }

  private onDetonation(event: EventOf<"detonation">): void {
    const { stage, sound, hud } = this.context;
    this.to.copy(event.at);
    const heard = heardBy(stage.camera, event.at);
    if (event.radius === 0) return this.effects.impact(this.to, false);
    this.effects.explode(this.to, event.radius);
    sound.explosion(heard);
    hud.shake(Math.max(0, 1 - heard.distance / (3 * event.radius)));
  }

  private onHit(event: EventOf<"hit">): void {
    const { hud, sound } = this.context;
    const shield = event.hitGroup === "shield";
    hud.hit(event.state, event.hitGroup, event.reason);
    if (event.state === "predicted") {
      if (!shield) this.characters.flash(event.target);
      if (shield) sound.clang();
      else sound.hit(event.hitGroup === "head");
    }
    if (event.state === "denied") sound.refused();
  }

  private onDamage(event: EventOf<"damage">): void {
    const { self, hud, sound } = this.context;
    const { x, y, z } = self.position;
    const { from } = event;
    hud.damaged(event.damage, event.by !== 0 || !isZero(from) ? Math.atan2(x - from.x, z - from.z) : undefined);
    sound.hurt();
    if (event.hitGroup === "shield") this.effects.impact(this.from.set(x, y + CHEST, z), false);
  }
}

function isZero({ x, y, z }: Vec3): boolean {
  return x === 0 && y === 0 && z === 0;
}
