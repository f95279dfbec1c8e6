// Graphics quality, and when to lower it. Start at chooseQuality.

/** A level of graphics quality. */
export interface Quality {
  name: "low" | "medium" | "high";
  /** Drawn pixels per CSS pixel, along each axis. */
  readonly pixelRatio: number;
  shadows: boolean;
  antialias: boolean;
  /** Whether the level's light is computed once, at loading. */
  baked: boolean;
}

const LOW: Quality = { name: "low", pixelRatio: 0.6, shadows: false, antialias: false, baked: true };
const MEDIUM: Quality = { name: "medium", pixelRatio: 1, shadows: false, antialias: true, baked: false };

function high(): Quality {
  return { name: "high", get pixelRatio() { return Math.min(window.devicePixelRatio, 2); }, shadows: true, antialias: true, baked: false };
}

/** Returns the initial quality and whether it may be lowered: ?quality=low or high is fixed,
 * anything else is automatic. Automatic starts low with a software renderer. */
export function chooseQuality(text: string | null): { quality: Quality; auto: boolean } {
  if (text === "low") return { quality: LOW, auto: false };
  if (text === "high") return { quality: high(), auto: false };
  return { quality: softwareGraphics() ? LOW : high(), auto: true };
}

function softwareGraphics(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  if (gl === null) return true;
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  const name = info === null ? "" : String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL));
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

const SLOW_MS = 2500;
const MIN_FPS = 45;

/** Measures the frame rate and lowers the quality if it stays too low. */
export class FrameRateMonitor {
  /** Frames per second over the last half second. */
  fps = 0;
  private frames = 0;
  private since = performance.now();
  private slowSince = 0;

  constructor(private quality: Quality, private readonly auto: boolean) {}

  /** Counts one frame; returns a lower quality to switch to, if any. */
  count(now: number): Quality | undefined {
    this.frames++;
    if (now - this.since < 500) return undefined;
    this.fps = (this.frames * 1000) / (now - this.since);
    this.frames = 0;
    this.since = now;
    return this.auto ? this.lowerQuality(now) : undefined;
  }

  private lowerQuality(now: number): Quality | undefined {
    if (this.fps >= MIN_FPS || this.quality.name === "low") {
      this.slowSince = 0;
      return undefined;
    }
    this.slowSince ||= now;
    if (now - this.slowSince < SLOW_MS) return undefined;
    this.slowSince = 0;
    this.quality = this.quality.name === "high" ? MEDIUM : LOW;
    return this.quality;
  }
}
