// A match on the page: every picture takes the hands, runs the client, moves the
// figures and draws. Start at Match.frame.
import * as THREE from "three";
import { BodyView, FigureView, HandsView, NetView, ProofView, RemoteView, SelfView, ThingView, TraceView, type Client, type GameEvent, type HasState, type Link } from "../client/index";
import { Eye } from "./camera";
import type { Controls } from "./controls";
import { CorrectionLog } from "./corrections";
import { Combat } from "./combat";
import { ease, Figures, playerColour, teamColour } from "./figures";
import type { Hud } from "./hud";
import type { Machines } from "./machines";
import type { LineSigns } from "./line";
import type { NetPanel } from "./netpanel";
import type { Scoreboard } from "./panels";
import type { Meter, Quality } from "./quality";
import { Ropes } from "./ropes";
import { Roster } from "./roster";
import type { Stage } from "./scene";
import type { Sound } from "./sound";
import { Things } from "./things";
import { ShotsLayer } from "./shots";
import { Traces } from "./traces";

/** What a match is played with; the page owns them longer than one match. */
export interface Props {
  stage: Stage;
  controls: Controls;
  hud: Hud;
  scoreboard: Scoreboard;
  netPanel: NetPanel;
  signs: LineSigns;
  sound: Sound;
  meter: Meter;
  /** Applies a lower quality. */
  lower(quality: Quality): void;
  qualityName(): string;
  /** What moves in the level; undefined until it is loaded. */
  machines(): Machines | undefined;
}

const LONGEST_FRAME = 0.1;
const LOG_LENGTH = 2000;
const NOTHING = new Float64Array(0);
const FIELD = 78;
const SIGHTS = -24; // degrees by which the sights narrow the field
const DASH = 0.22; // seconds of the picture's rush

/** One match that this page plays in. */
export class Match {
  readonly roster = new Roster();
  /** The last events, newest last, for tests. */
  readonly log: GameEvent[] = [];
  /** The last corrections of the player's own moves. */
  readonly corrections = new CorrectionLog();
  readonly self: SelfView;
  readonly net: NetView;
  readonly remotes: RemoteView;
  readonly poses: FigureView;
  readonly bodies: BodyView;
  readonly things: ThingView;
  readonly traces: TraceView;
  private readonly hands: HandsView;
  /** The player's end of the match, once it is there. */
  client: Client | undefined;
  private readonly group = new THREE.Group();
  private readonly figures = new Figures({
    name: (id) => this.roster.name(id), colour: (id) => this.colourOf(id), look: (weapon) => this.combat.look(weapon),
  });
  private readonly lying = new Things();
  private readonly debugLayer = new Traces((id) => this.roster.name(id));
  readonly combat: Combat;
  readonly proof: ProofView;
  private readonly shotsLayer: ShotsLayer;
  private readonly ropes = new Ropes();
  private readonly eye = new Eye();
  private readonly from = new THREE.Vector3();
  private readonly to = new THREE.Vector3();
  private rush = 0;
  private dashRest = 0;
  private last = performance.now();

  constructor(private readonly props: Props) {
    const shared: HasState = Object.defineProperty({ state: NOTHING }, "state", { get: () => this.client?.state ?? NOTHING });
    this.self = new SelfView(shared);
    this.net = new NetView(shared);
    this.remotes = new RemoteView(shared);
    this.poses = new FigureView(shared);
    this.bodies = new BodyView(shared);
    this.things = new ThingView(shared);
    this.traces = new TraceView(shared);
    this.hands = new HandsView(shared);
    this.proof = new ProofView(shared);
    const { stage, hud, sound } = props;
    this.combat = new Combat({ stage, hud, sound, roster: this.roster, figures: this.figures, self: this.self, things: this.things });
    this.shotsLayer = new ShotsLayer({
      name: (id) => (id === this.self.id ? "you" : this.roster.name(id)), weapon: (i) => this.combat.name(i),
      flies: (i) => this.combat.weapons[i]?.sort === "projectile", reason: (n) => this.client?.reason(n) ?? "",
    });
    this.group.add(this.figures.group, this.lying.group, this.combat.effects.group, this.ropes.mesh, this.debugLayer.group, this.shotsLayer.group);
    stage.scene.add(this.group);
    props.netPanel.follow(this.corrections);
  }

  /** Begins to play through a client. */
  play(client: Client): void {
    this.client = client;
    this.props.controls.attach(client.devices);
  }

  /** Takes everything of the match off the page. */
  dispose(): void {
    this.props.stage.scene.remove(this.group);
    this.combat.dispose();
    this.props.hud.wet(false);
    this.props.signs.clear();
    this.debugLayer.hide();
    this.shotsLayer.hide();
    this.props.hud.goals(0, 0, "", "");
    this.zoom(0);
    this.client?.leave();
  }

  /** Asks to fly about as a spectator, or to play again. */
  watch(): void {
    this.client?.watch(!this.self.watching);
  }

  /** Shows or hides how others come to be drawn as they are. */
  debug(): void {
    this.client?.trace(this.debugLayer.toggle());
  }

  /** Shows or hides how one's own last shots were judged. */
  shots(): void {
    this.client?.shots(this.shotsLayer.toggle());
  }

  private colourOf(id: number): THREE.Color {
    const team = this.roster.team(id);
    return team === "" ? playerColour(id) : teamColour(team);
  }

  get link(): Link | undefined {
    return this.client?.link;
  }

  /** One picture. Returns whether it was drawn: not before the server has let us
   * in. */
  frame(now: number): boolean {
    const { client, props } = this;
    if (client === undefined) return false;
    const dt = Math.min((now - this.last) / 1000, LONGEST_FRAME);
    this.last = now;
    props.controls.write(client.input);
    if (client.frame()) props.controls.take(this.hands);
    if (this.self.id === 0) return false;
    props.controls.turnBy(this.self.turned);
    this.look(dt);
    props.stage.draw();
    this.panels(client, now, dt);
    return true;
  }

  private look(dt: number): void {
    const { self, props } = this;
    const { yaw, pitch } = props.controls;
    const camera = props.stage.camera;
    this.eye.follow(self, yaw, pitch, camera, dt);
    this.combat.advance(yaw, pitch, dt);
    this.figures.show(this.remotes, this.poses, dt, camera.position);
    this.lying.show(this.things, dt);
    this.debugLayer.show(this.traces, camera.position, this.last);
    this.shotsLayer.show(this.proof, this.last);
    this.dash(dt);
    this.hooks();
    const machines = props.machines();
    machines?.move(this.bodies);
    machines?.advance(dt);
    props.hud.wet(machines?.underWater(camera.position) === true);
  }

  /** The picture widens for the time of a dash. */
  private dash(dt: number): void {
    if (this.self.dashRest > this.dashRest + 0.5) this.rush = DASH;
    this.dashRest = this.self.dashRest;
    this.rush = Math.max(0, this.rush - dt);
    this.props.hud.rush(this.rush / DASH);
    this.zoom(ease(this.props.stage.camera.fov - FIELD, this.rush > 0 ? 13 : this.self.aiming ? SIGHTS : 0, 16, dt));
  }

  private zoom(by: number): void {
    const { camera } = this.props.stage;
    const field = Math.abs(by) < 0.05 ? FIELD : FIELD + by;
    if (camera.fov === field) return;
    camera.fov = field;
    camera.updateProjectionMatrix();
  }

  /** Draws the ropes of everybody's hooks. */
  private hooks(): void {
    const { self, ropes, from, to } = this;
    ropes.clear();
    if (self.hooked) {
      this.props.stage.camera.updateMatrixWorld();
      this.props.stage.camera.localToWorld(from.set(-0.3, -0.42, -0.3));
      ropes.stretch(from, to.set(self.hookX, self.hookY, self.hookZ));
    }
    for (let i = 0; i < this.remotes.count; i++) {
      const r = this.remotes.at(i);
      if (r.hooked) ropes.stretch(from.set(r.x, r.y + 1.3, r.z), to.set(r.hookX, r.hookY, r.hookZ));
    }
  }

  private panels(client: Client, now: number, dt: number): void {
    const { props, self } = this;
    props.hud.update(self, props.controls.yaw, dt);
    props.scoreboard.update(self, this.remotes, this.roster, now);
    const lower = props.meter.count(now);
    if (lower !== undefined) props.lower(lower);
    props.signs.update(this.net, now);
    props.netPanel.update(
      this.net,
      this.remotes,
      { road: client.link.road, fps: props.meter.fps, frameCost: client.frameCost, quality: props.qualityName() },
      now,
    );
  }

  /** Takes one event of the client's. */
  readonly hear = (event: GameEvent): void => {
    this.log.push(event);
    if (this.log.length > LOG_LENGTH) this.log.shift();
    if (this.combat.hear(event)) return;
    switch (event.kind) {
      case "joined":
        if (this.roster.team(event.player) !== event.team) this.figures.repaint();
        return this.roster.set(event.player, event);
      case "left":
        return this.roster.remove(event.player);
      case "spawned":
        return this.props.controls.lookAlong(event.yaw, 0);
      case "correction":
        return this.corrections.add(event.correction, performance.now());
      case "goals":
        return this.goals(event);
      case "notice":
        return this.props.signs.notice(event.text, performance.now());
      default:
        return;
    }
  };

  private goals(event: Extract<GameEvent, { kind: "goals" }>): void {
    this.props.hud.goals(event.red, event.blue, event.team, event.by === 0 ? "" : this.roster.name(event.by));
  }
}
