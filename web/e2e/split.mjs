// The split view: its static bundle on a plain file server, without the Go server.
import { execFileSync } from "node:child_process";
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join, normalize } from "node:path";
import { openPlayer } from "./browser.mjs";
import { ROOT } from "./server.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const FOLDER = join(ROOT, "build/split");
const SIZES = [[1280, 720], [1920, 1080], [390, 844], [844, 390]];
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };

/** Serves a folder as any static host does; resolves to its address and how to stop it. */
export async function serveFolder(folder) {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://x").pathname));
    const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
    if (!file.startsWith(folder) || !existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, stop: () => new Promise((resolve) => server.close(resolve)) };
}

/** Builds the bundle and opens its page. */
export async function openSplit(browser, cleanups, options = {}, query = "quality=low") {
  if (!existsSync(join(FOLDER, "index.html"))) execFileSync("make", ["split"], { cwd: ROOT, stdio: "inherit" });
  const server = await serveFolder(FOLDER);
  cleanups.add(server.stop);
  const player = await openPlayer(browser, "visitor", 1, options);
  cleanups.add(() => player.browser.close());
  await player.page.goto(`${server.url}/?${query}`, { timeout: 60_000 });
  await player.page.waitForFunction(() => window.split?.frames > 3, undefined, { timeout: 60_000 });
  return player;
}

export async function testSplit(checks, browser, cleanups) {
  console.log("\nSplit view: a static bundle, three views of one match");
  const player = await openSplit(browser, cleanups, { viewport: { width: 1280, height: 720 } });
  await testOrder(checks, player.page);
  await testSpeeds(checks, player.page);
  await testLoss(checks, player.page);
  await testKeyboard(checks, player.page);
  await pictures(checks, player);
  checks.ok(player.errors.length === 0, "no errors on the console", player.errors.join(" | "));
  await testPhone(checks, browser, cleanups);
}

const state = (page) => page.evaluate(() => ({ ...window.split, log: [], sentences: [...window.split.sentences] }));
const set = (page, id, value) => page.evaluate(([id, value]) => {
  const input = document.getElementById(id);
  input.value = value;
  input.dispatchEvent(new Event("input", { bubbles: true }));
}, [id, value]);

/** Match time until each view shows that you have moved 10 cm, ms; in slow motion, and between two drawn frames in proportion, as few are drawn on a busy machine. */
async function onsets(page, key) {
  await page.evaluate(() => (window.split.log.length = 0));
  await page.keyboard.down(key);
  const result = await page.waitForFunction(() => {
    const { log } = window.split;
    const times = [0, 1, 2].map((view) => {
      const moved = (row) => Math.hypot(row[1 + 2 * view] - log[0][1 + 2 * view], row[2 + 2 * view] - log[0][2 + 2 * view]);
      const after = log.findIndex((row) => moved(row) > 0.1);
      if (after < 1) return undefined;
      const [a, b] = [log[after - 1], log[after]];
      return a[0] + (b[0] - a[0]) * (0.1 - moved(a)) / (moved(b) - moved(a));
    });
    return times.every((t) => t !== undefined) || log.at(-1)?.[0] - log[0]?.[0] > 1500 ? times.map((t) => t - log[0][0]) : undefined;
  }, undefined, { timeout: 60_000 });
  await page.keyboard.up(key);
  return result.jsonValue();
}

/** Waits until you rest in all three views for 0.3 s of the match, which runs late on a busy machine. */
async function atRest(page) {
  await page.evaluate(() => (window.split.log.length = 0));
  await page.waitForFunction(() => {
    const { log } = window.split;
    const last = log.at(-1);
    return last && last[0] - log[0][0] > 300 && log.filter((row) => last[0] - row[0] < 300).every((row) => row.slice(1, 7).every((x, i) => Math.abs(x - last[i + 1]) < 0.005));
  }, undefined, { timeout: 90_000 });
}

async function testOrder(checks, page) {
  const moves = await checks.until("a bot moves at once, in all three views", 20_000, () => page.evaluate(() => {
    const { log } = window.split;
    return [0, 1, 2].every((view) => Math.hypot(log.at(-1)[1 + 2 * view] - log[0][1 + 2 * view], log.at(-1)[2 + 2 * view] - log[0][2 + 2 * view]) > 0.5);
  }));
  if (!moves) return;
  await set(page, "loss", "0");
  await set(page, "delay", "200");
  await page.keyboard.press("w"); // take over
  await atRest(page);
  await pick(page, "0.25");
  let you, server, opponent;
  for (const key of ["d", "a", "d", "a", "d", "a"]) { // again at a wall, and where a hit pushed you: the server moved you first
    const hits = await page.evaluate(() => window.split.hits);
    [you, server, opponent] = await onsets(page, key);
    const until = await page.evaluate(() => window.split.time + 500);
    await page.waitForFunction((until) => window.split.time > until, until, { timeout: 60_000 });
    if (server > you && opponent && await page.evaluate(() => window.split.hits) === hits) break;
    await atRest(page);
  }
  console.log(`  measured: delay 200 ms: moved after ${you.toFixed(0)} ms, on the server ${server.toFixed(0)} ms, at the opponent ${opponent.toFixed(0)} ms`);
  checks.ok(server - you > 180 && server - you < 330, "the server moves you a delay after your screen", `${(server - you).toFixed(0)} ms of match time`);
  checks.ok(opponent - server > 180 && opponent - server < 400, "the opponent's screen moves you after the server", `${(opponent - server).toFixed(0)} ms`);
  await set(page, "delay", "100");
  await pick(page, "1");
}

const pick = (page, value) => page.evaluate((value) => document.querySelector(`[name=speed][value="${value}"]`).click(), value);

/** Match time that passes in a second of real time, ms. */
async function pace(page) {
  const from = await page.evaluate(() => [performance.now(), window.split.time]);
  await page.waitForTimeout(2000);
  const to = await page.evaluate(() => [performance.now(), window.split.time]);
  return (1000 * (to[1] - from[1])) / (to[0] - from[0]);
}

async function testSpeeds(checks, page) {
  await page.evaluate(() => document.getElementById("release").click());
  const paces = {};
  for (const value of ["1", "0.25", "0.0625", "0"]) {
    await pick(page, value);
    await page.waitForTimeout(300);
    paces[value] = await pace(page);
  }
  console.log(`  measured: match time a second at 1, 1/4, 1/16 and pause: ${["1", "0.25", "0.0625", "0"].map((v) => paces[v].toFixed(0)).join(", ")} ms`);
  checks.ok(paces["0"] === 0, "pause stops", `${paces["0"]} ms a second`);
  checks.ok(paces["0.25"] < 0.4 * paces["1"] && paces["0.25"] > 0.1 * paces["1"], "1/4 is slower");
  checks.ok(paces["0.0625"] < 0.4 * paces["0.25"] && paces["0.0625"] > 0, "1/16 is slower still");
  await page.keyboard.press("p");
  await checks.until("P goes on", 20_000, async () => (await pace(page)) > 0);
  const botPlays = (yes) => page.waitForFunction((yes) => document.getElementById("hint").hidden !== yes, yes, { timeout: 20_000 });
  await page.keyboard.press("w");
  await botPlays(false);
  await page.keyboard.press("p");
  await page.evaluate(() => document.getElementById("release").click()); // as after 30 s without input
  await botPlays(true);
  await checks.until("a visitor's pause outlasts its turn", 20_000, async () => (await pace(page)) === 0);
  await pick(page, "1");
  const longest = await page.evaluate(longestOrder);
  checks.ok(longest > 0 && longest <= 250, "a worker that is slow does not get ever larger orders", `${longest.toFixed(0)} ms`);
}

/** Runs in the page: delays what the worker is asked for; returns the most match time that it was asked for at once, ms. */
async function longestOrder() {
  const post = Worker.prototype.postMessage;
  const orders = [];
  Worker.prototype.postMessage = function (order) {
    if (order.kind === "advance") orders.push(order.by);
    setTimeout(() => post.call(this, order), 2000);
  };
  await new Promise((resolve) => setTimeout(resolve, 7000));
  Worker.prototype.postMessage = post;
  return Math.max(...orders);
}

async function testLoss(checks, page) {
  await set(page, "loss", "30");
  await pick(page, "1");
  const before = (await state(page)).packets;
  await page.waitForTimeout(5000);
  const { sent, lost, flying } = (await state(page)).packets;
  const share = (lost - before.lost) / (sent - before.sent);
  checks.ok(sent - before.sent > 100, "packets are counted", `${sent - before.sent}`);
  checks.ok(share > 0.2 && share < 0.4, "three in ten are lost at 30 % loss", share.toFixed(3));
  checks.ok(flying > 0, "packets are on their way", `${flying}`);
  await page.screenshot({ path: join(ROOT, "test-artefacts/split-loss.png") });
  await checks.until("sentences tell of shots", 30_000, async () => (await state(page)).sentences.some((s) => /rewound/.test(s)));
  await set(page, "loss", "3");
}

async function testKeyboard(checks, page) {
  await page.keyboard.press("w"); // the page is the visitor's: the button to hand it back shows
  const reached = new Set();
  await page.evaluate(() => document.body.focus());
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => document.activeElement.id || document.activeElement.name));
  }
  const all = ["pane-0", "speed", "delay", "loss", "ghosts", "release"];
  checks.ok(all.every((id) => reached.has(id)), "Tab reaches every control", [...reached].join(", "));
  await page.addScriptTag({ content: AXE });
  const found = await page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
    return violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(", ")}`);
  });
  checks.ok(found.length === 0, "axe-core finds nothing", found.join(" | "));
  await page.evaluate(() => document.getElementById("release").click());
}

/** Whether everything is inside the window, and nothing covers anything else. */
const cutOff = (page) => page.evaluate(() => {
  const ids = ["pane-0", "pane-1", "pane-2", "sentence", "speeds", "delay", "loss"];
  const boxes = ids.map((id) => [id, document.getElementById(id).getBoundingClientRect()]);
  const out = boxes.filter(([, b]) => b.left < 0 || b.right > innerWidth || b.top < 0 || b.bottom > innerHeight || b.width < 40).map(([id]) => `${id} is cut off`);
  for (const [a, p] of boxes) for (const [b, q] of boxes) {
    if (a < b && Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1 && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 1) out.push(`${a} covers ${b}`);
  }
  return out;
});

async function pictures(checks, player) {
  await pick(player.page, "0.25");
  for (const [width, height] of SIZES) {
    await player.page.setViewportSize({ width, height });
    await player.page.waitForTimeout(2500);
    const out = await cutOff(player.page);
    checks.ok(out.length === 0, `${width}×${height}: nothing is cut off or covered`, out.join(", "));
    const deviation = await player.screenshot(`split-${width}x${height}.png`);
    checks.ok(deviation > 15, `${width}×${height}: there is a picture`, deviation.toFixed(1));
  }
}

async function testPhone(checks, browser, cleanups) {
  const { page, errors } = await openSplit(browser, cleanups, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, reducedMotion: "reduce" });
  await page.touchscreen.tap(200, 160);
  await checks.until("a tap takes over", 20_000, () => page.evaluate(() => document.getElementById("hint").hidden));
  await checks.until("and shoots", 10_000, async () => (await state(page)).sentences.some((s) => /^You (hit|missed)/.test(s)));
  await page.screenshot({ path: join(ROOT, "test-artefacts/split-phone.png") });
  checks.ok(errors.length === 0, "no errors on the phone's console", errors.join(" | "));
}
