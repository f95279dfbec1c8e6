// Synthesised sounds; no files. Start at Sound.
import type { PerspectiveCamera } from "three";
import type { Vec3 } from "../core";
import type { Ground } from "./footsteps";
import type { WeaponModel } from "./weaponmodels";

/** From where a sound is heard. */
export interface Heard {
  /** Metres. */
  distance: number;
  /** −1 left to 1 right. */
  pan: number;
}

/** The player's own sounds. */
export const OWN: Heard = { distance: 0, pan: 0 };

/** Returns from where a camera hears a sound at a place. Near ones are in the middle: one's own feet are on no side. */
export function heardBy(camera: PerspectiveCamera, { x, y, z }: Vec3): Heard {
  const [dx, dy, dz] = [x - camera.position.x, y - camera.position.y, z - camera.position.z];
  const distance = Math.hypot(dx, dy, dz);
  const right = camera.matrixWorld.elements;
  const side = (dx * right[0]! + dy * right[1]! + dz * right[2]!) / Math.max(distance, 1);
  return { distance, pan: 0.9 * Math.min(Math.max(side, -1), 1) };
}

/** The sounds of a match; silent until start, which browsers allow only after a click, and some only
 * while they handle one. */
export class Sound {
  private context: AudioContext | undefined;
  private noise: AudioBuffer | undefined;
  private out: GainNode | undefined;
  private muted = false;
  private loudness = 0.5;
  private pan = 0; // of the sound that is being played

  start(): void {
    if (this.context !== undefined) return;
    const context = new AudioContext();
    this.context = context;
    const resume = (): void => void (context.state !== "running" && context.resume()); // on iOS also "interrupted", as by a call
    for (const event of ["pointerdown", "keydown", "touchend"]) window.addEventListener(event, resume, { capture: true });
    this.out = context.createGain();
    this.setGain();
    this.out.connect(context.destination);
    this.noise = context.createBuffer(1, context.sampleRate / 2, context.sampleRate);
    const samples = this.noise.getChannelData(0);
    for (let i = 0; i < samples.length; i++) samples[i] = Math.random() * 2 - 1;
  }

  /** Mutes or unmutes; returns whether sound is on. */
  toggle(): boolean {
    this.muted = !this.muted;
    this.setGain();
    return !this.muted;
  }

  /** Sets the volume, 0 to 1. */
  set volume(share: number) {
    this.loudness = share;
    this.setGain();
  }

  /** The context while its clock runs: what is played before would all be heard at once when it does. */
  private get running(): AudioContext | undefined {
    return this.context?.state === "running" ? this.context : undefined;
  }

  private setGain(): void {
    if (this.out !== undefined) this.out.gain.value = this.muted ? 0 : this.loudness;
  }

  /** Plays a shot. */
  shot(model: WeaponModel, { distance, pan }: Heard): void {
    this.pan = pan;
    const loud = 0.5 / (1 + distance / 9);
    if (loud < 0.02) return;
    const dull = 1 + distance / 40;
    switch (model) {
      case "shotgun":
        this.hiss(loud * 1.5, 0.26, 1900 / dull, 220);
        this.tone(loud, 0.16, 110, 38);
        return;
      case "rocket":
        this.hiss(loud * 0.9, 0.55, 900 / dull, 3200 / dull);
        this.tone(loud * 0.8, 0.2, 90, 50);
        return;
      case "grenade":
        this.hiss(loud * 0.35, 0.12, 1400 / dull, 500);
        this.tone(loud * 0.3, 0.05, 420, 300);
        return;
      case "sword":
        this.hiss(loud * 0.6, 0.22, 1200 / dull, 5200 / dull);
        return;
      default:
        this.hiss(loud, 0.16, 2600 / dull, 500);
        this.tone(loud * 0.7, 0.1, 150, 45);
    }
  }

  /** Plays an explosion, audible from farther away. */
  explosion({ distance, pan }: Heard): void {
    this.pan = pan;
    const loud = 0.9 / (1 + distance / 16);
    if (loud < 0.02) return;
    this.hiss(loud, 0.75, 1500 / (1 + distance / 30), 60);
    this.tone(loud, 0.5, 85, 24);
  }

  /** Plays a step. The player's own are quieter than those of others, which tell where they are. */
  step(ground: Ground, { distance, pan }: Heard): void {
    this.pan = pan;
    const loud = (distance === 0 ? 0.06 : 0.22) / (1 + distance / 5);
    if (loud < 0.012) return;
    if (ground === "water") return this.hiss(loud * 1.4, 0.2, 900, 2400);
    this.hiss(loud, 0.07, ground === "metal" ? 3200 : 700, ground === "metal" ? 1500 : 180);
    if (ground === "metal") this.tone(loud * 0.5, 0.12, 610, 540);
  }

  /** Plays a weapon change. */
  draw(): void {
    this.pan = 0;
    this.hiss(0.1, 0.06, 1800, 3800);
  }

  /** Plays a shot stopped by a shield. */
  clang(): void {
    this.pan = 0;
    this.tone(0.22, 0.18, 2300, 1500);
    this.hiss(0.14, 0.06, 5200, 2400);
  }

  /** Plays a refused hit. */
  refused(): void {
    this.pan = 0;
    this.tone(0.2, 0.14, 320, 180);
  }

  /** Plays a hit; higher for the head. */
  hit(head: boolean): void {
    this.pan = 0;
    this.tone(0.25, 0.07, head ? 1900 : 1250, head ? 1700 : 900);
  }

  /** Plays the player's kill: two rising tones. */
  kill(): void {
    this.pan = 0;
    this.tone(0.26, 0.12, 660, 660);
    this.tone(0.26, 0.3, 990, 990, 0.09);
  }

  hurt(): void {
    this.pan = 0;
    this.hiss(0.35, 0.14, 700, 150);
    this.tone(0.3, 0.16, 130, 60);
  }

  reload(): void {
    this.pan = 0;
    this.hiss(0.12, 0.05, 4200, 1800);
  }

  private hiss(loud: number, time: number, from: number, to: number): void {
    const { running: context, noise, out } = this;
    if (context === undefined || noise === undefined || out === undefined) return;
    const source = context.createBufferSource();
    const filter = context.createBiquadFilter();
    source.buffer = noise;
    filter.frequency.setValueAtTime(from, context.currentTime);
    filter.frequency.exponentialRampToValueAtTime(to, context.currentTime + time);
    source.connect(filter).connect(this.fading(context, loud, context.currentTime, time, out));
    source.start(context.currentTime, Math.random() * 0.2, time);
  }

  /** Plays a tone that slides between two frequencies, after a delay; seconds and hertz. */
  private tone(loud: number, time: number, from: number, to: number, delay = 0): void {
    const { running: context, out } = this;
    if (context === undefined || out === undefined) return;
    const begin = context.currentTime + delay;
    const source = context.createOscillator();
    source.type = "triangle";
    source.frequency.setValueAtTime(from, begin);
    source.frequency.exponentialRampToValueAtTime(to, begin + time);
    source.connect(this.fading(context, loud, begin, time, out));
    source.start(begin);
    source.stop(begin + time);
  }

  /** Returns what fades a sound out, on its side. */
  private fading(context: AudioContext, loud: number, begin: number, time: number, out: AudioNode): GainNode {
    const gain = context.createGain();
    const side = context.createStereoPanner();
    side.pan.value = this.pan;
    gain.connect(side).connect(out);
    gain.gain.setValueAtTime(loud, begin);
    gain.gain.exponentialRampToValueAtTime(0.001, begin + time);
    return gain;
  }
}
