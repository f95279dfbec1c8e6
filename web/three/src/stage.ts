// What a page needs to show a game in three dimensions. Start at Stage.
import type { Point, Session } from "@backstep/client";
import * as THREE from "three";
import { aimAt, type View } from "./aim.js";
import { EyeHeight, PlayerCamera, verticalFov, type CameraMode, type CameraOptions, type Sweep } from "./camera.js";
import { disposeObjects } from "./dispose.js";
import { Bodies, Entities } from "./entities.js";
import { characterView, ownView, type Figure } from "./figure.js";
import { Level } from "./levels.js";
import type { Paint } from "./level.js";
import { Overlays, type OverlayKeys, type OverlayName } from "./overlays.js";
import { Players, type Player, type PlayerView } from "./players.js";
import { chooseQuality, FrameRateMonitor, type Quality } from "./quality.js";
import { Scenery } from "./scenery.js";
import { Shots } from "./shots.js";
import { projectilesOf, type DrawableRoots, type DrawnBody, type DrawnEntity } from "./session.js";

/** Options of a Stage; each may be left out. */
export interface StageOptions<G extends DrawableRoots> extends CameraOptions {
  /** Where the camera stands, or a function that places it; can be changed later, as the stage's mode. By default
   * "third". */
  camera?: CameraMode;
  /** Vertical field of view, degrees. By default 70. A narrow screen gets more, so that it shows 60° from left to
   * right. */
  fov?: number;
  /** Makes the object that draws a player, once for each; the stage puts it at the player's feet. By default a
   * DefaultFigure in the player's colour. */
  figure?: (player: Player<G>) => Figure;
  /** The name above a player, "" for none; asked in every frame. By default the field "name", if the game
   * declares one. */
  name?: (player: Player<G>) => string;
  /** The colour of a player's figure and name. By default one for each number. */
  colour?: (player: Player<G>) => THREE.ColorRepresentation;
  /** The rigid bodies of this frame, such as () => session.roots.rink.pucks. By default none. */
  bodies?: () => readonly DrawnBody[];
  /** Makes the object that draws an entity that is no player and none of bodies, such as a projectile or a
   * pick-up, once for each; undefined draws nothing. By default a small bright ball. */
  entity?: (entity: DrawnEntity<G>) => THREE.Object3D | undefined;
  /** How the level is drawn: a function paints the core's own triangles; a model, such as the scene of a glTF
   * level (session.joinInfo.model is its address), is drawn instead, its movers moved; false draws
   * nothing. By default colours show slope and height. It is read in each frame: where the server changes the
   * level, put the next model here. */
  level?: boolean | Paint | THREE.Object3D;
  /** low draws fewer pixels without shadows, high has them; auto begins with what suits the device and
   * lowers it below 45 frames a second. By default "auto". */
  quality?: "auto" | Quality["name"];
  /** Whether shots have traces and flashes. By default true. */
  shots?: boolean;
  /** The keys (KeyboardEvent.code) of the debug overlays: network shows the figures of the link and the
   * corrections, remotes from what others are drawn, if the game's core says it (Go:
   * browser.ExtendRemoteDebug), or else their outlines. By default F3 and F4; "" is none. */
  keys?: OverlayKeys;
  /** The canvas to draw on. By default a new one that fills the window. */
  canvas?: HTMLCanvasElement;
}

const LONGEST_FRAME = 0.1; // seconds
const WALKING = 1; // Go: movement.Walking

/** Draws a session: its level, players, bodies and entities, seen by a camera that follows the player. Call
 * draw once a frame, after session.frame; while that returns false, only with a camera of the page's own. */
export class Stage<G extends DrawableRoots = DrawableRoots> {
  readonly canvas: HTMLCanvasElement;
  /** Where the camera stands. */
  mode: CameraMode;
  private readonly scenery: Scenery;
  private readonly level: Level;
  private readonly players: Players<G>;
  private readonly bodies = new Bodies();
  private readonly entities: Entities<DrawnEntity<G>>;
  private readonly shots = new Shots();
  private readonly eyeHeight = new EyeHeight();
  private readonly playerCamera: PlayerCamera;
  private readonly meter: FrameRateMonitor;
  private readonly overlays: Overlays;
  private quality: Quality;
  private readonly size: ResizeObserver;
  private readonly own = { position: new THREE.Vector3(), eye: new THREE.Vector3() };
  private readonly sweep: Sweep = (from, delta, radius) => this.session.sweep(from, delta, radius);
  private last = performance.now();
  private disposed = false;

  constructor(private readonly session: Session<G>, private readonly options: StageOptions<G> = {}) {
    this.canvas = options.canvas ?? fullWindow();
    const { quality, auto } = chooseQuality(options.quality ?? "auto");
    this.scenery = new Scenery(this.canvas, quality);
    this.quality = quality;
    this.meter = new FrameRateMonitor(quality, auto);
    this.fit();
    this.mode = options.camera ?? "third";
    this.playerCamera = new PlayerCamera(options, this.sweep);
    this.players = new Players<G>(options, this.sweep);
    this.entities = new Entities(options.entity);
    this.overlays = new Overlays(options.keys ?? {}, (id) => this.players.name(id));
    this.scene.add(this.players.group, this.bodies.group, this.entities.group, this.overlays.group);
    if (options.shots !== false) this.scene.add(this.shots.group);
    this.level = new Level(session);
    this.scene.add(this.level.group);
    this.size = new ResizeObserver(() => this.fit());
    this.size.observe(this.canvas);
  }

  /** The scene; add what the game shows besides. Metres, Y up, −Z forward. */
  get scene(): THREE.Scene {
    return this.scenery.scene;
  }

  get camera(): THREE.PerspectiveCamera {
    return this.scenery.camera;
  }

  get renderer(): THREE.WebGLRenderer {
    return this.scenery.renderer;
  }

  /** Frames per second over the last half second. */
  get fps(): number {
    return this.meter.fps;
  }

  /** Draws the frame that the session is at. */
  draw(): void {
    if (this.disposed) return; // a frame that the page had asked for before
    const now = performance.now();
    const dt = Math.min((now - this.last) / 1000, LONGEST_FRAME);
    this.last = now;
    const { level } = this.options;
    this.level.group.visible = level !== false;
    if (level !== false) this.level.show(level === true ? undefined : level);
    const bodies = this.options.bodies?.() ?? [];
    this.bodies.show(bodies);
    this.entities.show([...this.session.entities, ...projectilesOf(this.session.view)] as DrawnEntity<G>[], bodies, dt);
    this.place(dt);
    this.drawShots(dt);
    this.overlays.show(this.session, { fps: this.fps, quality: this.quality.name }, this.camera.position);
    this.scenery.draw();
    const lower = this.meter.count(now);
    if (lower !== undefined) this.scenery.use((this.quality = lower));
  }

  /** Returns the view, radians, from the player's eye to the point that the third-person camera has in the middle of
   * the screen, for a player that looks along another view: { ...stage.aim(controls) } of a claim hits what a
   * crosshair shows. That point is on the level, or on another player or an entity with a Figure, beyond the own one, or
   * else 100 m away. With another camera it is the view itself. */
  aim({ yaw, pitch }: View): View {
    if (this.mode !== "third") return { yaw, pitch };
    const { session, own, camera } = this;
    const ray = this.playerCamera.sight(own.eye, yaw, pitch, camera.aspect);
    return aimAt(session.eye as Point, ray, [...session.remotes, ...this.entities.characters(session.entities)], this.sweep);
  }

  /** Returns the object that draws a player, to attach things to it; undefined if the player is not drawn. */
  figure(id: number): Figure | undefined {
    return this.players.figure(id);
  }

  /** Shows or hides a debug overlay. */
  toggle(name: OverlayName): void {
    this.overlays.toggle(name);
  }

  /** Removes everything from the page that the stage has added, disposes of all figures, and frees what the scene has
   * on the graphics card. Another stage may then draw on the same canvas, or the same model of a level. */
  dispose(): void {
    if (this.disposed) return;
    this.disposed = true;
    this.size.disconnect();
    this.overlays.dispose();
    disposeObjects(this.scene);
    this.players.show([], this.camera.position, 0);
    this.entities.show([], [], 0);
    if (this.options.canvas !== undefined) this.renderer.resetState(); // of the context, which the page's next renderer gets
    this.renderer.dispose();
    if (this.options.canvas !== undefined) return;
    this.renderer.forceContextLoss(); // a browser has few contexts
    this.canvas.remove();
  }

  /** Fits the picture to the size of the canvas. */
  private fit(): void {
    this.scenery.resize();
    this.camera.fov = verticalFov(this.options.fov ?? 70, this.camera.aspect);
    this.camera.updateProjectionMatrix();
  }

  /** Places the camera and the players. */
  private place(dt: number): void {
    const { session, own, camera } = this;
    const pose = session.view.pose;
    const input = session.input as { readonly yaw?: number; readonly pitch?: number };
    const { yaw = pose.yaw, pitch = pose.pitch } = input; // which a frame without a move has too
    own.position.copy(pose.position);
    const state = { position: own.position, eye: (session.eye as Point).y - own.position.y, velocity: pose.velocity, walking: pose.mode === WALKING };
    own.eye.copy(session.eye as Point).y = own.position.y + this.eyeHeight.advance(state, dt);
    this.playerCamera.place(camera, this.mode, own.eye, yaw, pitch, dt);
    this.players.show(this.views(), camera.position, dt);
  }

  private drawShots(dt: number): void {
    if (this.options.shots === false) return;
    const { session, camera, shots } = this;
    camera.updateMatrixWorld();
    shots.read(session.view, session.events, session.shots, this.mode === "first" ? camera : undefined);
    shots.advance(dt);
  }

  /** Returns all players to draw. */
  private views(): PlayerView[] {
    const { session, own } = this;
    const views: PlayerView[] = session.remotes.map((remote) => ({ id: remote.id, source: remote, ...characterView(remote) }));
    if (session.view.placed) views.push({ id: session.id, source: session.view, hidden: this.playerCamera.hides(this.mode), ...ownView(session.view.pose, own.position) });
    return views;
  }
}

/** Adds a canvas that fills the window. */
function fullWindow(): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.style.cssText = "position:fixed;inset:0;width:100vw;height:100dvh;display:block;outline:none";
  document.body.prepend(canvas); // what the page places over it stays visible
  return canvas;
}
