// Browsers: which there is, how it is started, and one player's page in it.
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

/** The size of the page in every test, CSS pixels. */
export const SIZE = { width: 640, height: 480 };

/** Returns the path of a Chromium or Chrome, undefined where there is none. */
export function findBrowser() {
  return CANDIDATES.find((path) => path && existsSync(path));
}

/** Starts a browser process of its own: a page that is hidden behind another
 * gets no frames. */
export async function openPlayer(executablePath, name) {
  const browser = await chromium.launch({ executablePath, headless: true, args: FLAGS, timeout: 30_000 });
  const page = await browser.newPage({ viewport: SIZE });
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  return new Player(name, browser, page, errors);
}

/** One player's page. */
export class Player {
  constructor(name, browser, page, errors) {
    Object.assign(this, { name, browser, page, errors });
  }

  /** Opens the game's page and joins. */
  async join(url, transport) {
    await this.page.goto(`${url}/?quality=low&transport=${transport}`, { timeout: 30_000 });
    await this.page.waitForFunction(() => window.backstep !== undefined, undefined, { timeout: 15_000 });
    await this.page.evaluate((name) => window.backstep.play(name), this.name);
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

  /** The text of an element that is shown; empty where it is not. */
  text(selector) {
    return this.page.evaluate((selector) => document.querySelector(selector)?.innerText ?? "", selector);
  }

  /** Keeps a screenshot and returns how much its pixels differ: the standard
   * deviation of their brightness, 0 to 255. */
  async picture(file) {
    const png = await this.page.screenshot({ path: join(ARTEFACTS, file), timeout: 30_000 });
    return this.page.evaluate(spread, `data:image/png;base64,${png.toString("base64")}`);
  }
}

/** Runs in the page. */
async function spread(url) {
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height);
  const paint = canvas.getContext("2d");
  paint.drawImage(image, 0, 0);
  const { data } = paint.getImageData(0, 0, image.width, image.height);
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
