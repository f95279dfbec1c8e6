// Finds and starts a browser, and drives one player's page.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { ARTEFACTS } from "./server.mjs";

const CANDIDATES = [
  process.env.CHROMIUM,
  process.env.CHROME,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

const FLAGS = [
  "--headless=new",
  "--no-sandbox",
  "--enable-unsafe-swiftshader",
  "--disable-background-networking",
  "--disable-component-update",
  "--mute-audio",
  "--no-first-run",
];

/** Default size of the page, CSS pixels. */
export const SIZE = { width: 640, height: 480 };

/** Returns the path of a Chromium or Chrome, undefined if there is none. */
export function findBrowser() {
  return CANDIDATES.find((path) => path && existsSync(path));
}

/** Starts a separate browser process, because a page hidden behind another gets no
 * animation frames. The page draws every nth frame: at every one, rendering in software
 * takes two cores for itself. options are those of the browser's page, such as a phone's. */
export async function openPlayer(executablePath, name, nth = 4, options = {}) {
  const browser = await chromium.launch({ executablePath, headless: true, args: FLAGS, timeout: 60_000 });
  const page = await browser.newPage({ viewport: SIZE, ...options });
  await page.addInitScript(drawEvery, nth);
  await page.addInitScript(keepCorrections);
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  return new Player(name, browser, page, errors);
}

/** Runs in the page, before its own scripts. */
function drawEvery(nth) {
  const request = window.requestAnimationFrame.bind(window);
  const after = (frames, callback) => request(frames > 1 ? () => after(frames - 1, callback) : callback);
  window.requestAnimationFrame = (callback) => after(nth, callback);
}

/** Runs in the page, before its own scripts: keeps what a game that shows its session as window.session
 * was corrected by, for a check that fails. */
function keepCorrections() {
  const NEAR = 2.5; // m: so near, another player or a bot blocks the way, and where it will be is not known
  // The corrections that must not be. While a page stands still for longer than its server waits (a machine
  // that is too busy), the server goes on without it (a timeout), and what it then predicts is of another past.
  window.mispredictions = () => {
    const { corrections, timeouts } = window.session.stats.moves;
    return timeouts > 0 ? 0 : corrections - bumps;
  };
  const kept = (window.keptCorrections = []);
  let bumps = 0;
  let last;
  const look = () => {
    const { session } = window;
    const list = session?.corrections ?? [];
    const text = list.length === 0 ? "" : JSON.stringify({ at: session.view.now, corrections: [...list] });
    if (text !== "" && text !== last) {
      const { x, z } = session.position;
      const nearest = Math.min(...session.remotes.map((r) => Math.hypot(r.position.x - x, r.position.z - z)));
      if (nearest < NEAR) bumps += list.filter((c) => c.cause === "misprediction").length;
      kept.push(`${text}, the nearest other ${nearest.toFixed(1)} m away`);
    }
    last = text;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** One player's page. */
export class Player {
  constructor(name, browser, page, errors) {
    Object.assign(this, { name, browser, page, errors });
  }

  /** Opens the page and joins. */
  async join(url, transport) {
    await this.page.goto(`${url}/?quality=low&transport=${transport}`, { timeout: 60_000 });
    await this.page.waitForFunction(() => window.backstep !== undefined, undefined, { timeout: 15_000 });
    await this.page.evaluate((name) => window.backstep.play(name), this.name);
  }

  /** Prints what the page's session was corrected by, if it was. */
  async printCorrections() {
    for (const text of await this.page.evaluate(() => window.keptCorrections)) console.log(`  ${this.name}: corrected: ${text}`);
  }

  self() {
    return this.page.evaluate(() => window.backstep.self());
  }

  link() {
    return this.page.evaluate(() => window.backstep.link());
  }

  remotes() {
    return this.page.evaluate(() => window.backstep.remotes());
  }

  events(kind) {
    return this.page.evaluate((kind) => window.backstep.events().filter((e) => e.kind === kind), kind);
  }

  /** Calls a method of window.backstep. */
  call(method, ...args) {
    return this.page.evaluate(([method, args]) => window.backstep[method](...args), [method, args]);
  }

  /** Returns the visible text of an element; empty if there is none. */
  text(selector) {
    return this.page.evaluate((selector) => document.querySelector(selector)?.innerText ?? "", selector);
  }

  /** Saves a screenshot and returns the standard deviation of its brightness, 0 to
   * 255. */
  async screenshot(file) {
    const png = await this.page.screenshot({ path: join(ARTEFACTS, file), timeout: 60_000 });
    return this.page.evaluate(brightnessDeviation, `data:image/png;base64,${png.toString("base64")}`);
  }
}

/** Runs in the page. */
async function brightnessDeviation(url) {
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  let sum = 0;
  let squares = 0;
  for (let i = 0; i < data.length; i += 4) {
    const v = 0.3 * data[i] + 0.59 * data[i + 1] + 0.11 * data[i + 2];
    sum += v;
    squares += v * v;
  }
  const n = data.length / 4;
  return Math.sqrt(squares / n - (sum / n) ** 2);
}
