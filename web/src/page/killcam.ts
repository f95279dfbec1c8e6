// The killcam: for two seconds after a death the killer's screen at the shot, then the player's own when
// the server judged it, and a sentence that says why the shot counted. Start at Killcam and killcamText.
import { Color, type PerspectiveCamera, Vector3 } from "three";
import type { Block, Roots, Screen, ShownKillcam } from "../core";
import { calm, element } from "./dom";
import { Lines, setText } from "@backstep/three/parts";

/** How long each screen is shown, how long of it moves before the still of the shot, and for how long a key is still
 * one of the fight; milliseconds. */
const SCREEN_TIME = 1000;
const MOTION = 650;
const DEAF = 400;
/** The longest time that one frame moves it on, so that slow screens see both. */
const LONGEST_FRAME = 250;
const SHOT = new Color(0xffb454);
/** Metres between what the killer saw and the player from which on the sentence says so. */
const APART = 0.1;

type Figures = Pick<ShownKillcam, "age" | "hidden" | "apart" | "direct">;

/** Returns why a lethal shot counted, in one sentence with the server's figures. */
export function killcamText({ age, hidden, apart, direct }: Figures, killer: string, weapon: string): string {
  const ago = `${Math.round(age * 1000)} ms in the past`;
  const away = `${metres(apart)} from where you were`;
  if (!direct) return `The blast of the ${weapon} counted where ${killer} saw you, ${ago} and ${away}.`;
  if (hidden > 0) return `You had been behind cover for ${Math.round(hidden * 1000)} ms; the shot counted because ${killer} saw you ${ago}, still in the open.`;
  if (apart < APART) return `You were in the open, and ${killer} saw you within ${metres(apart)} of where you were.`;
  return `You were in the open: ${killer} saw you ${ago}, ${away}, and a shot counts where its shooter sees it hit.`;
}

function metres(distance: number): string {
  return distance < 1 ? `${Math.ceil(distance * 100)} cm` : `${distance.toFixed(1)} m`;
}

/** Returns what is shown so many milliseconds after the beginning: a screen, and how long before the shot, seconds;
 * no screen after the end. */
export function killcamScreen(shown: number, still: boolean): { screen: Screen; before: number } {
  if (shown >= 2 * SCREEN_TIME) return { screen: "", before: 0 };
  const before = still ? 0 : Math.max(0, MOTION - (shown % SCREEN_TIME)) / 1000;
  return { screen: shown < SCREEN_TIME ? "killer" : "own", before };
}

/** Shows deaths one after the other. */
export class Killcam {
  private readonly lines = new Lines(1);
  /** What it adds to the scene. */
  readonly mesh = this.lines.mesh;
  private readonly from = new Vector3();
  private readonly root = element("killcam");
  private readonly title = element("killcam-screen");
  private readonly why = element("killcam-why");
  private readonly deathWhy = element("death-why");
  private shownFor = 0; // milliseconds
  private last = 0;
  private running = false;
  private seen = false; // this death has begun
  private padPressed = true;
  private screen: Screen = "";
  private before = 0;

  /** arena is the core's block, name returns the name of a player and weapon that of one by its index. */
  constructor(private readonly arena: () => Block, private readonly name: (id: number) => string, private readonly weapon: (index: number) => string) {
    window.addEventListener("keydown", this.onKey, { capture: true });
    window.addEventListener("pointerdown", this.onKey, { capture: true });
  }

  /** Whether the page shows it instead of the match. */
  get shown(): boolean {
    return this.screen !== "" && this.arena().killcam.killer !== 0; // the respawn may have come in this frame
  }

  /** The screen that is shown, how long before the shot, seconds, and the sentence. */
  get state(): { screen: Screen; before: number; sentence: string } {
    return { screen: this.shown ? this.screen : "", before: this.before, sentence: this.why.textContent };
  }

  /** Begins with a death that a frame of the core brought, and ends with the respawn; show is whether to show
   * more than the sentence. */
  look(now: number, show: boolean): void {
    const { killer } = this.arena().killcam;
    if (killer !== 0 && !this.seen) this.begin(now, show);
    else if (killer === 0 && this.seen) this.clear();
  }

  /** Writes what the core is to show in the next frame. */
  write(controls: Roots["controls"], now: number): void {
    this.pollGamepads();
    this.shownFor += Math.min(now - this.last, LONGEST_FRAME);
    this.last = now;
    const { screen, before } = this.running ? killcamScreen(this.shownFor, calm()) : { screen: "" as const, before: 0 };
    controls.killcam.screen = screen;
    controls.killcam.before = before;
    this.before = before;
    if (screen !== this.screen) this.change(screen);
  }

  /** Places the camera. */
  follow(camera: PerspectiveCamera): void {
    const { eye, yaw, pitch } = this.arena().killcam;
    camera.position.set(eye.x, eye.y, eye.z);
    camera.rotation.set(pitch, yaw, 0);
    this.drawShot(camera);
  }

  private begin(now: number, show: boolean): void {
    const { killcam } = this.arena();
    this.seen = true;
    this.running = show;
    document.body.classList.toggle("killcam", show); // from this frame on, so that no death note flashes
    this.last = now;
    this.shownFor = 0;
    this.padPressed = true;
    const text = killcamText(killcam, this.name(killcam.killer), this.weapon(killcam.weapon));
    setText(this.why, text);
    setText(this.deathWhy, text);
  }

  private change(screen: Screen): void {
    this.screen = screen;
    this.running = screen !== "";
    this.root.hidden = screen === "";
    this.mesh.visible = screen === "killer";
    document.body.classList.toggle("killcam", screen !== "");
    setText(this.title, screen === "killer" ? `What ${this.name(this.arena().killcam.killer)} saw at the shot` : "Your screen when it was judged");
  }

  /** Draws the shot in the killer's screen, and nothing else. */
  private drawShot(camera: PerspectiveCamera): void {
    const { lines, from } = this;
    lines.clear();
    if (this.screen === "killer" && this.before === 0) {
      camera.updateMatrixWorld();
      camera.localToWorld(from.set(0.2, -0.22, -0.7));
      const { x, y, z } = this.arena().killcam.point;
      lines.line(from.x, from.y, from.z, x, y, z, SHOT);
    }
    lines.show();
  }

  /** Ends it in a new life. */
  private clear(): void {
    this.seen = this.running = false;
    document.body.classList.remove("killcam");
    setText(this.deathWhy, "");
  }

  private readonly onKey = (e: Event): void => {
    if (this.shownFor > DEAF && !(e instanceof KeyboardEvent && e.repeat)) this.running = false;
  };

  private pollGamepads(): void {
    if (!this.running) return;
    const pressed = (navigator.getGamepads?.() ?? []).some((pad) => pad?.buttons.some((button) => button.pressed) === true);
    if (pressed && !this.padPressed) this.running = false;
    this.padPressed = pressed;
  }

  dispose(): void {
    window.removeEventListener("keydown", this.onKey, { capture: true });
    window.removeEventListener("pointerdown", this.onKey, { capture: true });
    if (this.screen !== "") this.change("");
    this.clear();
  }
}
