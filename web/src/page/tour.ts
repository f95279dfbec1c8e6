// The guided tour: half a minute in the arena itself that switches parts of the netcode off and on. Start at
// Tour.
import "./tour.css";
import { setText } from "@backstep/three/parts";
import { isInPanel, type Controls } from "./controls";
import { calm, element } from "./dom";
import type { GameEvent } from "./events";
import type { Match } from "./match";
import type { Netcode, Network } from "./network";
import { TourFigures } from "./tourfigures";
import { TourPilot } from "./tourpilot";
import { tourPicture } from "./tourpictures";
import { STEP_TIME, STEPS, TOUR_LAG, type TourStep } from "./toursteps";
import type { Lag } from "@backstep/client";

const MOVE_KEYS = new Set(["KeyW", "KeyA", "KeyS", "KeyD", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]);

/** The state of the tour, for tests. */
export interface TourState {
  step: number;
  steps: number;
  title: string;
  response: number;
  unevenness: number;
  judged: number;
  counted: number;
}

/** The tour of one page. */
export class Tour {
  private readonly root = element("tour");
  private readonly title = element("tour-title");
  private readonly sentence = element("tour-sentence");
  private readonly figure = element("tour-figure");
  private readonly picture = element("tour-picture");
  private readonly progress = element("tour-progress");
  private readonly count = element("tour-count");
  private readonly pilot: TourPilot;
  private steps: readonly TourStep[] = [];
  private index = -1;
  private shown = 0; // seconds of the step
  private last = 0;
  private figures = new TourFigures(0);
  private before: { lag: Readonly<Lag>; netcode: Readonly<Netcode> } | undefined;

  /** ended is called after the last step or Stop. */
  constructor(private readonly network: Network, controls: Controls, private readonly ended: () => void) {
    this.pilot = new TourPilot(controls, calm);
    element("tour-next").addEventListener("click", () => this.press(() => this.next()));
    element("tour-stop").addEventListener("click", () => this.press(() => this.stop()));
    window.addEventListener("keydown", (e) => this.key(e), { capture: true });
    for (const kind of ["keyup", "pointerdown", "wheel"]) window.addEventListener(kind, (e) => this.touch(e), { capture: true, passive: true });
    document.addEventListener("mousemove", (e) => controls.locked && this.touch(e));
    document.addEventListener("pointerlockchange", () => !controls.ready && document.hasFocus() && this.locked && this.stop());
    document.addEventListener("pointerlockchange", () => (this.locked = controls.locked));
  }

  private locked = false;

  get running(): boolean {
    return this.before !== undefined;
  }

  get state(): TourState {
    const { response, unevenness, judged, counted } = this.figures;
    return { step: this.index, steps: this.steps.length, title: this.steps[this.index]?.title ?? "", response, unevenness: unevenness ?? -1, judged, counted };
  }

  /** Begins, in a match. */
  begin(): void {
    if (this.running) return;
    this.before = { lag: this.network.lag, netcode: this.network.netcode };
    this.steps = STEPS.filter((s) => this.network.optOut || s.activity !== "shoot");
    this.progress.replaceChildren(...this.steps.map(() => document.createElement("i")));
    this.network.setLag(TOUR_LAG);
    this.root.hidden = false;
    document.body.classList.add("touring");
    this.last = performance.now();
    this.index = -1;
    this.next();
  }

  /** Ends; everything is as it was before. */
  stop(): void {
    if (this.before === undefined) return;
    const { lag, netcode } = this.before;
    this.before = undefined;
    this.index = -1;
    this.pilot.stop();
    this.network.setNetcode(netcode);
    this.network.setLag(lag);
    this.root.hidden = true;
    document.body.classList.remove("touring");
    this.ended();
  }

  private next(): void {
    const step = this.steps[++this.index];
    if (step === undefined) return this.stop();
    this.shown = 0;
    this.figures = new TourFigures(performance.now());
    this.network.setNetcode(step.netcode);
    setText(this.title, step.title);
    setText(this.sentence, step.sentence);
    setText(this.count, `${this.index + 1} of ${this.steps.length}`);
    this.picture.replaceChildren(tourPicture(step.picture));
    this.root.dataset["off"] = String(Object.values(step.netcode).includes(false));
    element("tour-next").firstElementChild!.textContent = this.index + 1 < this.steps.length ? "Next" : "Done";
    this.progress.querySelectorAll("i").forEach((mark, i) => mark.style.setProperty("--done", i < this.index ? "1" : "0"));
  }

  /** Runs one frame of the match. */
  frame(match: Match, now: number): void {
    const step = this.steps[this.index];
    if (!this.running || step === undefined) return;
    const dt = Math.max(Math.min((now - this.last) / 1000, 0.1), 0.001);
    this.last = now;
    if (this.pilot.frame(match, step.activity, now, dt)) this.figures.pressed(now);
    this.figures.frame(match, now);
    setText(this.figure, this.figures.text(step.activity));
    this.shown += dt;
    const share = calm() ? 1 : Math.min(this.shown / STEP_TIME, 1);
    (this.progress.children[this.index] as HTMLElement).style.setProperty("--done", share.toFixed(3));
    if (this.shown >= STEP_TIME) this.next();
  }

  /** Counts what the server says of the player's hits. */
  onEvent(event: GameEvent): void {
    if (this.running) this.figures.onEvent(event, performance.now());
  }

  /** A button leaves the keys to the match. */
  private press(act: () => void): void {
    act();
    if (this.running) element("view").focus();
  }

  private key(e: KeyboardEvent): void {
    if (!this.running || isInPanel(e.target)) return; // where Escape and Enter have their own meaning
    const own = e.target instanceof Element && this.root.contains(e.target);
    if (e.code === "Escape") this.stop();
    else if (e.code === "Enter" && !own && !e.repeat) this.next();
    else {
      if (MOVE_KEYS.has(e.code) && !e.repeat) this.figures.pressed(performance.now());
      return this.touch(e);
    }
    e.stopPropagation();
    if (!own) e.preventDefault();
  }

  private touch(e: Event): void {
    const own = e.target instanceof Node && this.root.contains(e.target);
    if (this.running && !own) this.pilot.input(performance.now());
  }
}
