// The head-up display: health, ammunition, crosshair, hit marker, kill feed, death and pause notes.
// Only changes are written to the page. Start at Hud.
import type { HitGroup, MarkerState, Weapon } from "../core";
import { element } from "./dom";
import type { Team } from "./events";
import { ease, make, setText } from "@backstep/three/parts";
import type { Self } from "./self";

const FEED_LINES = 6;
const FEED_TIME = 6000;
const MARKER_TIME = 0.45;
const HIT_NOTE_TIME = 1.4;
const KILL_NOTE_TIME = 2;
const DAMAGE_FROM_TIME = 1.2;
const GOAL_TIME = 4000;

/** One line of the kill feed. */
interface FeedLine {
  killer: string;
  victim: string;
  /** Name of the weapon; empty for none. */
  weapon: string;
  head: boolean;
  mine: boolean;
}

function weaponText(line: FeedLine, killer: string): string {
  if (killer === "") return line.weapon === "" ? "fell" : `own ${line.weapon}`;
  return `${line.weapon === "" ? "▸" : line.weapon}${line.head ? " · headshot" : ""}`;
}

/** Returns why a hit did no damage, in the player's words. */
function reasonText(reason: string): string {
  return reason === "target evaded" ? "just spawned: protected" : reason;
}

/** The head-up display. */
export class Hud {
  private readonly root = element("hud");
  private readonly health = element("health");
  private readonly healthBar = element("health-bar");
  private readonly vitals = element("vitals");
  private readonly ammo = element("ammo");
  private readonly magazine = element("magazine");
  private readonly ammoBar = element("ammo-bar");
  private readonly weapon = element("weapon");
  private readonly slots = element("slots");
  private readonly weaponName = element("weapon-name");
  private readonly busy = element("busy");
  private readonly armour = element("armour");
  private readonly shieldChip = element("shield");
  private readonly hitNote = element("hit-note");
  private readonly killNote = element("kill-note");
  private readonly damageArrow = element("damage-from");
  private readonly kills = element("kills");
  private readonly deaths = element("deaths");
  private readonly crosshair = element("crosshair");
  private readonly marker = element("marker");
  private readonly damageLayer = element("damage");
  private readonly feed = element("feed");
  private readonly death = element("death");
  private readonly deathBy = element("death-by");
  private readonly deathIn = element("death-in");
  private readonly pause = element("pause");
  private readonly water = element("water");
  private readonly dashLayer = element("dash-lines");
  private readonly abilities = element("abilities");
  private readonly dashChip = element("dash");
  private readonly hookChip = element("hook");
  private readonly protectedNote = element("protected");
  private readonly spectateNote = element("spectating");
  private readonly followed = element("followed");
  private readonly goalBoard = element("goals");
  private readonly goalBy = element("goals-by");
  private goalEnds = 0;
  private flash = 0;
  private spread = 0;
  private markerLeft = 0;
  private hitNoteLeft = 0;
  private killNoteLeft = 0;
  private damageFrom = 0;
  private damageFromLeft = 0;
  private readonly shown = new Map<string, number | string | boolean>();

  show(yes: boolean): void {
    this.root.hidden = !yes;
  }

  /** Shows the name of the player that a spectator follows; "": free flight. */
  following(name: string): void {
    if (this.changed("following", name)) setText(this.followed, name);
  }

  /** Shows or hides the pause note. */
  paused(yes: boolean): void {
    this.pause.hidden = !yes;
  }

  /** Tints the screen under water. */
  underWater(yes: boolean): void {
    if (this.changed("water", yes)) this.water.hidden = !yes;
  }

  /** Shows the speed lines of a dash, 0 to 1. */
  dashLines(share: number): void {
    if (this.changed("dashing", share > 0)) this.dashLayer.hidden = share <= 0;
    if (share > 0) this.style("dash-lines", this.dashLayer, "opacity", (0.75 * share).toFixed(2));
  }

  /** Spreads the crosshair after a shot. */
  fired(): void {
    this.spread = 9;
  }

  /** Shows a hit marker: white when predicted, red when confirmed; a denied hit is withdrawn
   * with the reason. */
  hit(state: MarkerState, group: HitGroup, reason: string): void {
    const head = group === "head";
    this.marker.classList.remove("kill");
    this.marker.classList.toggle("confirmed", state === "confirmed" && reason === "");
    this.marker.classList.toggle("head", head && state === "confirmed");
    this.marker.classList.toggle("shield", group === "shield");
    this.marker.classList.toggle("refused", state === "denied");
    this.markerLeft = state === "denied" ? HIT_NOTE_TIME : MARKER_TIME;
    const note = state === "denied" ? `hit refused: ${reason === "" ? "missed on the server" : reason}` : state === "confirmed" ? reasonText(reason) : "";
    if (note === "") return;
    setText(this.hitNote, note);
    this.hitNoteLeft = HIT_NOTE_TIME;
  }

  /** Shows the player's kill below the crosshair. */
  killed(victim: string, head: boolean): void {
    setText(this.killNote, `You killed ${victim}${head ? " · headshot" : ""}`);
    this.killNoteLeft = KILL_NOTE_TIME;
    this.marker.classList.add("kill");
  }

  /** Spreads the crosshair after a near explosion, 0 to 1. */
  shake(share: number): void {
    this.spread = Math.max(this.spread, 14 * share);
  }

  /** Flashes the screen by damage and shows the direction of the attacker, radians about +Y, if
   * known. */
  damaged(damage: number, from: number | undefined): void {
    this.flash = Math.min(1, this.flash + 0.25 + damage / 60);
    if (from === undefined) return;
    this.damageFrom = from;
    this.damageFromLeft = DAMAGE_FROM_TIME;
  }

  /** Shows the weapons and the held one. */
  showWeapons(self: Self, weapons: readonly Weapon[]): void {
    const names = weapons.map((w) => w.name).join(" ");
    if (this.changed("slots", names)) {
      this.slots.replaceChildren(...weapons.map((w, i) => {
        const slot = make("span", w.name);
        slot.prepend(make("b", String(i + 1)));
        slot.append(make("i"));
        return slot;
      }));
    }
    weapons.forEach((w, i) => {
      const slot = this.slots.children[i];
      if (slot === undefined) return;
      if (this.changed(`slot ${i}`, i === self.weapon)) slot.classList.toggle("held", i === self.weapon);
      const rounds = w.magazine === 0 ? "∞" : String(self.rounds(i));
      if (slot.lastElementChild !== null && this.changed(`rounds ${i}`, rounds)) slot.lastElementChild.textContent = rounds;
    });
    const held = weapons[self.weapon];
    this.text("weapon-name", this.weaponName, held?.name ?? "");
    const busy = self.reload > 0 && held !== undefined && held.reload > 0 ? 1 - self.reload / held.reload : self.deploy > 0 && held !== undefined && held.deploy > 0 ? 1 - self.deploy / held.deploy : 0;
    this.style("busy", this.busy, "transform", `scaleX(${Math.max(0, busy).toFixed(2)})`);
    if (this.changed("shielded", self.shielded)) this.shieldChip.classList.toggle("used", self.shielded);
    if (this.changed("aiming", self.aiming)) this.crosshair.classList.toggle("sights", self.aiming);
    this.text("armour", this.armour, self.armour > 0 ? `+${Math.ceil(self.armour)}` : "");
  }

  /** Adds a line to the kill feed. */
  addFeedLine(line: FeedLine): void {
    const row = make("div", "", line.mine ? "mine" : "");
    const killer = line.killer === line.victim ? "" : line.killer;
    row.append(make("b", killer), make("span", weaponText(line, killer)), make("b", line.victim));
    this.feed.append(row);
    while (this.feed.children.length > FEED_LINES) this.feed.firstElementChild?.remove();
    setTimeout(() => (row.style.opacity = "0"), FEED_TIME);
    setTimeout(() => row.remove(), FEED_TIME + 500);
  }

  /** Shows the football's score while the player is near it. */
  atPitch(near: boolean): void {
    if (this.changed("pitch", near)) this.goalBoard.hidden = !near;
  }

  /** Sets the football's score, and for a few seconds its scorer; team "" means no goal yet. */
  goals(red: number, blue: number, team: Team, by: string): void {
    setText(element("goals-red"), String(red));
    setText(element("goals-blue"), String(blue));
    setText(this.goalBy, by === "" ? `Goal for ${team}` : `Goal for ${team} by ${by}`);
    this.goalBoard.dataset["team"] = team;
    this.goalBy.hidden = team === "";
    element("goals-how").hidden = team !== "";
    clearTimeout(this.goalEnds);
    this.goalEnds = window.setTimeout(() => (this.goalBy.hidden = true), GOAL_TIME);
  }

  /** Sets the killer for the next death note. */
  killedBy(killer: string): void {
    setText(this.deathBy, killer);
  }

  /** Updates the display; yaw is the view direction, dt seconds since the last frame. */
  update(self: Self, yaw: number, dt: number): void {
    this.updateNumbers(self);
    this.flash = ease(this.flash, 0, 3.2, dt);
    this.spread = ease(this.spread, Math.hypot(self.velocity.x, self.velocity.z) * 0.9, 12, dt);
    this.markerLeft = Math.max(0, this.markerLeft - dt);
    this.hitNoteLeft = Math.max(0, this.hitNoteLeft - dt);
    this.style("hit-note", this.hitNote, "opacity", Math.min(1, this.hitNoteLeft * 3).toFixed(2));
    this.killNoteLeft = Math.max(0, this.killNoteLeft - dt);
    this.style("kill-note", this.killNote, "opacity", Math.min(1, this.killNoteLeft * 3).toFixed(2));
    this.damageFromLeft = Math.max(0, this.damageFromLeft - dt);
    this.style("damage-from", this.damageArrow, "opacity", Math.min(1, this.damageFromLeft * 2).toFixed(2));
    if (this.damageFromLeft > 0) this.style("damage-angle", this.damageArrow, "--angle", `${(yaw - this.damageFrom).toFixed(2)}rad`);
    const base = self.health < 30 && !self.dead ? 0.28 : 0;
    this.style("damage", this.damageLayer, "opacity", Math.max(base, this.flash).toFixed(2));
    if (this.changed("damaged", this.flash > 0.01 || base > 0)) this.damageLayer.hidden = this.flash <= 0.01 && base === 0;
    this.style("marker", this.marker, "opacity", Math.min(1, this.markerLeft * 6).toFixed(2));
    this.style("spread", this.crosshair, "--spread", `${this.spread.toFixed(1)}px`);
    this.updateDeath(self);
    const safe = self.protected && !self.dead;
    if (this.changed("protected", safe)) this.protectedNote.hidden = !safe;
    this.updateAbilities(self);
  }

  /** Updates dash, hook and spectator notes. */
  private updateAbilities(self: Self): void {
    this.style("dash", this.dashChip, "--cooldown", Math.min(1, self.dashCooldown / 1.5).toFixed(2));
    this.style("hook", this.hookChip, "--cooldown", Math.min(1, self.hookCooldown / 0.8).toFixed(2));
    if (this.changed("hooked", self.hooked)) this.hookChip.classList.toggle("used", self.hooked);
    if (!this.changed("spectating", self.spectating)) return;
    this.spectateNote.hidden = !self.spectating;
    this.abilities.hidden = this.vitals.hidden = this.weapon.hidden = this.slots.hidden = self.spectating;
    this.crosshair.classList.toggle("hidden", self.spectating);
  }

  private updateNumbers(self: Self): void {
    const reloading = self.reload > 0;
    this.text("health", this.health, Math.ceil(self.health));
    this.text("ammo", this.ammo, self.magazine === 0 ? "∞" : self.ammo);
    const magazine = self.magazine === 0 ? "" : `/ ${self.magazine}`;
    this.text("magazine", this.magazine, reloading ? "reloading…" : self.deploy > 0 ? "drawing…" : magazine);
    this.text("kills", this.kills, self.score?.kills ?? 0);
    this.text("deaths", this.deaths, self.score?.deaths ?? 0);
    this.style("health-bar", this.healthBar, "transform", `scaleX(${(self.health / 100).toFixed(2)})`);
    const full = self.magazine > 0 ? self.ammo / self.magazine : 1;
    this.style("ammo-bar", this.ammoBar, "transform", `scaleX(${full.toFixed(2)})`);
    this.vitals.classList.toggle("low", self.health < 30);
    this.weapon.classList.toggle("empty", self.ammo === 0 && self.magazine > 0);
  }

  private updateDeath(self: Self): void {
    if (this.changed("dead", self.dead)) {
      this.death.hidden = !self.dead;
      this.crosshair.hidden = self.dead;
      if (!self.dead) setText(this.deathBy, ""); // the next death says its own, maybe some frames later
    }
    if (self.dead) setText(this.deathIn, `Respawn in ${Math.max(0, self.respawn).toFixed(1)} s`);
  }

  private text(key: string, into: HTMLElement, value: number | string): void {
    if (this.changed(key, value)) into.textContent = String(value);
  }

  private style(key: string, on: HTMLElement, property: string, value: string): void {
    if (this.changed(key, value)) on.style.setProperty(property, value);
  }

  private changed(key: string, value: number | string | boolean): boolean {
    if (this.shown.get(key) === value) return false;
    this.shown.set(key, value);
    return true;
  }
}
