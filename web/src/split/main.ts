// The split view: your screen, the server's truth and an opponent's screen, live, with the packets between
// them. The match runs in a worker; this page asks it for time and draws its frames.
import { animate } from "@backstep/client";
import { chooseQuality } from "@backstep/three/parts";
import { SplitControls } from "./controls.js";
import { type Frame, HURT, JUDGED, readFrame, type SplitEvent } from "./frame.js";
import { cut, Lanes, type Layout } from "./lanes.js";
import type { Answer, Controls, Network, Order } from "./orders.js";
import { COLOURS, distance, Scene } from "./scene.js";
import { sentenceOf, sentenceOfMotion } from "./words.js";

const LONGEST_FRAME = 100; // ms: a page that stood still does not catch up
const MOST_DUE = 250; // ms: nor does a worker that is too slow, whose orders would grow and grow
const SENTENCE_MS = 3500;
const LOG_FRAMES = 1200;

const element = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;

/** What a test sees of the page. */
interface TestState {
  frames: number;
  /** Match time, then x and z of you on your screen, at the server and on the opponent's screen. */
  log: number[][];
  time: number;
  packets: { sent: number; lost: number; flying: number };
  /** How often your screen learnt that you were hit, and so pushed. */
  hits: number;
  sentences: string[];
  /** Plays so many milliseconds of match time while the page is paused, and draws them as if it were that
   * time of the page: for films. */
  play(by: number, now: number): Promise<void>;
}

class Page {
  private readonly worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  private readonly scene: Scene;
  private readonly lanes = new Lanes(element<HTMLCanvasElement>("overlay"));
  private readonly controls: SplitControls;
  private layout: Layout = cut(3, 1);
  private frame: Frame | undefined;
  private pending: SplitEvent[] = [];
  private waiting = true; // for the worker
  private due = 0; // ms of match time that the worker was not asked for yet
  private last = performance.now();
  private said = -Infinity;
  private readonly late = { server: 0, opponent: 0 };
  private wasPlaying = false;
  readonly test: TestState = { frames: 0, log: [], time: 0, packets: { sent: 0, lost: 0, flying: 0 }, hits: 0, sentences: [], play: (by, now) => this.play(by, now) };

  constructor() {
    const { quality } = chooseQuality(new URLSearchParams(location.search).get("quality"));
    const ratio = Math.min(devicePixelRatio, 2);
    this.scene = new Scene(element<HTMLCanvasElement>("view"), quality.shadows, quality.name === "low" ? 1 : ratio);
    this.controls = new SplitControls(element("pane-0"), element("stick"), element("jump"), (x, y) => this.pick(x, y), () => this.togglePause());
    this.worker.addEventListener("message", (message: MessageEvent<Answer>) => this.receive(message.data));
    this.worker.addEventListener("error", () => this.fail("The match could not be started in this browser: it needs WebAssembly and module workers."));
    this.form();
    this.order({ kind: "start", network: this.network(), seed: Number(new URLSearchParams(location.search).get("seed") ?? 7) });
    new ResizeObserver(() => this.resize()).observe(element("stage"));
  }

  private order(order: Order): void {
    this.worker.postMessage(order);
  }

  private receive(answer: Answer): void {
    if (answer.kind === "failed") return this.fail(answer.reason);
    this.waiting = false;
    if (answer.kind === "ready") {
      this.scene.build(answer.solids);
      this.order({ kind: "network", network: this.network() }); // which may have changed while the match was made
      this.resize();
      element("status").hidden = true;
      animate((now) => this.tick(now));
      return;
    }
    const frame = readFrame(answer.numbers);
    this.lanes.add(frame.packets);
    this.pending.push(...frame.events);
    this.test.hits += frame.events.filter((e) => e.kind === HURT && e.player === 0).length;
    this.frame = frame;
    this.arrived?.();
  }

  private arrived: (() => void) | undefined; // for play
  private film = false;

  private async play(by: number, now: number): Promise<void> {
    if (!this.film) this.said = -Infinity;
    this.film = true;
    await new Promise<void>((resolve) => {
      this.arrived = resolve;
      this.order({ kind: "advance", by });
    });
    this.arrived = undefined;
    this.draw(this.frame!, now);
  }

  private fail(reason: string): void {
    const status = element("status");
    status.hidden = false;
    status.textContent = `${reason} Reload the page to try again.`;
  }

  private resize(): void {
    const { clientWidth, clientHeight } = element("stage");
    this.layout = cut(clientWidth, clientHeight);
    this.scene.layout(clientWidth, clientHeight, this.layout.scenes);
    this.lanes.resize(this.layout, Math.min(devicePixelRatio, 2));
    this.layout.views.forEach((box, i) => {
      Object.assign(element(`pane-${i}`).style, { left: `${box.x}px`, top: `${box.y}px`, width: `${box.width}px`, height: `${box.height}px` });
    });
  }

  /** One drawn frame: asks the worker for the next one and draws the newest. */
  private tick(now: number): void {
    if (this.film) return;
    this.due = Math.min(this.due + Math.min(now - this.last, LONGEST_FRAME) * this.speed, MOST_DUE);
    this.last = now;
    if (!this.waiting && (this.due > 0 || this.frame === undefined)) {
      this.waiting = true;
      this.order({ kind: "advance", by: this.due, you: this.steer() });
      this.due = 0;
    }
    this.takeOver();
    if (this.frame !== undefined) this.draw(this.frame, now);
  }

  /** What you do, on the level. */
  private steer(): Controls | undefined {
    const you = this.controls.read();
    if (you === undefined) return undefined;
    const [right, back] = this.scene.onLevel(you.right, you.back);
    return { ...you, right, back };
  }

  /** The first input ends the attract mode: at full speed, because a hand cannot steer in slow motion. */
  private takeOver(): void {
    const { playing } = this.controls;
    if (playing === this.wasPlaying) return;
    this.wasPlaying = playing;
    element("hint").hidden = playing;
    element("release").hidden = !playing;
    if (playing || this.speed > 0) this.speed = playing ? 1 : 0.25;
    else this.resumeAt = 0.25; // paused it stays
    element("sentence").ariaLive = playing ? "polite" : "off";
  }

  private draw(frame: Frame, now: number): void {
    while (this.pending[0] !== undefined && this.pending[0].at <= frame.time) this.happen(this.pending.shift()!, now);
    this.scene.show(frame, element<HTMLInputElement>("ghosts").checked);
    this.scene.draw(this.layout.height, this.layout.scenes);
    this.lanes.paint(this.layout, frame.time);
    this.labels(frame);
    this.figures(frame, now);
    this.record(frame);
  }

  private happen(event: SplitEvent, now: number): void {
    this.scene.shot(event);
    const sentence = sentenceOf(event);
    const own = event.kind === JUDGED && event.player === 0;
    if (sentence === "" || now - this.said < (own ? 0.15 : 0.6) * SENTENCE_MS) return;
    this.say(sentence, now);
  }

  private say(sentence: string, now: number): void {
    this.said = now;
    element("sentence").textContent = sentence;
    this.test.sentences.push(sentence);
    if (this.test.sentences.length > 100) this.test.sentences.shift();
  }

  /** The point of the level under a place of your pane, CSS pixels from its top left corner. */
  private pick(x: number, y: number): [number, number, number] {
    const [{ x: left, y: top }, box] = [this.layout.views[0], this.layout.scenes[0]];
    return this.scene.pick(0, (2 * (x + left - box.x)) / box.width - 1, 1 - (2 * (y + top - box.y)) / box.height);
  }

  private labels(frame: Frame): void {
    const ghosts = element<HTMLInputElement>("ghosts").checked;
    const truth = frame.views[1]!;
    this.layout.scenes.forEach((box, view) => {
      const [you, opponent] = frame.views[view]!;
      const over = [this.scene.above(view, you, box, 2.55), this.scene.above(view, opponent, box, 2.95)] as const;
      const upper = over[0].y < over[1].y ? 0 : 1;
      const [high, low] = [over[upper], over[upper === 0 ? 1 : 0]];
      if (Math.abs(high.x - low.x) < 66) high.y = Math.min(high.y, low.y - 22);
      if (you.present) this.lanes.label("You", over[0], box, COLOURS[0]);
      if (opponent.present) this.lanes.label("Opponent", over[1], box, COLOURS[1]);
      const player = view === 0 ? 0 : 1;
      if (view === 1 || !ghosts || distance(frame.views[view]![player], truth[player]) < 0.9) return;
      this.lanes.label("on the server", this.scene.above(view, truth[player], box, -0.35), box, "#e8eef6");
    });
    for (const mark of this.scene.marks.slice(-1)) {
      const box = this.layout.scenes[mark.view]!;
      this.lanes.label(mark.text, this.scene.above(mark.view, mark, box, -0.4), box, "#e8eef6");
    }
  }

  /** The figures under the titles, smoothed so that they can be read. */
  private figures(frame: Frame, now: number): void {
    if (this.late.server === 0) Object.assign(this.late, { server: frame.serverBehind, opponent: frame.opponentBehind });
    this.late.server += 0.06 * (frame.serverBehind - this.late.server);
    this.late.opponent += 0.06 * (frame.opponentBehind - this.late.opponent);
    if (this.test.frames % 12 === 0) {
      element("late-1").textContent = `${Math.round(this.late.server)} ms behind your screen`;
      element("late-2").textContent = `shows you ${Math.round(this.late.opponent)} ms late`;
    }
    if (now - this.said > SENTENCE_MS && this.test.frames > 20) this.say(sentenceOfMotion(this.late), now);
  }

  private record(frame: Frame): void {
    const { test } = this;
    test.frames++;
    test.time = frame.time;
    test.packets = { ...this.lanes.totals, flying: this.lanes.packets.length };
    test.log.push([frame.time, ...frame.views.flatMap(([you]) => [you.x, you.z])]);
    if (test.log.length > LOG_FRAMES) test.log.shift();
  }

  private get speed(): number {
    return Number(element<HTMLFormElement>("controls").querySelector<HTMLInputElement>("[name=speed]:checked")?.value ?? 1);
  }

  private set speed(value: number) {
    const radio = document.querySelector<HTMLInputElement>(`[name=speed][value="${value}"]`);
    if (radio !== null) radio.checked = true;
  }

  private resumeAt = 0.25;

  private togglePause(): void {
    if (this.speed > 0) this.resumeAt = this.speed;
    this.speed = this.speed > 0 ? 0 : this.resumeAt;
  }

  private network(): Network {
    const delay = Number(element<HTMLInputElement>("delay").value);
    return { delay, jitter: Math.min(10, 0.1 * delay), loss: Number(element<HTMLInputElement>("loss").value) / 100 };
  }

  private form(): void {
    const show = (): void => {
      element("delay-text").textContent = `${element<HTMLInputElement>("delay").value} ms`;
      element("loss-text").textContent = `${element<HTMLInputElement>("loss").value} %`;
    };
    show();
    for (const id of ["delay", "loss"]) {
      element(id).addEventListener("input", () => {
        show();
        this.order({ kind: "network", network: this.network() });
      });
    }
    element("release").addEventListener("click", () => this.controls.release());
    element("controls").addEventListener("submit", (e) => e.preventDefault());
  }
}

declare global {
  interface Window {
    split?: TestState;
  }
}

window.split = new Page().test;
