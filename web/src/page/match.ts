// A match on the page: every frame reads input, runs the client, updates the scene and draws. Start
// at Match.frame.
import * as THREE from "three";
import type { Block, Vec3 } from "../core";
import { lookFactor } from "./aimassist";
import { FirstPersonCamera } from "./camera";
import { playerColour, teamColour } from "./characters";
import { Combat } from "./combat";
import type { Controls } from "./controls";
import { CorrectionLog, disposeObjects, ease, type FrameRateMonitor, type NetPanel, type Quality, RemoteDebugLayer, type Scenery, type Sweep } from "@backstep/three/parts";
import type { DynamicParts } from "./dynamicparts";
import { calm, element } from "./dom";
import { KINDS } from "./entities";
import { eventsOf, teamOf, type GameEvent } from "./events";
import { Footsteps, type Walker } from "./footsteps";
import { Hints } from "./hints";
import type { Hud } from "./hud";
import { Killcam } from "./killcam";
import type { LinkStatus } from "./linkstatus";
import type { Minimap } from "./minimap";
import type { Models } from "./models";
import type { Network } from "./network";
import type { Scoreboard } from "./panels";
import { Roster } from "./roster";
import { RoundPanel } from "./rounds";
import { Self, WALKING, type ArenaSession } from "./self";
import type { Settings } from "./settings";
import { ShotDebugLayer } from "./shotdebug";
import { heardBy, OWN, type Sound } from "./sound";
import { Spectator } from "./spectator";
import type { Tour } from "./tour";

/** Parts of the page that outlive a match. */
export interface MatchContext {
  stage: Scenery;
  controls: Controls;
  hud: Hud;
  scoreboard: Scoreboard;
  netPanel: NetPanel;
  linkStatus: LinkStatus;
  minimap: Minimap;
  network: Network;
  tour: Tour;
  sound: Sound;
  meter: FrameRateMonitor;
  /** Applies a lower quality. */
  lower(quality: Quality): void;
  qualityName(): string;
  settings(): Settings;
  /** Sets the factor by which thumbs turn the view. */
  slowLook(factor: number): void;
  /** Moving and animated parts of the level; undefined until loaded. */
  dynamicParts(): DynamicParts | undefined;
  /** Whether the level is drawn. */
  levelShown(): boolean;
}

const LONGEST_FRAME = 0.1;
const LOG_LENGTH = 2000;
const CHEST = 1.15; // metres above the feet
const AIM_FOV = -24; // degrees subtracted while aiming
const PITCH_NEAR = 18; // metres from the football at which its score is shown
const DASH_EFFECT = 0.22; // seconds of the dash effect

/** One match on this page. */
export class Match {
  readonly roster = new Roster();
  /** The last events, newest last, for tests. */
  readonly log: GameEvent[] = [];
  /** The last corrections of the player's own moves. */
  readonly corrections = new CorrectionLog();
  /** The player's own character. */
  readonly self: Self;
  private readonly group = new THREE.Group();
  private readonly remoteLayer = new RemoteDebugLayer(element("remote-debug"), (id) => this.roster.name(id));
  readonly combat: Combat;
  private readonly shotLayer: ShotDebugLayer;
  private readonly hints = new Hints();
  private readonly rounds = new RoundPanel((level) => this.session.call("vote", [level]));
  readonly killcam = new Killcam(() => this.arena, (id) => this.roster.name(id), (weapon) => this.combat.name(weapon));
  private readonly playerCamera = new FirstPersonCamera();
  private readonly sweep: Sweep = (from, delta, radius) => this.session.sweep(from, delta, radius);
  readonly spectator = new Spectator(this.sweep);
  private readonly footsteps = new Footsteps();
  private walked = 0; // by the player, metres
  private readonly from = new THREE.Vector3();
  private readonly to = new THREE.Vector3();
  private dashLeft = 0;
  private dashCooldown = 0;
  private last = performance.now();

  constructor(private readonly context: MatchContext, private readonly models: Models, readonly session: ArenaSession) {
    const { stage, hud, sound } = context;
    this.self = new Self(session);
    this.combat = new Combat({ stage, models, hud, sound, roster: this.roster, self: this.self });
    models.begin({
      name: (id) => this.roster.label(id), colour: (id) => this.colourOf(id), weaponModel: (weapon) => this.combat.model(weapon),
      protected: (id) => this.self.scoreOf(id)?.protected === true,
      namesThroughWalls: () => this.self.spectating,
    }, this.sweep);
    this.shotLayer = new ShotDebugLayer({
      name: (id) => (id === this.self.id ? "you" : this.roster.name(id)), weapon: (i) => this.combat.name(i),
      isProjectile: (i) => this.combat.weapons[i]?.kind === "projectile",
    });
    this.group.add(this.killcam.mesh, this.remoteLayer.group, this.shotLayer.group);
    stage.scene.add(this.group);
    context.netPanel.follow(this.corrections);
  }

  /** What the arena's own block of the core shows. */
  get arena(): Block {
    return this.session.roots.arena;
  }

  /** Removes the match from the page. */
  dispose(): void {
    this.context.stage.scene.remove(this.group);
    disposeObjects(this.group);
    this.models.clear();
    this.context.hud.underWater(false);
    this.context.linkStatus.clear();
    this.remoteLayer.hide();
    this.shotLayer.hide();
    this.context.hud.goals(0, 0, "", "");
    this.context.hud.atPitch(false);
    this.rounds.dispose();
    this.killcam.dispose();
    this.spectator.dispose();
    this.hints.hide();
    this.setZoom(0);
    this.session.close();
  }

  /** Toggles between spectating and playing. */
  spectate(): void {
    this.session.call("spectate", [this.self.spectating ? 0 : 1]);
  }

  /** Shows or hides how other players are drawn. */
  toggleRemoteDebug(): void {
    this.remoteLayer.toggle();
  }

  /** Shows or hides how the player's last shots were judged. */
  toggleShotDebug(): void {
    this.shotLayer.toggle();
  }

  private colourOf(id: number): THREE.Color {
    const team = this.roster.team(id);
    return team === "" ? playerColour(id) : teamColour(team);
  }

  /** Runs one frame. Returns whether the match was drawn, which starts once the server has
   * accepted the player. */
  frame(now: number): boolean {
    const { session, context } = this;
    const { controls } = session.roots;
    const dt = Math.min((now - this.last) / 1000, LONGEST_FRAME);
    this.last = now;
    context.slowLook(this.assist());
    context.controls.write(controls);
    context.network.write(session.roots);
    session.roots.remoteDebug.shown = this.remoteLayer.shown;
    controls.debugShots = this.shotLayer.shown;
    this.killcam.write(controls, now);
    if (!session.frame() || !this.ready) return false;
    this.killcam.look(now, !context.tour.running);
    context.controls.apply(controls, this.arena);
    context.controls.turnBy(this.self.baseYaw);
    this.updateScene(dt);
    context.stage.draw();
    this.updatePanels(now, dt);
    context.tour.frame(this, now);
    return true;
  }

  /** Whether there is something to show: the server places the player before it sends its health and the
   * weapons, and a frame without them would show none. Nor is there a match without its level. */
  private get ready(): boolean {
    const { self, context } = this;
    return context.levelShown() && self.playing && self.view.weapons.length > 0 && (self.health > 0 || self.dead || self.spectating);
  }

  /** Returns the factor by which thumbs turn the view, less than 1 on a visible opponent if the player wants help. */
  private assist(): number {
    const { self, session, roster, context } = this;
    if (!context.settings().assist || self.dead || self.spectating) return 1;
    const own = roster.team(self.id);
    const chests = session.remotes.filter(({ id, dead }) => !dead && (own === "" || roster.team(id) !== own)).map(({ position: { x, y, z } }) => ({ x, y: y + CHEST, z }));
    const { eye } = this.self.view;
    const visible = ({ x, y, z }: Vec3): boolean => this.sweep(eye, { x: x - eye.x, y: y - eye.y, z: z - eye.z }, 0.01) === 1;
    return lookFactor(eye, context.controls.yaw, context.controls.pitch, chests, visible);
  }

  private updateScene(dt: number): void {
    const { self, session, arena, context } = this;
    const { yaw, pitch } = context.controls;
    const camera = context.stage.camera;
    const { killcam } = this;
    this.playerCamera.follow(self, yaw, pitch, camera, dt);
    if (killcam.shown) killcam.follow(camera);
    else if (self.spectating) {
      if (arena.pressed.fire) this.spectator.next();
      this.spectator.place(camera, session.remotes, yaw, pitch, dt);
    } else this.spectator.end();
    this.combat.advance(arena.entities, yaw, pitch, dt);
    this.models.effects.group.visible = !killcam.shown; // they are of now
    if (killcam.shown) this.models.viewModel.group.visible = false;
    this.models.characters.show(killcam.shown ? arena.killcam.players : session.remotes, arena.figures, dt, camera.position);
    this.models.entities.show(arena.entities, dt);
    this.remoteLayer.show(session.roots.remoteDebug.players, camera.position, this.last);
    this.shotLayer.show(arena.shot, this.last);
    this.updateDash(dt);
    this.drawRopes();
    const dynamic = context.dynamicParts();
    if (killcam.shown) session.call("movers_at", [1e6 * arena.killcam.at]);
    dynamic?.move(session.movers);
    dynamic?.advance(dt);
    context.hud.underWater(dynamic?.underWater(camera.position) === true);
    if (!killcam.shown) this.walk(dt);
  }

  /** Plays the steps of everybody, each on its side and by its ground. */
  private walk(dt: number): void {
    const { self, session, context } = this;
    const { hero, id, position, velocity } = self;
    if (self.mode === WALKING) this.walked += Math.hypot(velocity.x, velocity.z) * dt;
    const own: Walker = { id, position, strideDistance: this.walked, base: hero.base.mover, airborne: self.mode !== WALKING, dead: self.dead || self.spectating };
    for (const walker of this.footsteps.advance([own, ...session.remotes])) {
      const { x, y, z } = walker.position;
      const ground = context.dynamicParts()?.underWater(this.to.set(x, y + 0.1, z)) === true ? "water" : walker.base !== 0 ? "metal" : "stone";
      context.sound.step(ground, walker === own ? OWN : heardBy(context.stage.camera, walker.position));
    }
  }

  /** Widens the field of view during a dash. */
  private updateDash(dt: number): void {
    if (this.self.dashCooldown > this.dashCooldown + 0.5) this.dashLeft = DASH_EFFECT;
    this.dashCooldown = this.self.dashCooldown;
    this.dashLeft = Math.max(0, this.dashLeft - dt);
    this.context.hud.dashLines(this.dashLeft / DASH_EFFECT);
    this.setZoom(ease(this.context.stage.camera.fov - this.context.settings().fov, this.dashLeft > 0 && !calm() ? 13 : this.self.aiming ? AIM_FOV : 0, 16, dt));
  }

  private setZoom(by: number): void {
    const { camera } = this.context.stage;
    const { fov } = this.context.settings();
    const field = Math.abs(by) < 0.05 ? fov : fov + by;
    if (camera.fov === field) return;
    camera.fov = field;
    camera.updateProjectionMatrix();
  }

  /** Draws the ropes of all grappling hooks. */
  private drawRopes(): void {
    const { from, to } = this;
    const { ropes } = this.models;
    ropes.clear();
    for (const { player, at } of this.arena.hooks) if (this.hand(player, from)) ropes.stretch(from, to.copy(at));
  }

  /** Sets where a player holds the rope; returns false if the player is not drawn. */
  private hand(player: number, into: THREE.Vector3): boolean {
    if (player === this.self.id) {
      const { camera } = this.context.stage;
      camera.updateMatrixWorld();
      camera.localToWorld(into.set(-0.3, -0.42, -0.3));
      return true;
    }
    const remote = this.session.remotes.find((r) => r.id === player);
    if (remote !== undefined) into.copy(remote.position).y += 1.3;
    return remote !== undefined;
  }

  /** Whether the football is near: its score means nothing elsewhere. */
  private atPitch(): boolean {
    const { position } = this.self;
    return this.arena.entities.some(({ kind, position: at }) => kind === KINDS.football && Math.hypot(at.x - position.x, at.y - position.y, at.z - position.z) < PITCH_NEAR);
  }

  /** Shows the player's own team on the map, and to a spectator everybody. */
  private updateMap(): void {
    const { self, session, roster, context } = this;
    const own = roster.team(self.id);
    if (context.minimap.empty) context.minimap.setLevel(session.triangles(0));
    const shown = session.remotes.filter(({ id, dead }) => !dead && (self.spectating || (own !== "" && roster.team(id) === own)));
    context.minimap.show({ x: self.position.x, z: self.position.z, yaw: context.controls.yaw },
      shown.map(({ id, position }) => ({ x: position.x, z: position.z, team: roster.team(id) })));
  }

  private updatePanels(now: number, dt: number): void {
    const { context, self, session } = this;
    const { remotes, stats } = session;
    context.hud.update(self, context.controls.yaw, dt);
    context.hud.following(this.spectator.followed === 0 ? "" : this.roster.name(this.spectator.followed));
    const round = this.arena.player?.round;
    this.hints.update(self, now);
    context.hud.atPitch(this.atPitch());
    this.updateMap();
    if (round !== undefined) this.rounds.update(round, self.id, (id) => this.roster.name(id));
    context.scoreboard.update(self, remotes, this.roster, now);
    const lower = context.meter.count(now);
    if (lower !== undefined) context.lower(lower);
    context.linkStatus.update(stats, this.arena.highPing, now);
    context.netPanel.update(
      stats,
      {
        transport: session.link.transport, fps: context.meter.fps, coreTime: session.frameTime, quality: context.qualityName(),
        others: remotes.length, inputDelay: session.view.inputDelay,
      },
      now,
    );
  }

  /** Handles what happened in a frame of the core, which may be one of a hidden tab. */
  readonly readEvents = (): void => {
    for (const event of eventsOf(this.session)) this.onEvent(event);
  };

  private onEvent(event: GameEvent): void {
    this.log.push(event);
    if (this.log.length > LOG_LENGTH) this.log.shift();
    this.context.tour.onEvent(event);
    if (this.combat.onEvent(event)) return;
    switch (event.kind) {
      case "joined":
        return this.roster.set(event.player, { name: event.name, bot: event.bot, team: teamOf(event.team) });
      case "left":
        return this.roster.remove(event.player);
      case "spawned":
        return this.context.controls.lookAlong(event.yaw, 0);
      case "correction":
        return this.corrections.add(event.correction, performance.now());
      case "goals":
        return this.onGoals(event);
      case "notice":
        return this.context.linkStatus.notice(event.text, performance.now());
      default:
        return;
    }
  }

  private onGoals(event: Extract<GameEvent, { kind: "goals" }>): void {
    this.context.hud.goals(event.red, event.blue, teamOf(event.team), event.by === 0 ? "" : this.roster.name(event.by));
  }
}
