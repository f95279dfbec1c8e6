// A recording on the page: runs its time, draws what was there then, and shows what the
// server judged. Start at openReplay.
import * as THREE from "three";
import { BodyView, compileCore, fetchBytes, FigureView, Layout as L, loadCore, RemoteView, ThingView, type Core } from "../client/index";
import { Effects } from "../page/effects";
import { Figures, playerColour } from "../page/figures";
import { Lines } from "../page/lines";
import type { Machines } from "../page/machines";
import type { Stage } from "../page/scene";
import { Things } from "../page/things";
import { LOOKS } from "../page/weapons";
import { writeBlock, writePoses } from "./block";
import { Lens } from "./camera";
import { Desk } from "./desk";
import { fetchInfo, nameAt, type Entry, type Info, type Shot } from "./info";
import type { Thing } from "./frames";
import { Tape } from "./tape";

const LONGEST_FRAME = 0.1;
const LOOK = 0.6; // seconds around a picked shot in which it is drawn
const RAY = new THREE.Color(0xffe08a);
const JUDGED = new THREE.Color(0xff5a4f);
const NAMES = 4; // times as large as in a match: one looks from farther away
const LONG = 60; // seconds: who was dead when one began to look has been for long
const SKIP = 5; // seconds, of the arrow keys

/** What a recording is shown with. */
export interface Props {
  server: URL;
  stage: Stage;
  canvas: HTMLCanvasElement;
  machines(): Machines | undefined;
}

/** Opens the recording of a server; undefined where it has none. The level's moving
 * bodies stand still where its core cannot be had. */
export async function openReplay(props: Props): Promise<Replay | undefined> {
  const info = await fetchInfo(props.server);
  if (info === undefined) return undefined;
  const core = await levelCore(props.server, info).catch((error: unknown) => void console.warn(error));
  return new Replay(props, info, core ?? undefined);
}

/** A core that knows the level and nothing else. */
async function levelCore(server: URL, info: Info): Promise<Core> {
  const module = await compileCore(new URL("backstep.wasm", document.baseURI));
  const core = await loadCore(module);
  core.loadLevel(await fetchBytes(new URL(info.world, server)));
  return core;
}

/** A recording that is looked at. */
export class Replay {
  time = 0;
  playing = true;
  speed = 1;
  /** Whose eyes; 0 flies freely. */
  view = 0;
  /** What figures and things are drawn from: a state block as the core would fill it. */
  readonly state = new Float64Array(L.STATE_LENGTH);
  readonly remotes: RemoteView;
  readonly poses: FigureView;
  readonly things: ThingView;
  private readonly bodies: BodyView | undefined;
  private readonly tape: Tape;
  private readonly desk: Desk;
  private readonly lens: Lens;
  private readonly figures: Figures;
  private readonly lying = new Things();
  private readonly effects = new Effects();
  private readonly lines = new Lines(512);
  private readonly from = new THREE.Vector3();
  private readonly to = new THREE.Vector3();
  private readonly fell = new Map<number, number>(); // since when the dead lie
  private picked: Shot | undefined;
  private cut = true; // the next picture has nothing to do with the last
  private waits = false;
  private last = performance.now();

  constructor(private readonly props: Props, readonly info: Info, private readonly core: Core | undefined) {
    const { stage, canvas, server } = props;
    this.remotes = new RemoteView(this);
    this.poses = new FigureView(core ?? this);
    this.things = new ThingView(this);
    this.bodies = core === undefined ? undefined : new BodyView(core);
    this.figures = new Figures({ name: (id) => nameAt(info, id, this.time), colour: playerColour, look: (weapon) => LOOKS[weapon] ?? "rifle" }, NAMES);
    this.lens = new Lens(stage.camera, canvas);
    const part = (from: number, to: number): URL => new URL(`/replay/frames?from=${from}&to=${to}`, server);
    this.tape = new Tape(info.tick_rate, info.ticks, async (from, to) => (await fetchBytes(part(from, to))).buffer as ArrayBuffer);
    this.desk = new Desk(info, {
      play: (on) => this.play(on),
      seek: (time) => this.seek(time),
      speed: (times) => (this.speed = times),
      view: (id) => this.watch(id),
      pick: (entry) => this.pick(entry),
    });
    stage.scene.add(this.figures.group, this.lying.group, this.effects.group, this.lines.mesh);
    window.addEventListener("keydown", (e) => this.key(e));
  }

  /** Plays on or stops; from the end it begins anew. */
  play(on: boolean): void {
    if (on && this.time >= this.info.duration) this.seek(0);
    this.playing = on;
  }

  /** Goes to a time. */
  seek(time: number): void {
    this.time = Math.max(0, Math.min(time, this.info.duration));
    this.cut = true;
    this.fell.clear();
    this.choose(undefined);
  }

  /** Looks through a player's eyes from now on; 0 flies freely. */
  watch(id: number): void {
    this.view = id;
    this.cut = true;
  }

  /** Stops at a shot, or just before a kill, and shows it. */
  pick(entry: Entry): void {
    this.seek(entry.t);
    this.playing = false;
    this.choose(entry);
  }

  private choose(entry: Entry | undefined): void {
    this.picked = entry?.shot;
    this.desk.mark(entry);
  }

  /** One picture. */
  frame(now: number): boolean {
    const dt = Math.min((now - this.last) / 1000, LONGEST_FRAME);
    this.last = now;
    this.waits = !this.tape.ready(this.time);
    const from = this.time;
    if (this.playing && !this.waits) this.advance(dt * this.speed);
    const passed = this.time - from;
    if (!this.waits) this.draw(dt, passed);
    if (passed > 0) this.fire(from);
    this.effects.advance(passed, this.props.stage.camera);
    this.props.stage.draw();
    const trouble = this.waits ? (this.tape.trouble === "" ? "reading…" : this.tape.trouble) : "";
    this.desk.show({ time: this.time, playing: this.playing, speed: this.speed, view: this.view, trouble }, now);
    return true;
  }

  private advance(by: number): void {
    this.time += by;
    if (this.time < this.info.duration) return;
    this.time = this.info.duration;
    this.playing = false;
  }

  private draw(dt: number, passed: number): void {
    const all = this.tape.things(this.time);
    const eyes = this.view === 0 ? undefined : all.find((t) => t.id === this.view);
    if (eyes !== undefined && this.lens.moved) this.view = 0;
    if (eyes !== undefined && this.view !== 0) this.lens.through(eyes, dt, this.cut);
    else this.lens.fly(dt);
    writeBlock(this.state, all, eyes === undefined || this.view === 0 ? 0 : this.view);
    this.pose(all, eyes === undefined ? 0 : this.view);
    this.figures.show(this.remotes, this.poses, this.cut ? 10 : passed, this.props.stage.camera.position);
    this.lying.show(this.things, passed);
    this.level(passed);
    this.explain();
    this.cut = false;
  }

  /** Has the core pose everybody but the one whose eyes these are. */
  private pose(all: readonly Thing[], without: number): void {
    for (const thing of all) {
      if (!thing.dead) this.fell.delete(thing.id);
      else if (!this.fell.has(thing.id)) this.fell.set(thing.id, this.cut ? this.time - LONG : this.time);
    }
    if (this.core === undefined) return;
    const { x, y, z } = this.props.stage.camera.position;
    const lies = (id: number): number => Math.max(0, this.time - (this.fell.get(id) ?? 0));
    this.core.pose(writePoses(this.core.poses, all, without, [x, y, z], lies));
  }

  /** Puts the level's moving bodies where they were. */
  private level(passed: number): void {
    const machines = this.props.machines();
    machines?.advance(passed);
    if (this.core === undefined || this.bodies === undefined) return;
    this.core.machines(Math.round(this.time * 1e6));
    machines?.move(this.bodies);
  }

  /** Draws the shots since a time. */
  private fire(since: number): void {
    for (const { shot } of this.desk.passed(since, this.time)) {
      if (shot === undefined || shot.verdict === "refused") continue;
      if (!this.figures.muzzle(shot.shooter, this.from)) this.from.set(shot.eye[0], shot.eye[1] - 0.15, shot.eye[2]);
      this.effects.shot(this.from, this.to.set(...shot.point), shot.met === "player", shot.shooter === this.view);
    }
  }

  /** Draws the shot that was picked, and where its target stood in what it was judged
   * by. */
  private explain(): void {
    const { lines, picked: shot } = this;
    lines.clear();
    if (shot !== undefined && Math.abs(shot.t - this.time) < LOOK && shot.verdict !== "refused") {
      const [x, y, z] = shot.eye;
      const low = shot.shooter === this.view ? 0.06 : 0; // else it would be a point in the shooter's view
      lines.line(x, y - low, z, ...shot.point, RAY);
      const judged = shot.target === 0 ? undefined : this.tape.thing(shot.target, shot.view_granted);
      if (judged !== undefined) lines.capsule(...judged.position, judged.crouched, JUDGED);
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
        this.watch(this.nextView());
        break;
      default:
        return;
    }
    e.preventDefault();
  }

  /** Whoever comes after the one in view, then nobody. */
  private nextView(): number {
    const here = this.info.players.filter((p) => p.from <= this.time && this.time <= p.to).map((p) => p.id).sort((a, b) => a - b);
    return here.find((id) => id > this.view) ?? 0;
  }

  /** Whether it waits for its frames. */
  get waiting(): boolean {
    return this.waits;
  }
}
