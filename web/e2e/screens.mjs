// Screens at every size, checked with axe-core: F3, F4, F6, the killcam, the scoreboard, the queue of a full match,
// a browser that does not capture the mouse. The start page, the settings and the tour have tests of their own.
import { testKillcamSizes } from "./killcam.mjs";
import { openPlayer } from "./browser.mjs";
import { accessible, sizes } from "./page.mjs";

const CHEST = 1.15;

/** Ann looks at Bob, shoots him, and kills him. */
export async function testScreens(checks, server, ann, bob) {
  const { page } = ann;
  await Promise.all([enter(server, ann), bob.join(server.url, "")]);
  for (const player of [ann, bob]) await checks.until(`${player.name} plays`, 30_000, async () => (await player.self()).playing);
  await ann.call("setLag", { latency: 30, jitter: 0, loss: 0 });
  await bob.page.waitForFunction(() => document.getElementById("protected").hidden, undefined, { timeout: 30_000 });
  await page.keyboard.press("F3");
  await checks.until("F3 shows its verdict", 30_000, async () => /^(Good|Fair|Bad)/.test(await ann.text("#net .verdict")));
  await sizes(checks, ann, "f3", "net");
  await accessible(checks, page, "F3");
  await page.keyboard.press("F3");
  await page.keyboard.press("F4");
  await checks.until("F4 shows Bob", 20_000, async () => (await ann.call("remoteDebug")).length === 1 && page.isVisible("#remote-debug"));
  await look(ann, bob);
  await sizes(checks, ann, "f4", "remote-debug");
  await accessible(checks, page, "F4");
  await page.keyboard.press("F4");
  await page.keyboard.press("F6");
  await checks.until("F6 shows a judged shot", 60_000, async () => {
    await look(ann, bob);
    await ann.call("fire");
    await page.waitForTimeout(500);
    return (await ann.call("shotDebug"))?.poses === "received";
  });
  await sizes(checks, ann, "f6", "shot-debug");
  await accessible(checks, page, "F6");
  await page.keyboard.press("F6");
  await marks(checks, ann);
  await testKillcamSizes(checks, ann, bob);
  await page.keyboard.down("Tab");
  await checks.until("the scoreboard has the ping", 20_000, async () => /Bob.*\d+ ms/s.test(await ann.text("#scoreboard")));
  await sizes(checks, ann, "scores", "scoreboard");
  await accessible(checks, page, "the scoreboard");
  await page.keyboard.up("Tab");
}

/** Joins with the start page, so that the keyboard plays. */
async function enter(server, { page, name }) {
  await page.goto(`${server.url}/?quality=low`, { timeout: 30_000 });
  await page.fill("#name", name, { timeout: 15_000 });
  await page.click("#play", { timeout: 15_000 });
}

async function look(ann, bob) {
  const [seen] = (await ann.remotes()).filter((r) => r.name === bob.name);
  if (seen !== undefined) await ann.call("lookAt", seen.position[0], seen.position[1] + CHEST, seen.position[2]);
}

/** A shot at the floor leaves a hole. */
async function marks(checks, ann) {
  await ann.call("lookAlong", 0, -0.9);
  await checks.until("a shot leaves a mark on the level", 20_000, async () => {
    await ann.call("fire");
    await ann.page.waitForTimeout(400);
    return (await ann.call("marks")) > 0;
  });
}

/** A thumb drags by the same way on Bob, on Bob with aim assist, and beside him with aim assist. */
export async function testAimAssist(checks, server, bob, browser) {
  const ann = await openPlayer(browser, "Ann", 1, { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
  const { page } = ann;
  try {
    await Promise.all([page.goto(`${server.url}/?quality=low`, { timeout: 30_000 }), bob.join(server.url, "")]);
    await page.waitForFunction(() => window.backstep !== undefined);
    await page.tap("#play");
    await checks.until("Ann plays by touch, and sees Bob", 30_000, async () => (await ann.self()).playing && (await ann.remotes()).some((r) => r.name === bob.name));
    const cdp = await page.context().newCDPSession(page);
    const touch = (type, ...points) => cdp.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
    const drag = async () => {
      const { yaw } = await ann.self();
      await touch("touchStart", [300, 300]);
      await touch("touchMove", [305, 300]);
      await touch("touchEnd");
      await page.waitForTimeout(400);
      const turned = (await ann.self()).yaw - yaw;
      return Math.abs(Math.atan2(Math.sin(turned), Math.cos(turned)));
    };
    const aimed = async (aside) => {
      await look(ann, bob);
      if (aside) await ann.call("lookAlong", (await ann.self()).yaw + Math.PI / 2, 0);
      await page.waitForTimeout(400); // the factor is that of a drawn frame
      return drag();
    };
    const free = await aimed(false);
    await page.tap('#touch [data-touch="bindings"]');
    await page.selectOption('#settings [name="assist"]', "on");
    await page.tap("#bindings-close");
    const [helped, beside] = [await aimed(false), await aimed(true)];
    const found = `${(free * 57.3).toFixed(1)}°, ${(helped * 57.3).toFixed(1)}°, ${(beside * 57.3).toFixed(1)}°`;
    checks.ok(free > 0.02 && Math.abs(beside / free - 1) < 0.1 && Math.abs(helped / free - 0.5) < 0.1, "aim assist halves what a thumb turns on an opponent, and nothing else", found);
  } finally {
    await ann.browser.close();
  }
}

/** A full match: the second player waits in the queue, and plays when the first leaves. */
export async function testQueue(checks, server, ann, bob) {
  await ann.join(server.url, "");
  await checks.until("Ann plays", 30_000, async () => (await ann.self()).playing);
  await enter(server, bob);
  await checks.until("a full match says so, with the place in the queue", 20_000, async () => (await bob.text("#banner")).includes("you are next"));
  await sizes(checks, bob, "queue", "banner");
  await accessible(checks, bob.page, "the queue");
  await bob.page.click("#banner-leave");
  await checks.until("Leave leaves the queue", 10_000, async () => (await bob.page.isVisible("#start")) && !(await bob.page.isVisible("#banner")));
  await bob.page.click("#play");
  await checks.until("and Play joins it again", 20_000, async () => (await bob.text("#banner")).includes("you are next"));
  await ann.page.goto("about:blank");
  await checks.until("when a player leaves, the next plays", 30_000, async () => (await bob.self()).playing && !(await bob.page.isVisible("#banner")));
}

/** A desktop browser that refuses to capture the mouse. */
export async function testNoPointerLock(checks, server, ann) {
  const { page } = ann;
  await page.addInitScript(() => {
    Element.prototype.requestPointerLock = () => {
      document.dispatchEvent(new Event("pointerlockerror"));
      return Promise.reject(new Error("refused"));
    };
  });
  await enter(server, ann);
  await checks.until("Ann plays", 30_000, async () => (await ann.self()).playing);
  await checks.until("without a captured mouse the page says how to look", 20_000, async () => {
    await page.click("#view", { position: { x: 320, y: 240 } });
    return (await ann.text("body")).includes("does not capture the mouse");
  });
  const { yaw } = await ann.self();
  await checks.until("and moving the mouse turns the view", 20_000, async () => {
    await page.mouse.move(200, 240);
    await page.mouse.move(420, 240, { steps: 10 });
    return Math.abs((await ann.self()).yaw - yaw) > 0.1;
  });
}
