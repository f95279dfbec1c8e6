// The page as a visitor finds it: the start screen, panels, a phone, errors, sizes. Screenshots are kept.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { openPlayer } from "./browser.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** The most that a first visit may transfer, bytes. */
const FIRST_VISIT = 1_500_000;
/** What a frame at low quality may cost, and bytes of textures at most. */
const DRAW_CALLS = 200;
const TRIANGLES = 300_000;
const TEXTURES = 128 * 2 ** 20;
/** Of a phone with a notch and a home indicator that lies on its side, pixels. */
const SAFE = { left: 47, right: 47, bottom: 21 };
export const SIZES = [[1280, 720], [1920, 1080], [390, 844], [844, 390]];

/** Plays everything with a keyboard and a mouse. */
export async function testStart(checks, server, ann) {
  const { page } = ann;
  const requests = [];
  page.on("request", (r) => r.url().includes("/api/join") && requests.push(new URL(r.url()).search));
  const transferred = await countBytes(page);
  await page.goto(`${server.url}/?quality=low`, { timeout: 30_000 });
  await checks.until("the core and the level are loaded before Play", 20_000, async () => transferred.urls.some((url) => url.includes(".wasm")) && transferred.urls.some((url) => url.includes("/levels/")) && (await ann.text("#progress")) === "");
  console.log(`  measured: the first visit is ${(transferred.bytes / 1000).toFixed(0)} kB`);
  checks.ok(transferred.bytes > 100_000 && transferred.bytes <= FIRST_VISIT, "within the first visit's budget", `${transferred.bytes} bytes`);
  await sizes(checks, ann, "start");
  await accessible(checks, page, "the start page");
  await watchHud(page);
  await page.fill("#name", "Ann & Co");
  await page.keyboard.press("Enter");
  await checks.until("Enter joins", 30_000, async () => (await ann.self()).playing && !(await page.isVisible("#start")));
  checks.ok(requests.length > 1 && requests.every((query, i) => query === (i === 0 ? "?preview=1" : "")), "the start page takes no seat, and the join request has no query", requests.join(" "));
  checks.ok((await page.evaluate(() => window.badHud)).length === 0, "no frame shows no health or no weapon", (await page.evaluate(() => window.badHud)).join(" | "));
  const { calls, triangles, textureBytes } = await ann.call("budget");
  console.log(`  measured: ${calls} draw calls, ${triangles} triangles, ${(textureBytes / 2 ** 20).toFixed(1)} MiB of textures`);
  checks.ok(calls > 0 && calls <= DRAW_CALLS && triangles <= TRIANGLES && textureBytes <= TEXTURES, "within the budget of a mid-range phone");
  await panels(checks, ann);
  await settings(checks, ann);
}

/** Settings are applied at once and outlast a reload, which also keeps the name, the seat and the score. */
async function settings(checks, ann) {
  const { page } = ann;
  const { id } = await ann.self();
  await page.keyboard.press("KeyB");
  await checks.until("B opens the settings", 20_000, () => page.isVisible("#settings"));
  await page.locator("#settings [name=fov]").fill("100");
  await page.locator("#settings [name=crosshair]").selectOption({ label: "green" });
  await checks.until("the field of view is applied", 20_000, async () => Math.round(await page.evaluate(() => window.backstep.fieldOfView())) === 100);
  await sizes(checks, ann, "settings", "bindings");
  await page.reload();
  await page.waitForFunction(() => window.backstep !== undefined);
  checks.ok((await page.inputValue("#settings [name=fov]")) === "100" && (await page.inputValue("#name")) === "Ann & Co", "a reload keeps settings and name");
  await page.click("#play");
  await checks.until("and Play goes on", 30_000, async () => (await ann.self()).playing && page.isVisible("#vitals"));
  checks.ok((await ann.self()).id === id, "in the same seat", `${(await ann.self()).id}, was ${id}`);
  await page.reload();
  await page.waitForFunction(() => window.backstep !== undefined);
  await page.fill("#name", "Zoe");
  await page.click("#play");
  await checks.until("under another name she is another player", 30_000, async () => {
    const self = await ann.self();
    return self.playing && self.id !== id;
  });
}

/** How long a first visit takes until its player can be moved, over slower lines. It is printed, not checked: the
 * time depends on the machine. */
export async function measureFirstVisit(checks, server, browser) {
  for (const [mbits, goal] of [[20, 2], [4, 6]]) {
    const ann = await openPlayer(browser, "Ann", 1);
    try {
      const cdp = await ann.page.context().newCDPSession(ann.page);
      await cdp.send("Network.enable");
      await cdp.send("Network.emulateNetworkConditions", { offline: false, latency: 20, downloadThroughput: (mbits * 1e6) / 8, uploadThroughput: (mbits * 1e6) / 8 });
      const began = performance.now();
      await ann.page.goto(`${server.url}/?quality=low`, { timeout: 60_000, waitUntil: "commit" });
      await ann.page.click("#play", { timeout: 60_000 });
      await ann.page.waitForFunction(() => window.backstep !== undefined);
      await checks.until(`at ${mbits} Mbit/s a first visit plays`, 60_000, async () => (await ann.self()).playing && ann.page.isVisible("#vitals"));
      console.log(`  measured: ${((performance.now() - began) / 1000).toFixed(1)} s until the player can be moved, at ${mbits} Mbit/s and 20 ms; the goal is ${goal} s`);
    } finally {
      await ann.browser.close();
    }
  }
}

/** Keeps, of each frame in which the HUD is shown, what must not be in it. */
async function watchHud(page) {
  await page.evaluate(() => {
    window.badHud = [];
    const look = () => {
      const text = (id) => document.getElementById(id).textContent;
      const shown = !document.getElementById("hud").hidden;
      if (shown && (text("health") === "0" || text("ammo") === "∞")) window.badHud.push(`${text("health")} health, ${text("ammo")} ammo`);
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
}

async function panels(checks, ann) {
  const { page } = ann;
  const locked = () => page.evaluate(() => document.pointerLockElement !== null);
  await page.click("#view", { position: { x: 200, y: 240 } });
  await checks.until("the mouse is captured", 20_000, locked);
  await page.keyboard.press("KeyL");
  await checks.until("the lag panel frees the mouse", 20_000, async () => (await ann.text("#lag")).includes("latency") && !(await locked()));
  await page.click("#view", { position: { x: 200, y: 240 } });
  await page.waitForTimeout(400);
  checks.ok(!(await locked()), "a click beside it does not capture the mouse");
  await accessible(checks, page, "the lag panel");
  await sizes(checks, ann, "lag", "lag");
  await page.keyboard.press("KeyB");
  await checks.until("B opens the bindings beside it", 20_000, () => page.isVisible("#bindings"));
  await accessible(checks, page, "the bindings");
  const focused = () => page.evaluate(() => document.activeElement?.id);
  await page.click("#bindings-advanced summary");
  await page.focus("#bindings-text");
  await page.keyboard.press("Tab");
  checks.ok((await focused()) === "bindings-apply", "Tab leaves the text", await focused());
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  checks.ok((await focused()) === "bindings-close", "and reaches every button", await focused());
  await page.keyboard.press("Space");
  await checks.until("Space presses it", 20_000, async () => !(await page.isVisible("#bindings")));
  await page.waitForTimeout(400);
  checks.ok(!(await locked()), "the mouse stays free while the lag panel is open");
  await page.evaluate(() => document.getElementById("view").focus());
  await page.keyboard.down("KeyW");
  await page.focus("#lag input[type=text]");
  await page.keyboard.up("KeyW");
  await page.waitForTimeout(700);
  checks.ok(Math.hypot(...(await ann.self()).velocity) < 0.1, "a key that goes up in a field of the panel is not held", (await ann.self()).velocity.join());
  await page.keyboard.press("Escape");
  await checks.until("Escape closes that", 20_000, async () => !(await page.isVisible("#lag .lil-gui")));
}

/** Plays on a phone, held upright and across. */
export async function testPhone(checks, server, browser) {
  const ann = await openPlayer(browser, "Ann", 4, { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
  const { page } = ann;
  try {
    await page.addInitScript(() => delete Element.prototype.requestPointerLock); // as on iOS
    await page.goto(`${server.url}/?quality=low`, { timeout: 30_000 });
    await page.waitForFunction(() => window.backstep !== undefined);
    const title = await page.evaluate(() => { const r = document.querySelector("h1").getBoundingClientRect(); return r.right <= innerWidth && r.top >= 0; });
    checks.ok(title, "a phone shows the whole title");
    await page.tap("#play");
    await checks.until("a tap on Play joins, without pointer lock", 30_000, async () => (await ann.self()).playing && page.isVisible("#touch .fire"));
    await page.waitForTimeout(500);
    await ann.screenshot("phone-portrait.png");
    checks.ok((await overlaps(page)) === "", "upright, nothing is cut or overlaps", await overlaps(page));
    checks.ok(!(await page.isVisible("#pause")), "no pause note");
    await touches(checks, ann);
    await page.setViewportSize({ width: 844, height: 390 });
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("Emulation.setSafeAreaInsetsOverride", { insets: SAFE });
    await page.waitForTimeout(700);
    await ann.screenshot("phone-landscape.png");
    checks.ok((await overlaps(page, SAFE)) === "", "across, nothing is cut, overlaps, or is behind the notch", await overlaps(page, SAFE));
    checks.ok(ann.errors.length === 0, "the page reported no errors", ann.errors.slice(0, 3).join(" | "));
  } finally {
    await ann.browser.close();
  }
}

async function touches(checks, ann) {
  const { page } = ann;
  const cdp = await page.context().newCDPSession(page);
  const touch = (type, ...points) => cdp.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
  const from = (await ann.self()).position;
  await touch("touchStart", [90, 600]);
  await touch("touchMove", [90, 540]);
  await checks.until("the left thumb moves", 10_000, async () => Math.hypot(...(await ann.self()).position.map((v, i) => v - from[i])) > 1);
  await touch("touchEnd");
  const { yaw } = await ann.self();
  await touch("touchStart", [250, 300]);
  await touch("touchMove", [330, 300]);
  await checks.until("dragging elsewhere turns the view", 20_000, async () => Math.abs((await ann.self()).yaw - yaw) > 0.3);
  await touch("touchEnd");
  const press = async (button) => {
    const box = await page.locator(`#touch .${button}`).boundingBox();
    await touch("touchStart", [box.x + box.width / 2, box.y + box.height / 2]);
  };
  const { ammo } = await ann.self();
  await press("fire");
  await checks.until("the fire button fires", 20_000, async () => (await ann.self()).ammo < ammo);
  await touch("touchEnd");
  await press("jump");
  await checks.until("the jump button jumps", 20_000, async () => (await ann.self()).mode === 2);
  await touch("touchEnd");
  const { weapon } = await ann.self();
  await press("weapon");
  await checks.until("the weapon button takes the next one", 20_000, async () => (await ann.self()).weapon !== weapon);
  await touch("touchEnd");
}

/** Returns which parts of the HUD leave the screen or overlap; empty if none. */
function overlaps(page, safe = { left: 0, right: 0, bottom: 0 }) {
  return page.evaluate((safe) => {
    const parts = [...document.querySelectorAll("#touch button, #vitals, #weapon, #transport, #score, #goals, #ping")]
      .filter((e) => e.checkVisibility()).map((e) => ({ name: e.id || e.className, box: e.getBoundingClientRect() }));
    const out = [];
    for (const [i, { name, box }] of parts.entries()) {
      if (box.left < safe.left || box.top < 0 || box.right > innerWidth - safe.right || box.bottom > innerHeight - safe.bottom) out.push(`${name} is cut`);
      for (const other of parts.slice(i + 1)) {
        const b = other.box;
        if (box.left < b.right && b.left < box.right && box.top < b.bottom && b.top < box.bottom) out.push(`${name} and ${other.name} overlap`);
      }
    }
    return out.join(", ");
  }, safe);
}

/** What the page says when something is wrong. */
export async function testErrors(checks, server, ann) {
  const { page } = ann;
  await page.route("**/levels/**", (route) => (route.request().url().includes(".glb") ? route.abort() : route.continue()));
  await page.goto(`${server.url}/?quality=low`, { timeout: 30_000 });
  await page.route("**/api/join*", (route) => route.abort());
  await page.click("#play", { timeout: 15_000 });
  await checks.until("no server: the page says so and offers another try", 10_000, async () => (await ann.text("#error")).includes("does not answer") && (await ann.text("#error-action")) === "Try again");
  await ann.screenshot("error-no-server.png");
  await page.unroute("**/api/join*");
  await page.click("#error-action");
  await checks.until("the level cannot be loaded: the page says so too", 20_000, async () => (await page.isEnabled("#play")) && (await page.isVisible("#start")) && (await ann.text("#error")).includes("does not answer"));
  await page.unroute("**/levels/**");
  await inFrontDoorLine(checks, ann);
  await page.click("#play");
  await checks.until("another try joins", 30_000, async () => (await ann.self()).playing && page.isVisible("#vitals"));
  await withoutNextLevel(checks, ann);
  await ann.call("dropConnection");
  await checks.until("a lost connection and its return are shown", 10_000, async () => /Connection lost|Connected again/.test(await ann.text("#banner")));
  await checks.until("and the note goes", 15_000, async () => !(await page.isVisible("#banner")));
  await page.evaluate(() => document.getElementById("view").dispatchEvent(new Event("webglcontextlost")));
  await checks.until("a lost picture is explained, with a button", 20_000, async () => (await ann.text("#trouble")).includes("graphics card"));
  checks.ok(await page.evaluate(() => document.pointerLockElement === null), "which the mouse is free to click");
  checks.ok(await page.evaluate(() => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { code: "Space", bubbles: true, cancelable: true }))), "and Space presses, though it is bound to jump");
  await accessible(checks, page, "the dialog");
  await ann.screenshot("error-context.png");
  await page.evaluate(() => document.getElementById("view").dispatchEvent(new Event("webglcontextrestored")));
  await page.route("**/api/join*", (route) => route.abort());
  await server.stop();
  await checks.until("a stopped server is explained and its reason kept", 20_000, async () => /server has stopped/i.test(await ann.text("#banner")));
  await page.waitForTimeout(2500); // later tries fail with other reasons
  checks.ok(/server has stopped/i.test(await ann.text("#banner")), "also after later tries", await ann.text("#banner"));
  await ann.screenshot("error-stopped.png");
  await page.evaluate(() => document.exitPointerLock()); // as Escape does
  await page.click("#banner-leave");
  await checks.until("Leave goes back to the start page", 10_000, async () => (await page.isVisible("#start")) && !(await page.isVisible("#banner")));
}

/** The model of the next level cannot be loaded. */
async function withoutNextLevel(checks, ann) {
  const { page } = ann;
  await page.route("**/api/join*", async (route) => route.fulfill({ json: { ...(await (await route.fetch()).json()), model: "/levels/gone.glb" } }));
  await ann.call("dropConnection");
  await checks.until("the next level cannot be loaded: the page goes back to its start and says so", 20_000, async () => (await page.isVisible("#start")) && (await ann.text("#error")).includes("404"));
  await page.unroute("**/api/join*");
  await page.click("#error-action");
  await checks.until("and another try joins again", 30_000, async () => (await ann.self()).playing && page.isVisible("#vitals"));
  await page.click("#view", { position: { x: 200, y: 240 } });
}

/** A front door lets the player wait in the queue. */
async function inFrontDoorLine(checks, ann) {
  const { page } = ann;
  let place = 3;
  await page.route("**/api/join*", (route) => (place === 0 ? route.abort() : route.fulfill({ json: { place, ticket: "t" } })));
  await page.click("#play");
  await checks.until("in the queue of a front door the page says the place", 10_000, async () => (await ann.text("#progress")).includes("2 wait before you"));
  place = 1;
  await checks.until("and who is next", 10_000, async () => (await ann.text("#progress")).includes("you are next"));
  place = 0;
  await checks.until("until it does not answer", 20_000, async () => (await ann.text("#error")).includes("does not answer"));
  await page.unroute("**/api/join*");
}

/** A player whose page began with high quality, because the graphics card is none of software, chooses low. */
export async function testQuality(checks, server, ann) {
  const { page } = ann;
  await page.addInitScript(() => (WebGL2RenderingContext.prototype.getExtension = new Proxy(WebGL2RenderingContext.prototype.getExtension, {
    apply: (get, gl, [name]) => (name === "WEBGL_debug_renderer_info" ? null : get.call(gl, name)), // says who draws
  })));
  await page.setViewportSize({ width: 160, height: 120 });
  await page.goto(server.url, { timeout: 30_000 });
  const low = () => page.evaluate(() => document.body.classList.contains("low-quality"));
  await page.waitForFunction(() => window.backstep !== undefined, undefined, { timeout: 30_000 });
  checks.ok(!(await low()), "without software graphics the quality is high");
  await page.evaluate(() => {
    const quality = document.querySelector("#settings [name=quality]");
    quality.value = "low";
    quality.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await page.click("#play");
  await checks.until("Ann plays", 60_000, async () => (await ann.self()).playing && page.isVisible("#vitals"));
  await page.waitForTimeout(5000); // after 2.5 s below 45 frames a second, as here, an automatic quality is the next lower one
  checks.ok(await low(), "low quality that the player chose stays low");
}

/** A browser without WebGL. */
export async function testNoWebGL(checks, server, ann) {
  await ann.page.addInitScript(() => (HTMLCanvasElement.prototype.getContext = () => null));
  await ann.page.goto(`${server.url}/?quality=low`, { timeout: 30_000 });
  await checks.until("no WebGL: the page says so", 10_000, async () => (await ann.text("#trouble")).includes("WebGL"));
  await ann.screenshot("error-webgl.png");
}

/** A gamepad presses Play, and the hints show its buttons. */
export async function testGamepadStart(checks, server, ann) {
  const { page } = ann;
  await page.addInitScript(() => {
    window.fakePad = { pressed: false };
    navigator.getGamepads = () => [{ connected: true, mapping: "standard", axes: [0, 0, 0, 0], buttons: Array.from({ length: 17 }, (_, i) => ({ pressed: i === 0 && window.fakePad.pressed, value: i === 0 && window.fakePad.pressed ? 1 : 0 })) }];
  });
  await page.goto(`${server.url}/?quality=low`, { timeout: 30_000 });
  await page.waitForFunction(() => window.backstep !== undefined);
  await page.waitForTimeout(300);
  await page.evaluate(() => (window.fakePad.pressed = true));
  await checks.until("A of a gamepad presses Play", 30_000, async () => (await ann.self()).playing);
  await checks.until("the hints show its buttons", 20_000, async () => (await ann.text("#dash kbd")) === "LB");
}

/** Screenshots at all sizes; the element root is shown, and nothing of it leaves the screen. */
export async function sizes(checks, player, name, root = "start") {
  const { page } = player;
  const before = page.viewportSize();
  for (const size of SIZES) {
    await page.setViewportSize({ width: size[0], height: size[1] });
    await fits(checks, player, name, root, size);
  }
  await page.setViewportSize(before);
}

/** A screenshot at a size that the page has or is about to have; root is shown and inside the screen. */
export async function fits(checks, player, name, root, [width, height]) {
  await checks.until(`${name} at ${width}×${height}: nothing is cut`, 20_000, () =>
    player.page.evaluate(([root, width]) => {
      const element = document.getElementById(root);
      const { left, right, top, bottom } = element.getBoundingClientRect();
      return innerWidth === width && element.checkVisibility() && left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && element.scrollWidth <= innerWidth;
    }, [root, width]));
  await player.page.waitForTimeout(300); // the next drawn frame
  await player.screenshot(`${name}-${width}x${height}.png`);
}

/** axe-core finds nothing serious. */
export async function accessible(checks, page, what) {
  await page.evaluate(AXE);
  const found = await page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
    return violations.filter((v) => v.impact === "serious" || v.impact === "critical").map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(", ")}`);
  });
  checks.ok(found.length === 0, `axe-core finds nothing serious in ${what}`, found.join(" | "));
}

/** Counts the bytes that the page transfers. */
async function countBytes(page) {
  const cdp = await page.context().newCDPSession(page);
  const total = { bytes: 0, urls: [] };
  const urls = new Map();
  cdp.on("Network.responseReceived", (e) => urls.set(e.requestId, e.response.url));
  cdp.on("Network.loadingFinished", (e) => {
    total.bytes += e.encodedDataLength;
    total.urls.push(urls.get(e.requestId) ?? "");
  });
  await cdp.send("Network.enable");
  return total;
}
