// The replay page: playback, seeking, shots, views, sizes.
import { accessible, sizes } from "./page.mjs";

/** Plays a recording of bots. */
export async function testReplay(checks, server, ann) {
  const { page } = ann;
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.goto(`${server.url}&quality=low`, { timeout: 30_000 });
  const state = () => ann.call("replay");
  const first = await checks.until("the page shows a recording", 20_000, async () => {
    const r = await state();
    return r !== undefined && r.players.length > 0 && r;
  });
  if (!first) return;
  checks.ok(first.duration > 15, "with its duration", `${first.duration.toFixed(1)} s, ${first.shots} shots, ${first.entities.length} entities`);
  await testPlayback(checks, ann, state);
  await testSeek(checks, ann, state);
  await testShots(checks, ann, state);
  await testViews(checks, ann, state);
  await sizes(checks, ann, "replay", "replay-list");
  await accessible(checks, page, "the replay");
  const bad = ann.errors.filter((text) => !text.includes("404")); // the request for a match
  checks.ok(bad.length === 0, "the page reported no error", bad.slice(0, 3).join(" | "));
}

/** Plays a truncated recording. */
export async function testTruncated(checks, server, ann) {
  await ann.page.goto(`${server.url}&quality=low`, { timeout: 30_000 });
  const r = await checks.until("a truncated recording is shown", 20_000, async () => {
    const r = await ann.call("replay");
    return r !== undefined && r.players.length > 0 && r.duration > 3 && r.duration < 19 && r;
  });
  if (r) await ann.call("seek", r.duration);
  await checks.until("up to its end", 10_000, async () => {
    const r = await ann.call("replay");
    return !r.waiting && r.players.length > 0 && r.time === r.duration;
  });
  const about = await ann.text("#replay-about");
  checks.ok(/offset|byte|chunk/.test(about), "with the position of the damage", about);
}

async function testPlayback(checks, ann, state) {
  const before = await state();
  await checks.until("players move", 15_000, async () => {
    const now = await state();
    return now.time > before.time + 0.5 && largestMove(before.players, now.players) > 0.5;
  });
  await ann.page.keyboard.press("Space");
  await checks.until("Space pauses", 20_000, async () => !(await state()).playing);
  const stopped = await state();
  await ann.page.waitForTimeout(300);
  const later = await state();
  checks.ok(later.time === stopped.time && largestMove(stopped.players, later.players) === 0, "and players stop");
  await ann.page.keyboard.press("ArrowRight");
  checks.ok(Math.abs((await state()).time - stopped.time - 5) < 0.01, "→ skips five seconds");
  await ann.page.selectOption("#replay-speed", "4");
  await ann.page.click("#replay-play");
  await checks.until("speed × 4 is faster: more than 1.2 s in one", 10_000, async () => { // a busy machine may stall in the first
    const from = await state();
    await ann.page.waitForTimeout(1000);
    const to = await state();
    return to.speed === 4 && to.time - from.time > 1.2;
  });
  await ann.page.selectOption("#replay-speed", "1");
  await ann.call("playRecording", false);
}

async function testSeek(checks, ann, state) {
  await ann.page.locator("#replay-seek").fill("12");
  await checks.until("the timeline seeks", 20_000, async () => Math.abs((await state()).time - 12) < 0.05);
  const later = await state();
  await ann.call("seek", 3);
  await checks.until("seeking back shows other positions", 10_000, async () => {
    const r = await state();
    return !r.waiting && largestMove(later.players, r.players) > 1;
  });
  await ann.call("seek", 12);
  await checks.until("seeking forward shows the same positions", 10_000, async () => {
    const r = await state();
    return !r.waiting && largestMove(later.players, r.players) < 1e-6;
  });
}

async function testShots(checks, ann, state) {
  const { page } = ann;
  checks.ok((await page.inputValue("#replay-filter")) === "hits and kills", "hits and kills are listed at first");
  const hits = page.locator('#replay-list li[data-kind="hit"]');
  await checks.until("hits are listed", 20_000, async () => (await hits.count()) > 0);
  const text = await hits.first().innerText();
  checks.ok(/hit .*, (body|head|arm|leg), [\d.]+ m: \d+ damage.*; rewound -?\d+ ms.*; client (dis)?agreed/s.test(text), "with their receipts", text.replaceAll("\n", " "));
  await hits.first().click();
  const at = await state();
  checks.ok(!at.playing && Math.abs(at.time - seconds(text)) < 0.11, "a click seeks to the shot", `${at.time.toFixed(2)} s`);
  checks.ok((await page.locator("#replay-list li.selected").count()) === 1, "and selects it");
  await page.waitForTimeout(500);
  await ann.screenshot("replay-free.png");
  checks.ok(/Player\s+Kills\s+Deaths/.test(await ann.text("#replay-scores")), "the scores are shown");
}

async function testViews(checks, ann, state) {
  const { page } = ann;
  await page.keyboard.press("KeyV");
  const seen = await checks.until("V shows a player's view", 20_000, async () => (await state()).view);
  await page.waitForTimeout(500);
  const deviation = await ann.screenshot("replay-eyes.png");
  checks.ok(deviation > 10, "the screen is not blank", `brightness deviation ${deviation.toFixed(0)}`);
  checks.ok(!(await state()).players.some((p) => p.id === seen), "without the player's own character");
  await page.keyboard.down("KeyS");
  await checks.until("a movement key switches to the free camera", 20_000, async () => (await state()).view === 0);
  await page.waitForTimeout(400);
  await page.keyboard.up("KeyS");
  await checks.until("which shows the player", 20_000, async () => (await state()).players.some((p) => p.id === seen));
  await ann.screenshot("replay-outside.png");
}

/** Returns the largest distance of a player between two states. */
function largestMove(before, after) {
  const distances = before.map((p) => {
    const q = after.find((o) => o.id === p.id);
    return q === undefined ? 0 : Math.hypot(...p.position.map((v, i) => v - q.position[i]));
  });
  return Math.max(0, ...distances);
}

/** Returns the time at the start of a list entry, seconds. */
function seconds(line) {
  const [, m, s] = /^(\d+):([\d.]+)/.exec(line.trim()) ?? [];
  return 60 * Number(m) + Number(s);
}
