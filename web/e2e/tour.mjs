// The guided tour and its three switches: each has a measured effect in the page. Screenshots are kept.
import { openPlayer } from "./browser.mjs";
import { accessible, SIZES } from "./page.mjs";
import { startServer } from "./server.mjs";

const LAG = { latency: 65, jitter: 20, loss: 0 };

/** The switches by the test API, against bots. */
export async function testSwitches(checks, server, ann) {
  const { page } = ann;
  await ann.join(server.url, "auto");
  await checks.until("she plays", 30_000, async () => (await ann.self()).playing);
  checks.ok(await ann.call("optOut"), "serve --demo allows lag compensation to be off");
  await ann.call("setLag", LAG);
  await page.waitForTimeout(4000);

  const responses = {};
  for (const prediction of [true, false]) {
    await ann.call("setNetcode", { prediction });
    await page.waitForTimeout(1000);
    responses[prediction] = await page.evaluate(respond);
  }
  console.log(`  measured: from the key to the own movement ${responses.true.map(Math.round)} ms with prediction, ${responses.false.map(Math.round)} ms without`);
  checks.ok(median(responses.false) >= 130 && median(responses.true) + 80 < median(responses.false), "without prediction a key waits for the server");

  const uneven = {};
  for (const interpolation of [true, false]) {
    await ann.call("setNetcode", { interpolation });
    await page.waitForTimeout(1000);
    uneven[interpolation] = await page.evaluate(watch, 6000);
  }
  console.log(`  measured: others are drawn off their speed by ${percent(uneven.true)} with interpolation, ${percent(uneven.false)} without`);
  checks.ok(uneven.true >= 0 && uneven.false > 2 * uneven.true, "without interpolation others move in jerks");

  const hits = {};
  for (const lagCompensation of [true, false]) {
    await ann.call("setNetcode", { lagCompensation });
    hits[lagCompensation] = await shootAround(ann);
  }
  console.log(`  measured: clean hits that count ${hits.true.counted} of ${hits.true.judged} with lag compensation, ${hits.false.counted} of ${hits.false.judged} without`);
  console.log(`  denied with lag compensation: ${hits.true.reasons.join()}`);
  checks.ok(hits.true.judged >= 4 && hits.true.counted >= 0.9 * hits.true.judged, "with lag compensation clean hits count");
  checks.ok(hits.false.judged >= 4 && hits.false.counted < 0.6 * hits.false.judged, "without it most of those on runners miss");
  await ann.call("setNetcode", {});
}

/** Runs in the page: times from a key to a change of the own drawn movement, ms. */
async function respond() {
  const { backstep } = window;
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const times = [];
  for (let i = 0; i < 6; i++) {
    backstep.setInput({});
    await new Promise((resolve) => setTimeout(resolve, 900));
    const pressed = performance.now();
    backstep.setInput({ right: i % 2 === 0 ? 1 : -1 });
    for (;;) {
      await frame();
      const [x, , z] = backstep.self().velocity;
      if (Math.hypot(x, z) > 0.5 || performance.now() - pressed > 2000) break;
    }
    times.push(performance.now() - pressed);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  backstep.setInput(undefined);
  return times;
}

/** Runs in the page: by how much others are drawn off their own speed from frame to frame, as a share of it,
 * in the median, since some run against each other. */
async function watch(ms) {
  const { backstep } = window;
  const before = new Map();
  const end = performance.now() + ms;
  const shares = [];
  let then = 0;
  while (performance.now() < end) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const { now } = backstep.self();
    const dt = now - then;
    then = now;
    for (const { id, dead, position: [x, , z], velocity: [vx, , vz] } of backstep.remotes()) {
      const last = before.get(id);
      before.set(id, { x, z });
      if (last === undefined || dead || dt <= 0 || Math.hypot(vx, vz) < 1.5) continue;
      const off = Math.hypot((x - last.x) / dt - vx, (z - last.z) / dt - vz);
      if (off * dt < 3) shares.push(off / Math.hypot(vx, vz));
    }
  }
  return shares.length > 100 ? shares.sort((a, b) => a - b)[Math.floor(shares.length / 2)] : -1;
}

/** Fires at the players that are near for a while; the verdicts on what hit on the screen. */
async function shootAround(ann) {
  const { page } = ann;
  await page.waitForTimeout(1500);
  const from = (await ann.call("events")).length;
  const count = () => page.evaluate((from) => {
    const hits = window.backstep.events().slice(from).filter((e) => e.kind === "hit" && e.state !== "predicted");
    return { judged: hits.length, counted: hits.filter((e) => e.state === "confirmed").length, reasons: hits.filter((e) => e.state === "denied").map((e) => e.reason) };
  }, from);
  await page.evaluate(() => {
    const { backstep } = window;
    window.shooting = setInterval(() => {
      const [x, , z] = backstep.self().position;
      const moving = backstep.remotes().filter((r) => !r.dead && Math.hypot(r.velocity[0], r.velocity[2]) > 2);
      const near = moving.sort((a, b) => Math.hypot(a.position[0] - x, a.position[2] - z) - Math.hypot(b.position[0] - x, b.position[2] - z))[0];
      if (near === undefined) return;
      backstep.lookAt(near.position[0], near.position[1] + 1.1, near.position[2]);
      backstep.fire();
    }, 16);
  });
  const end = Date.now() + 45_000;
  while (Date.now() < end && (await count()).judged < 12) await page.waitForTimeout(500);
  await page.evaluate(() => clearInterval(window.shooting));
  await page.waitForTimeout(500);
  return count();
}

/** The tour by mouse, keyboard and touch, its figures, and how it looks. */
export async function testTour(checks, server, ann) {
  const { page } = ann;
  await page.goto(`${server.url}/?quality=low`, { timeout: 30_000 });
  await page.waitForFunction(() => window.backstep !== undefined);
  await page.focus("#feel");
  await page.keyboard.press("Enter");
  const tour = () => ann.call("tour");
  await checks.until("the keyboard alone begins the tour", 30_000, async () => (await tour()).step === 0);
  checks.ok((await tour()).steps === 7 && (await ann.call("network")).lag.latency === LAG.latency, "with seven steps and 150 ms");
  const began = Date.now();
  await page.evaluate(keepSteps);
  for (let step = 0; step < 7; step++) {
    await page.waitForFunction((step) => window.backstep.tour().step >= step || window.steps.length > step, step, { timeout: 40_000 });
    await page.waitForTimeout(1000);
    await ann.screenshot(`tour-step-${step + 1}.png`);
  }
  await checks.until("it ends by itself", 40_000, async () => (await tour()).step === -1);
  console.log(`  measured: the tour takes ${((Date.now() - began) / 1000).toFixed(0)} s`);
  const seen = await page.evaluate(() => window.steps);
  for (const { title, off, response, unevenness, judged, counted } of seen) {
    console.log(`  measured: ${title}: off "${off}", response ${Math.round(response * 1000)} ms, unevenness ${percent(unevenness)}, ${counted} of ${judged} hits count`);
  }
  checks.ok(seen.map((s) => s.off).join("|") === "|prediction||interpolation||lagCompensation|", "each step switches its part", seen.map((s) => s.off).join("|"));
  checks.ok(seen[1].response > seen[2].response + 0.08, "the tour shows what prediction does");
  await asBefore(checks, ann, "and everything is as it was");

  await page.keyboard.press("KeyL");
  await checks.until("L opens the lag panel", 20_000, async () => (await ann.text("#lag")).includes("lag compensation"));
  await ann.screenshot("tour-lag-panel.png");
  await accessible(checks, page, "the lag panel with its switches");
  await page.getByLabel("prediction").setChecked(false);
  checks.ok(!(await ann.call("network")).netcode.prediction, "its switch turns prediction off");
  await page.getByLabel("prediction").setChecked(true);
  await page.click("#lag .feel");
  await checks.until("its button begins the tour", 20_000, async () => (await tour()).step === 0);
  await page.click("#tour-next");
  await checks.until("a click on Next goes on", 20_000, async () => (await tour()).step === 1);
  await page.keyboard.press("Enter");
  await checks.until("so does Enter", 20_000, async () => (await tour()).step === 2);
  await accessible(checks, page, "the tour");
  await page.keyboard.press("KeyL");
  await page.waitForFunction(() => window.backstep.tour().step >= 3, undefined, { timeout: 20_000 });
  await checks.until("the lag panel shows what the tour switches", 5000, async () => (await page.getByLabel("interpolation").isChecked()) === (await ann.call("network")).netcode.interpolation && /custom/.test(await page.textContent("#lag")));
  await page.focus("#lag input[type=text]");
  await page.keyboard.press("Escape");
  checks.ok(!(await page.isVisible("#lag .lil-gui")) && (await tour()).step >= 0, "Escape in the panel closes that, and the tour goes on");
  await page.keyboard.press("Escape");
  await checks.until("Escape ends it", 20_000, async () => (await tour()).step === -1 && !(await page.isVisible("#tour")));
  await asBefore(checks, ann, "and puts everything back");
  await looks(checks, ann, async () => {
    await page.keyboard.press("KeyL");
    await page.click("#lag .feel");
  }, [[1280, 720], [1920, 1080]]);
}

/** Runs in the page: keeps each step of the tour as it was in its last frame. A look from outside can come too
 * late on a busy machine, and then sees the next step's switches. */
function keepSteps() {
  const steps = (window.steps = []);
  const look = () => {
    const tour = window.backstep.tour();
    if (tour.step < 0 && steps.length > 0) return;
    const { netcode } = window.backstep.network();
    if (tour.step >= 0) steps[tour.step] = { ...tour, off: Object.keys(netcode).filter((part) => !netcode[part]).join() };
    requestAnimationFrame(look);
  };
  look();
}

async function asBefore(checks, ann, what) {
  const { lag, netcode } = await ann.call("network");
  checks.ok(lag.latency === 0 && Object.values(netcode).every(Boolean), what, JSON.stringify({ lag, netcode }));
}

/** Screenshots of a step; nothing is cut, and the crosshair is free. */
async function looks(checks, ann, begin, sizes) {
  const { page } = ann;
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height });
    await begin();
    for (let step = 0; step < 6; step++) {
      await page.waitForTimeout(400);
      const wrong = await page.evaluate(cut);
      if (wrong !== "") checks.ok(false, `step ${step + 1} at ${width}×${height}`, wrong);
      if (step === 1 || step === 3 || step === 5) await ann.screenshot(`tour-${width}x${height}-${step + 1}.png`);
      await page.locator("#tour-next").dispatchEvent("click");
    }
    checks.ok((await page.evaluate(cut)) === "", `the tour at ${width}×${height}: nothing is cut`);
    await page.locator("#tour-stop").dispatchEvent("click");
  }
}

/** Runs in the page: what of the tour is cut or covers the crosshair; empty for nothing. */
function cut() {
  const root = document.getElementById("tour");
  const { left, right, top, bottom } = root.getBoundingClientRect();
  const wrong = [];
  if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight) wrong.push("outside the screen");
  if (bottom > innerHeight / 2 - 12) wrong.push(`covers the crosshair: ${bottom} of ${innerHeight}`);
  for (const e of root.querySelectorAll("h2, p, button, svg, #tour-count")) {
    const r = e.getBoundingClientRect();
    if (r.left < left - 1 || r.right > right + 1 || r.bottom > bottom + 1) wrong.push(`${e.id || e.tagName} is outside`);
  }
  for (const e of document.querySelectorAll("#touch button")) {
    const r = e.getBoundingClientRect();
    if (r.width > 0 && r.left < right && r.right > left && r.top < bottom && r.bottom > top) wrong.push(`covers ${e.className}`);
  }
  return wrong.join(", ");
}

/** A phone, upright and across; and a visitor that asks for less motion. */
export async function testTourOnAPhone(checks, server, browser) {
  const ann = await openPlayer(browser, "Ann", 4, { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 }, reducedMotion: "reduce" });
  const { page } = ann;
  try {
    await page.goto(`${server.url}/?quality=low`, { timeout: 30_000 });
    await page.waitForFunction(() => window.backstep !== undefined);
    await ann.screenshot("tour-start-390x844.png");
    await page.tap("#feel");
    await checks.until("a tap begins the tour on a phone", 30_000, async () => (await ann.call("tour")).step === 0);
    await page.tap("#tour-next");
    await checks.until("a tap on Next goes on", 20_000, async () => (await ann.call("tour")).step === 1);
    const { yaw } = await ann.self();
    await page.waitForTimeout(1500);
    const now = await ann.self();
    checks.ok(now.yaw === yaw && Math.hypot(now.velocity[0], now.velocity[2]) < 0.5, "with less motion nobody plays for the visitor", `${yaw} ${now.yaw} ${now.velocity}`);
    await page.tap("#tour-stop");
    checks.ok((await ann.call("tour")).step === -1, "a tap on Stop ends it");
    await looks(checks, ann, async () => {
      await page.evaluate(() => window.backstep.startTour());
    }, SIZES.slice(2));
  } finally {
    await ann.browser.close();
  }
}

/** A server without --demo. */
export async function testNotAllowed(checks, server, ann) {
  const { page } = ann;
  await ann.join(server.url, "auto");
  await checks.until("she plays without --demo", 30_000, async () => (await ann.self()).playing);
  checks.ok(!(await ann.call("optOut")), "the client knows that lag compensation stays on");
  await ann.call("startTour");
  checks.ok((await ann.call("tour")).steps === 5, "the tour leaves its two steps out");
  await ann.call("stopTour");
}

/** Starts a server with bots. */
export function startDemo(...flags) {
  return startServer("examples/arena/assets/arena.glb", "--bots", "6", ...flags);
}

function median(list) {
  return [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
}

function percent(share) {
  return `${(share * 100).toFixed(0)} %`;
}
