// A match on the page: every frame reads input, runs the client, updates the scene and draws. Start
// at Match.frame.
import * as THREE from "three";
import {
  BodyView, EntityView, InputView, NetView, RemoteDebugView, RemoteView, SelfView, ShotDebugView, SkeletonView,
  type Client, type GameEvent, type Link,
} from "../client/index";
import { PlayerCamera } from "./camera";
import { Characters, playerColour, teamColour } from "./characters";
import { Combat } from "./combat";
import type { Controls } from "./controls";
import { CorrectionLog } from "./corrections";
import type { DynamicParts } from "./dynamicparts";
import { EntityModels } from "./entities";
import type { Hud } from "./hud";
import type { LinkStatus } from "./linkstatus";
import { ease } from "./math";
import type { NetPanel } from "./netpanel";
import type { Scoreboard } from "./panels";
import type { FrameRateMonitor, Quality } from "./quality";
import { RemoteDebugLayer } from "./remotedebug";
import { Ropes } from "./ropes";
import { Roster } from "./roster";
import type { Stage } from "./scene";
import { ShotDebugLayer } from "./shotdebug";
import type { Sound } from "./sound";

/** Parts of the page that outlive a match. */
export interface MatchContext {
  stage: Stage;
  controls: Controls;
  hud: Hud;
  scoreboard: Scoreboard;
  netPanel: NetPanel;
  linkStatus: LinkStatus;
  sound: Sound;
  meter: FrameRateMonitor;
  /** Applies a lower quality. */
  lower(quality: Quality): void;
  qualityName(): string;
  /** Moving and animated parts of the level; undefined until loaded. */
  dynamicParts(): DynamicParts | undefined;
}

const LONGEST_FRAME = 0.1;
const LOG_LENGTH = 2000;
const NOTHING = new Float64Array(0);
const FOV = 78;
const AIM_FOV = -24; // degrees subtracted while aiming
const DASH_EFFECT = 0.22; // seconds of the dash effect

/** One match on this page. */
export class Match {
  readonly roster = new Roster();
  /** The last events, newest last, for tests. */
  readonly log: GameEvent[] = [];
  /** The last corrections of the player's own moves. */
  readonly corrections = new CorrectionLog();
  readonly self = new SelfView(this);
  readonly net = new NetView(this);
  readonly remotes = new RemoteView(this);
  readonly skeletons = new SkeletonView(this);
  readonly bodies = new BodyView(this);
  readonly entities = new EntityView(this);
  readonly remoteDebug = new RemoteDebugView(this);
  readonly shotDebug = new ShotDebugView(this);
  private readonly input = new InputView(this);
  /** The client end of the match; undefined until connected. */
  client: Client | undefined;
  private readonly group = new THREE.Group();
  private readonly characters = new Characters({
    name: (id) => this.roster.name(id), colour: (id) => this.colourOf(id), weaponModel: (weapon) => this.combat.model(weapon),
  });
  private readonly entityModels = new EntityModels();
  private readonly remoteLayer = new RemoteDebugLayer((id) => this.roster.name(id));
  readonly combat: Combat;
  private readonly shotLayer: ShotDebugLayer;
  private readonly ropes = new Ropes();
  private readonly playerCamera = new PlayerCamera();
  private readonly from = new THREE.Vector3();
  private readonly to = new THREE.Vector3();
  private dashLeft = 0;
  private dashCooldown = 0;
  private last = performance.now();

  constructor(private readonly context: MatchContext) {
    const { stage, hud, sound } = context;
    this.combat = new Combat({ stage, hud, sound, roster: this.roster, characters: this.characters, self: this.self, entities: this.entities });
    this.shotLayer = new ShotDebugLayer({
      name: (id) => (id === this.self.id ? "you" : this.roster.name(id)), weapon: (i) => this.combat.name(i),
      isProjectile: (i) => this.combat.weapons[i]?.kind === "projectile", reason: (n) => this.client?.reasonText(n) ?? "",
    });
    this.group.add(this.characters.group, this.entityModels.group, this.combat.effects.group, this.ropes.mesh, this.remoteLayer.group, this.shotLayer.group);
    stage.scene.add(this.group);
    context.netPanel.follow(this.corrections);
  }

  /** Starts playing through a client. */
  attach(client: Client): void {
    this.client = client;
    this.context.controls.attach(client.devices);
  }

  /** Removes the match from the page. */
  dispose(): void {
    this.context.stage.scene.remove(this.group);
    this.combat.dispose();
    this.context.hud.underWater(false);
    this.context.linkStatus.clear();
    this.remoteLayer.hide();
    this.shotLayer.hide();
    this.context.hud.goals(0, 0, "", "");
    this.setZoom(0);
    this.client?.leave();
  }

  /** Toggles between spectating and playing. */
  spectate(): void {
    this.client?.spectate(!this.self.spectating);
  }

  /** Shows or hides how other players are drawn. */
  toggleRemoteDebug(): void {
    this.client?.debugRemotes(this.remoteLayer.toggle());
  }

  /** Shows or hides how the player's last shots were judged. */
  toggleShotDebug(): void {
    this.client?.debugShots(this.shotLayer.toggle());
  }

  private colourOf(id: number): THREE.Color {
    const team = this.roster.team(id);
    return team === "" ? playerColour(id) : teamColour(team);
  }

  /** The state block of the client; empty until connected. */
  get state(): Float64Array {
    return this.client?.state ?? NOTHING;
  }

  get link(): Link | undefined {
    return this.client?.link;
  }

  /** Runs one frame. Returns whether the match was drawn, which starts once the server has
   * accepted the player. */
  frame(now: number): boolean {
    const { client, context } = this;
    if (client === undefined) return false;
    const dt = Math.min((now - this.last) / 1000, LONGEST_FRAME);
    this.last = now;
    context.controls.write(client.input);
    if (client.frame()) context.controls.apply(this.input);
    if (this.self.id === 0) return false;
    context.controls.turnBy(this.self.baseYaw);
    this.updateScene(dt);
    context.stage.draw();
    this.updatePanels(client, now, dt);
    return true;
  }

  private updateScene(dt: number): void {
    const { self, context } = this;
    const { yaw, pitch } = context.controls;
    const camera = context.stage.camera;
    this.playerCamera.follow(self, yaw, pitch, camera, dt);
    this.combat.advance(yaw, pitch, dt);
    this.characters.show(this.remotes, this.skeletons, dt, camera.position);
    this.entityModels.show(this.entities, dt);
    this.remoteLayer.show(this.remoteDebug, camera.position, this.last);
    this.shotLayer.show(this.shotDebug, this.last);
    this.updateDash(dt);
    this.drawRopes();
    const dynamic = context.dynamicParts();
    dynamic?.move(this.bodies);
    dynamic?.advance(dt);
    context.hud.underWater(dynamic?.underWater(camera.position) === true);
  }

  /** Widens the field of view during a dash. */
  private updateDash(dt: number): void {
    if (this.self.dashCooldown > this.dashCooldown + 0.5) this.dashLeft = DASH_EFFECT;
    this.dashCooldown = this.self.dashCooldown;
    this.dashLeft = Math.max(0, this.dashLeft - dt);
    this.context.hud.dashLines(this.dashLeft / DASH_EFFECT);
    this.setZoom(ease(this.context.stage.camera.fov - FOV, this.dashLeft > 0 ? 13 : this.self.aiming ? AIM_FOV : 0, 16, dt));
  }

  private setZoom(by: number): void {
    const { camera } = this.context.stage;
    const field = Math.abs(by) < 0.05 ? FOV : FOV + by;
    if (camera.fov === field) return;
    camera.fov = field;
    camera.updateProjectionMatrix();
  }

  /** Draws the ropes of all grappling hooks. */
  private drawRopes(): void {
    const { self, ropes, from, to } = this;
    ropes.clear();
    if (self.hooked) {
      this.context.stage.camera.updateMatrixWorld();
      this.context.stage.camera.localToWorld(from.set(-0.3, -0.42, -0.3));
      ropes.stretch(from, to.set(self.hookX, self.hookY, self.hookZ));
    }
    for (let i = 0; i < this.remotes.count; i++) {
      const r = this.remotes.at(i);
      if (r.hooked) ropes.stretch(from.set(r.x, r.y + 1.3, r.z), to.set(r.hookX, r.hookY, r.hookZ));
    }
  }

  private updatePanels(client: Client, now: number, dt: number): void {
    const { context, self } = this;
    context.hud.update(self, context.controls.yaw, dt);
    context.scoreboard.update(self, this.remotes, this.roster, now);
    const lower = context.meter.count(now);
    if (lower !== undefined) context.lower(lower);
    context.linkStatus.update(this.net, now);
    context.netPanel.update(
      this.net,
      this.remotes,
      { transport: client.link.transport, fps: context.meter.fps, coreTime: client.frameTime, quality: context.qualityName() },
      now,
    );
  }

  /** Handles one event of the client. */
  readonly onEvent = (event: GameEvent): void => {
    this.log.push(event);
    if (this.log.length > LOG_LENGTH) this.log.shift();
    if (this.combat.onEvent(event)) return;
    switch (event.kind) {
      case "joined":
        if (this.roster.team(event.player) !== event.team) this.characters.repaint();
        return this.roster.set(event.player, event);
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
  };

  private onGoals(event: Extract<GameEvent, { kind: "goals" }>): void {
    this.context.hud.goals(event.red, event.blue, event.team, event.by === 0 ? "" : this.roster.name(event.by));
  }
}
