// A recording is looked at: played, sought, through eyes and freely, shot by shot.

/** Looks at a recording of bots. */
export async function watchReplay(checks, server, ann) {
  const { page } = ann;
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.goto(`${server.url}&quality=low`, { timeout: 30_000 });
  const look = () => ann.call("replay");
  const first = await checks.until("the page shows a recording", 20_000, async () => {
    const r = await look();
    return r !== undefined && r.players.length > 0 && r;
  });
  if (!first) return;
  checks.ok(first.duration > 15, "of the time it took", `${first.duration.toFixed(1)} s, ${first.shots} shots, ${first.things.length} things`);
  await plays(checks, ann, look);
  await seeks(checks, ann, look);
  await shots(checks, ann, look);
  await views(checks, ann, look);
  const bad = ann.errors.filter((text) => !text.includes("404")); // who asks whether there is a match
  checks.ok(bad.length === 0, "the page reported no error", bad.slice(0, 3).join(" | "));
}

/** Looks at a recording that ends too early. */
export async function watchDamaged(checks, server, ann) {
  await ann.page.goto(`${server.url}&quality=low`, { timeout: 30_000 });
  const r = await checks.until("a damaged recording is shown as far as it goes", 20_000, async () => {
    const r = await ann.call("replay");
    return r !== undefined && r.players.length > 0 && r.duration > 3 && r.duration < 19 && r;
  });
  if (r) await ann.call("seek", r.duration);
  await checks.until("to its last second", 10_000, async () => {
    const r = await ann.call("replay");
    return !r.waiting && r.players.length > 0 && r.time === r.duration;
  });
  const said = await ann.text("#replay-about");
  checks.ok(/offset|byte|chunk/.test(said), "and the page says where it is damaged", said);
}

async function plays(checks, ann, look) {
  const before = await look();
  await checks.until("it plays, and players move", 15_000, async () => {
    const now = await look();
    return now.time > before.time + 0.5 && far(before.players, now.players) > 0.5;
  });
  await ann.page.keyboard.press("Space");
  await checks.until("Space stops it", 5_000, async () => !(await look()).playing);
  const stopped = await look();
  await ann.page.waitForTimeout(300);
  const later = await look();
  checks.ok(later.time === stopped.time && far(stopped.players, later.players) === 0, "and then nobody moves");
  await ann.page.keyboard.press("ArrowRight");
  checks.ok(Math.abs((await look()).time - stopped.time - 5) < 0.01, "→ goes five seconds on");
  await ann.page.selectOption("#replay-speed", "4");
  await ann.page.click("#replay-play");
  const from = await look();
  await ann.page.waitForTimeout(1000);
  const to = await look();
  checks.ok(to.speed === 4 && to.time - from.time > 1.2, "four times as fast", `${(to.time - from.time).toFixed(1)} s in one`);
  await ann.page.selectOption("#replay-speed", "1");
  await ann.call("playRecording", false);
}

async function seeks(checks, ann, look) {
  await ann.page.locator("#replay-seek").fill("12");
  await checks.until("the bar seeks", 5_000, async () => Math.abs((await look()).time - 12) < 0.05);
  const there = await look();
  await ann.call("seek", 3);
  await checks.until("seeking back shows others there", 10_000, async () => {
    const r = await look();
    return !r.waiting && far(there.players, r.players) > 1;
  });
  await ann.call("seek", 12);
  await checks.until("and again the same", 10_000, async () => {
    const r = await look();
    return !r.waiting && far(there.players, r.players) < 1e-6;
  });
}

async function shots(checks, ann, look) {
  const { page } = ann;
  await page.selectOption("#replay-filter", "hits and kills");
  const hits = page.locator('#replay-list li[data-sort="hit"]');
  await checks.until("hits are listed", 5_000, async () => (await hits.count()) > 0);
  const text = await hits.first().innerText();
  checks.ok(/hit .*, (body|head|arm|leg), at [\d.]+ m: \d+ damage.*; judged -?\d+ ms in the past.*; the shooter's screen showed/s.test(text), "with their receipts in words", text.replaceAll("\n", " "));
  await hits.first().click();
  const at = await look();
  checks.ok(!at.playing && Math.abs(at.time - seconds(text)) < 0.11, "a click goes there", `${at.time.toFixed(2)} s`);
  checks.ok((await page.locator("#replay-list li.picked").count()) === 1, "and marks it");
  await page.waitForTimeout(500);
  await ann.picture("replay-free.png");
  checks.ok(/Player\s+Kills\s+Deaths/.test(await ann.text("#replay-scores")), "the scores are shown");
}

async function views(checks, ann, look) {
  const { page } = ann;
  await page.keyboard.press("KeyV");
  const seen = await checks.until("V looks through a player's eyes", 5_000, async () => (await look()).view);
  await page.waitForTimeout(500);
  const spread = await ann.picture("replay-eyes.png");
  checks.ok(spread > 10, "the picture is not blank", `pixels spread by ${spread.toFixed(0)}`);
  checks.ok(!(await look()).players.some((p) => p.id === seen), "whose own figure is not drawn");
  await page.keyboard.down("KeyS");
  await checks.until("who takes the keys flies freely from there", 5_000, async () => (await look()).view === 0);
  await page.waitForTimeout(400);
  await page.keyboard.up("KeyS");
  await checks.until("and sees the player from outside", 5_000, async () => (await look()).players.some((p) => p.id === seen));
  await ann.picture("replay-outside.png");
}

/** How far those went who are in both, the farthest of them. */
function far(before, after) {
  const ways = before.map((p) => {
    const q = after.find((o) => o.id === p.id);
    return q === undefined ? 0 : Math.hypot(...p.position.map((v, i) => v - q.position[i]));
  });
  return Math.max(0, ...ways);
}

/** The time at the beginning of a line of the list. */
function seconds(line) {
  const [, m, s] = /^(\d+):([\d.]+)/.exec(line.trim()) ?? [];
  return 60 * Number(m) + Number(s);
}
