// What lies over the picture: health, rounds, crosshair, hit marker, kill feed,
// death and pause notes. It writes to the page only what changed. Start at Hud.
import type { SelfView, Team, Verdict } from "../client/index";
import { element, make, setText } from "./dom";
import { ease } from "./figures";

const FEED_LINES = 6;
const FEED_TIME = 6000;
const MARKER_TIME = 0.45;
const GOAL_TIME = 4000;

/** One line of the kill feed. */
export interface FeedLine {
  killer: string;
  victim: string;
  head: boolean;
  mine: boolean;
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
  private readonly kills = element("kills");
  private readonly deaths = element("deaths");
  private readonly crosshair = element("crosshair");
  private readonly marker = element("marker");
  private readonly hurtLayer = element("hurt");
  private readonly feed = element("feed");
  private readonly death = element("death");
  private readonly deathBy = element("death-by");
  private readonly deathIn = element("death-in");
  private readonly pause = element("pause");
  private readonly water = element("water");
  private readonly rushing = element("rush");
  private readonly moves = element("moves");
  private readonly dashChip = element("dash");
  private readonly hookChip = element("hook");
  private readonly watchNote = element("watching");
  private readonly goalBoard = element("goals");
  private readonly goalBy = element("goals-by");
  private goalEnds = 0;
  private hurt = 0;
  private spread = 0;
  private markerLeft = 0;
  private readonly shown = new Map<string, number | string | boolean>();

  show(yes: boolean): void {
    this.root.hidden = !yes;
  }

  /** Shows or hides the note that the mouse is free. */
  paused(yes: boolean): void {
    this.pause.hidden = !yes;
  }

  /** Shows what is seen from under water. */
  wet(yes: boolean): void {
    if (this.changed("wet", yes)) this.water.hidden = !yes;
  }

  /** Shows the rush of a dash, 0 to 1. */
  rush(share: number): void {
    if (this.changed("rushes", share > 0)) this.rushing.hidden = share <= 0;
    if (share > 0) this.style("rush", this.rushing, "opacity", (0.75 * share).toFixed(2));
  }

  /** Opens the crosshair as a shot does. */
  fired(): void {
    this.spread = 9;
  }

  /** Shows a hit at once, turns it red when the server agrees, and takes it back
   * when it does not. */
  hit(verdict: Verdict, head: boolean): void {
    this.marker.classList.toggle("confirmed", verdict === "confirmed");
    this.marker.classList.toggle("head", head && verdict === "confirmed");
    this.markerLeft = verdict === "refused" ? 0 : MARKER_TIME;
  }

  /** Flashes red, the more the worse. */
  struck(damage: number): void {
    this.hurt = Math.min(1, this.hurt + 0.25 + damage / 60);
  }

  /** Adds a line to the kill feed. */
  tell(line: FeedLine): void {
    const row = make("div", "", line.mine ? "mine" : "");
    const killer = line.killer === line.victim ? "" : line.killer;
    row.append(make("b", killer), make("span", killer === "" ? "fell" : line.head ? "◎ head" : "▸"), make("b", line.victim));
    this.feed.append(row);
    while (this.feed.children.length > FEED_LINES) this.feed.firstElementChild?.remove();
    setTimeout(() => (row.style.opacity = "0"), FEED_TIME);
    setTimeout(() => row.remove(), FEED_TIME + 500);
  }

  /** Shows how the football match stands, and for a while who scored: team "" is nobody
   * yet. */
  goals(red: number, blue: number, team: Team, by: string): void {
    this.goalBoard.hidden = team === "";
    setText(element("goals-red"), String(red));
    setText(element("goals-blue"), String(blue));
    setText(this.goalBy, by === "" ? `Goal for ${team}` : `Goal for ${team} by ${by}`);
    this.goalBoard.dataset["team"] = team;
    this.goalBy.hidden = false;
    clearTimeout(this.goalEnds);
    this.goalEnds = window.setTimeout(() => (this.goalBy.hidden = true), GOAL_TIME);
  }

  /** Names who did it, for the next death note. */
  killedBy(name: string): void {
    setText(this.deathBy, name);
  }

  /** Shows the player's state; dt is seconds since the last picture. */
  update(self: SelfView, dt: number): void {
    this.numbers(self);
    this.hurt = ease(this.hurt, 0, 3.2, dt);
    this.spread = ease(this.spread, Math.hypot(self.vx, self.vz) * 0.9, 12, dt);
    this.markerLeft = Math.max(0, this.markerLeft - dt);
    const base = self.health < 30 && !self.dead ? 0.28 : 0;
    this.style("hurt", this.hurtLayer, "opacity", Math.max(base, this.hurt).toFixed(2));
    if (this.changed("hurting", this.hurt > 0.01 || base > 0)) this.hurtLayer.hidden = this.hurt <= 0.01 && base === 0;
    this.style("marker", this.marker, "opacity", Math.min(1, this.markerLeft * 6).toFixed(2));
    this.style("spread", this.crosshair, "--spread", `${this.spread.toFixed(1)}px`);
    this.dead(self);
    this.chips(self);
  }

  /** What can be done besides walking, and who only watches. */
  private chips(self: SelfView): void {
    this.style("dash", this.dashChip, "--rest", Math.min(1, self.dashRest / 1.5).toFixed(2));
    this.style("hook", this.hookChip, "--rest", Math.min(1, self.hookRest / 0.8).toFixed(2));
    if (this.changed("hooked", self.hooked)) this.hookChip.classList.toggle("used", self.hooked);
    if (!this.changed("watching", self.watching)) return;
    this.watchNote.hidden = !self.watching;
    this.moves.hidden = this.vitals.hidden = this.weapon.hidden = self.watching;
    this.crosshair.classList.toggle("away", self.watching);
  }

  private numbers(self: SelfView): void {
    const reloading = self.reload > 0;
    this.text("health", this.health, Math.ceil(self.health));
    this.text("ammo", this.ammo, self.ammo);
    this.text("magazine", this.magazine, reloading ? "reloading…" : `/ ${self.magazine}`);
    this.text("kills", this.kills, self.kills);
    this.text("deaths", this.deaths, self.deaths);
    this.style("health-bar", this.healthBar, "transform", `scaleX(${(self.health / 100).toFixed(2)})`);
    const full = self.magazine > 0 ? self.ammo / self.magazine : 0;
    this.style("ammo-bar", this.ammoBar, "transform", `scaleX(${full.toFixed(2)})`);
    this.vitals.classList.toggle("low", self.health < 30);
    this.weapon.classList.toggle("empty", self.ammo === 0);
  }

  private dead(self: SelfView): void {
    if (this.changed("dead", self.dead)) {
      this.death.hidden = !self.dead;
      this.crosshair.hidden = self.dead;
    }
    if (self.dead) setText(this.deathIn, `back in ${Math.max(0, self.respawn).toFixed(1)} s`);
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
