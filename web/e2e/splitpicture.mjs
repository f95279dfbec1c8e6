// Films the split view for the README: docs/split.webp, from the real page, frame by frame in match time, so
// that it is smooth on any machine. Run it with `make picture`.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { findBrowser } from "./browser.mjs";
import { ROOT } from "./server.mjs";
import { openSplit } from "./split.mjs";

const FILE = join(ROOT, "docs/split.webp");
const MAX_BYTES = 2_000_000;
const SIZE = { width: 1120, height: 610 };
const WIDTH = 960; // of the picture
const FRAME_MS = 66;
const FRAMES = 180;
const SPEED = 0.25;
const HIDDEN = "#controls, #legend, #hint { display: none !important; } body { padding-bottom: 0.9rem !important; }";

/** Plays and photographs the frames. */
async function film(page) {
  await page.addStyleTag({ content: HIDDEN });
  await page.evaluate(() => document.querySelector('[name=speed][value="0"]').click());
  const frames = [];
  for (let i = 0; i < FRAMES; i++) {
    // Packets are drawn by time, so four short steps lead to one frame.
    for (let part = 1; part <= 4; part++) {
      await page.evaluate(([by, now]) => window.split.play(by, now), [(FRAME_MS * SPEED) / 4, FRAME_MS * (i + part / 4)]);
    }
    const png = await page.screenshot({ timeout: 60_000 });
    frames.push(await sharp(png).resize(WIDTH).removeAlpha().png({ compressionLevel: 1 }).toBuffer());
    if (i % 20 === 0) console.log(`picture: frame ${i} of ${FRAMES}`);
  }
  return frames;
}

/** Encodes the frames, worse until they are small enough. */
async function encode(frames) {
  for (const quality of [80, 70, 60, 50, 40, 30]) {
    const bytes = await sharp(frames, { join: { animated: true } }).webp({ quality, effort: 4, delay: frames.map(() => FRAME_MS), loop: 0, minSize: true }).toBuffer();
    console.log(`picture: quality ${quality}: ${(bytes.length / 1000).toFixed(0)} kB`);
    if (bytes.length <= MAX_BYTES) return bytes;
  }
  throw new Error("picture: larger than 2 MB at every quality: film fewer frames");
}

const cleanups = new Set();
try {
  const player = await openSplit(findBrowser(), cleanups, { viewport: SIZE }, `quality=high&seed=${process.env.SEED ?? 7}`);
  const bytes = await encode(await film(player.page));
  mkdirSync(join(ROOT, "docs"), { recursive: true });
  writeFileSync(FILE, bytes);
  console.log(`docs/split.webp: ${(bytes.length / 1000).toFixed(0)} kB, ${FRAMES} frames of ${FRAME_MS} ms`);
} finally {
  for (const close of cleanups) await close();
}
