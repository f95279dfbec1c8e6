// A replay on the page: runs the playback, draws the recorded entities, and shows how shots were
// judged. Start at openReplay.
import coreFile from "../../core/backstep.wasm?url";
import * as THREE from "three";
import { compileCore, fetchBytes, loadCore, type Core } from "@backstep/client";
import type { Block, Roots } from "../core";
import { Characters, playerColour, teamColour } from "../page/characters";
import type { DynamicParts } from "../page/dynamicparts";
import { Effects } from "../page/effects";
import { EntityModels } from "../page/entities";
import { teamOf, type Team } from "../page/events";
import { labelOf } from "../page/roster";
import { Lines, type Scenery } from "@backstep/three/parts";
import { WEAPON_MODELS, weaponModelOf, type WeaponModel } from "../page/weaponmodels";
import { ReplayCamera } from "./camera";
import { ReplayControls } from "./controls";
import { moversOf, drawnOf, writeRecorded } from "./drawn";
import { fetchInfo, nameAt, presenceOf, type Entry, type Info, type Shot } from "./info";
import { Recording } from "./recording";
import type { EntitySample } from "./samples";

const LONGEST_FRAME = 0.1;
const SHOT_SHOWN = 0.6; // seconds around a selected shot in which it is drawn
const RAY = new THREE.Color(0xffe08a);
const SERVER_COLOUR = new THREE.Color(0xff5a4f);
const NAME_SCALE = 4; // the camera is farther away than in a match
const LONG_DEAD = 60; // seconds; after a seek the time of death is unknown
const SKIP = 5; // seconds, of the arrow keys

/** Parts of the page that a replay uses. */
interface ReplayContext {
  server: URL;
  stage: Scenery;
  canvas: HTMLCanvasElement;
  dynamicParts(): DynamicParts | undefined;
}

/** Opens the server's recording; undefined if it has none. Without a core, characters and
 * movers are not drawn. */
export async function openReplay(context: ReplayContext): Promise<Replay | undefined> {
  const info = await fetchInfo(context.server);
  if (info === undefined) return undefined;
  const core = await loadLevelCore(context.server, info).catch((error: unknown) => void console.warn(error));
  return new Replay(context, info, core ?? undefined);
}

/** Returns a core with the level loaded, for posing only. */
async function loadLevelCore(server: URL, info: Info): Promise<Core> {
  const module = await compileCore(new URL(coreFile, document.baseURI));
  const core = await loadCore(module);
  core.loadLevel(await fetchBytes(new URL(info.world, server)));
  return core;
}

/** A replay of a recording. */
export class Replay {
  time = 0;
  playing = true;
  speed = 1;
  /** Whose eyes; 0 is the free camera. */
  view = 0;
  /** What is drawn of the recording. */
  drawn = drawnOf([], 0);
  private readonly recording: Recording;
  private readonly controls: ReplayControls;
  private readonly camera: ReplayCamera;
  private readonly characters: Characters;
  private readonly entityModels = new EntityModels();
  private readonly effects: Effects;
  private readonly lines = new Lines(512);
  private readonly from = new THREE.Vector3();
  private readonly to = new THREE.Vector3();
  private readonly diedAt = new Map<number, number>(); // time of death by player
  private selected: Shot | undefined;
  private cut = true; // the next frame is a cut
  private buffering = false;
  private last = performance.now();

  constructor(private readonly context: ReplayContext, readonly info: Info, private readonly core: Core | undefined) {
    const { stage, canvas, server } = context;
    this.effects = new Effects((from, delta, radius) => core?.sweep(from, delta, radius) ?? 1, false);
    this.characters = new Characters({ name: (id) => labelOf(nameAt(info, id, this.time), this.team(id)), colour: (id) => this.colourOf(id), weaponModel: (weapon) => this.weaponModel(weapon) }, NAME_SCALE);
    this.camera = new ReplayCamera(stage.camera, canvas);
    const url = (from: number, to: number): URL => new URL(`/replay/samples?from=${from}&to=${to}`, server);
    this.recording = new Recording(info.tick_rate, info.ticks, async (from, to) => (await fetchBytes(url(from, to))).buffer as ArrayBuffer);
    this.controls = new ReplayControls(info, {
      play: (on) => this.play(on),
      seek: (time) => this.seek(time),
      speed: (times) => (this.speed = times),
      view: (id) => this.setView(id),
      select: (entry) => this.showEntry(entry),
    });
    stage.scene.add(this.characters.group, this.entityModels.group, this.effects.group, this.lines.mesh);
    window.addEventListener("keydown", (e) => this.key(e));
  }

  /** Plays or pauses; at the end, playing starts over. */
  play(on: boolean): void {
    if (on && this.time >= this.info.duration) this.seek(0);
    this.playing = on;
  }

  /** Seeks to a time in seconds. */
  seek(time: number): void {
    this.time = Math.max(0, Math.min(time, this.info.duration));
    this.cut = true;
    this.diedAt.clear();
    this.select(undefined);
  }

  /** Shows a player's view from now on; 0 is the free camera. */
  setView(id: number): void {
    this.view = id;
    this.cut = true;
  }

  /** Pauses at an entry and shows it. */
  private showEntry(entry: Entry): void {
    this.seek(entry.t);
    this.playing = false;
    this.select(entry);
  }

  private select(entry: Entry | undefined): void {
    this.selected = entry?.shot;
    this.controls.select(entry);
  }

  /** Runs one frame. */
  frame(now: number): void {
    const dt = Math.min((now - this.last) / 1000, LONGEST_FRAME);
    this.last = now;
    this.buffering = !this.recording.ready(this.time);
    const from = this.time;
    if (this.playing && !this.buffering) this.advance(dt * this.speed);
    const passed = this.time - from;
    if (!this.buffering) this.draw(dt, passed);
    if (passed > 0) this.drawShots(from);
    this.effects.advance(passed, this.context.stage.camera);
    this.context.stage.draw();
    const error = this.buffering ? (this.recording.error === "" ? "loading…" : this.recording.error) : "";
    this.controls.show({ time: this.time, playing: this.playing, speed: this.speed, view: this.view, error }, now);
  }

  private advance(by: number): void {
    this.time += by;
    if (this.time < this.info.duration) return;
    this.time = this.info.duration;
    this.playing = false;
  }

  private draw(dt: number, passed: number): void {
    const all = this.recording.entities(this.time);
    const eyes = this.view === 0 ? undefined : all.find((t) => t.id === this.view);
    if (eyes !== undefined && this.camera.moved) this.view = 0;
    if (eyes !== undefined && this.view !== 0) this.camera.follow(eyes, dt, this.cut);
    else this.camera.fly(dt);
    this.drawn = drawnOf(all, eyes === undefined || this.view === 0 ? 0 : this.view);
    this.poseCharacters(all, eyes === undefined ? 0 : this.view);
    this.characters.show(this.drawn.players, this.core?.read<Block>("arena").figures ?? [], this.cut ? 10 : passed, this.context.stage.camera.position);
    this.entityModels.show(this.drawn.entities, passed);
    this.updateLevel(all, passed);
    this.drawSelectedShot();
    this.cut = false;
  }

  private weaponModel(weapon: number): WeaponModel {
    const known = this.info.weapons[weapon];
    return known === undefined ? (WEAPON_MODELS[weapon] ?? "rifle") : weaponModelOf(known);
  }

  private colourOf(id: number): THREE.Color {
    const team = this.team(id);
    return team === "" ? playerColour(id) : teamColour(team);
  }

  private team(id: number): Team {
    return teamOf(presenceOf(this.info, id, this.time)?.team ?? 0);
  }

  /** Poses all characters except the one whose eyes are used. */
  private poseCharacters(all: readonly EntitySample[], without: number): void {
    for (const sample of all) {
      if (!sample.dead) this.diedAt.delete(sample.id);
      else if (!this.diedAt.has(sample.id)) this.diedAt.set(sample.id, this.cut ? this.time - LONG_DEAD : this.time);
    }
    if (this.core === undefined) return;
    const deadFor = (id: number): number => Math.max(0, this.time - (this.diedAt.get(id) ?? 0));
    const { recorded } = this.core.read<Roots["controls"]>("controls");
    this.core.call("pose", writeRecorded(recorded, all, without, this.context.stage.camera.position, deadFor));
  }

  /** Moves the level's movers. */
  private updateLevel(all: readonly EntitySample[], passed: number): void {
    const dynamic = this.context.dynamicParts();
    dynamic?.advance(passed);
    if (this.core === undefined) return;
    this.core.moversAt(Math.round(this.time * 1e6));
    dynamic?.move(moversOf(all, this.core.read<Roots["view"]>("view").movers));
  }

  /** Shows the shots since a time. */
  private drawShots(since: number): void {
    for (const { shot } of this.controls.entriesBetween(since, this.time)) {
      if (shot === undefined || shot.verdict === "refused") continue;
      if (shot.projectile_end) {
        const radius = this.info.weapons[shot.weapon]?.blast ?? 0;
        if (radius > 0) this.effects.explode(this.to.set(...shot.point), radius);
        continue;
      }
      if (shot.verdict === "launched") continue;
      if (this.weaponModel(shot.weapon) === "sword") {
        this.characters.swing(shot.shooter);
        continue;
      }
      if (!this.characters.muzzle(shot.shooter, this.from)) this.from.set(shot.eye[0], shot.eye[1] - 0.15, shot.eye[2]);
      this.effects.shot(this.from, this.to.set(...shot.point), shot.impact === "player", shot.shooter === this.view);
    }
  }

  /** Draws the selected shot, and its target at the view time the server granted. */
  private drawSelectedShot(): void {
    const { lines, selected: shot } = this;
    lines.clear();
    if (shot !== undefined && Math.abs(shot.t - this.time) < SHOT_SHOWN && shot.verdict !== "refused") {
      const [x, y, z] = shot.eye;
      const low = shot.shooter === this.view ? 0.06 : 0; // offset, or the line would be a point in the shooter's view
      lines.line(x, y - low, z, ...shot.point, RAY);
      const target = shot.target === 0 ? undefined : this.recording.entity(shot.target, shot.view_granted);
      if (target !== undefined) lines.capsule(target.position.x, target.position.y, target.position.z, target.crouched, SERVER_COLOUR);
    }
    lines.show();
  }

  private key(e: KeyboardEvent): void {
    if (e.target instanceof HTMLSelectElement || e.ctrlKey || e.metaKey || e.altKey) return;
    switch (e.code) {
      case "Space":
      case "KeyK":
        this.play(!this.playing);
        break;
      case "ArrowLeft":
        this.seek(this.time - (e.shiftKey ? 1 / this.info.tick_rate : SKIP));
        break;
      case "ArrowRight":
        this.seek(this.time + (e.shiftKey ? 1 / this.info.tick_rate : SKIP));
        break;
      case "KeyV":
        this.setView(this.nextView());
        break;
      default:
        return;
    }
    e.preventDefault();
  }

  /** Returns the next player in order of numbers, then the free camera. */
  private nextView(): number {
    const here = this.info.players.filter((p) => p.from <= this.time && this.time <= p.to).map((p) => p.id).sort((a, b) => a - b);
    return here.find((id) => id > this.view) ?? 0;
  }

  /** Whether the playback waits for a download. */
  get waiting(): boolean {
    return this.buffering;
  }
}
