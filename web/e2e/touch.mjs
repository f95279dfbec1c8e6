// Touch in a game that backstep new wrote: a phone's page upright and across, its stick, its buttons, its safe area.
import { openPlayer } from "./browser.mjs";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 1 };
/** Of a phone with a notch and a home indicator, pixels. */
const SAFE = { upright: { top: 47, bottom: 34 }, across: { left: 47, right: 47, bottom: 21 } };

/** Plays the shooter whose page is at url. */
export async function testTouch(checks, browser, cleanups, url) {
  const ann = await openPlayer(browser, "touch", 2, PHONE);
  cleanups.add(() => ann.browser.close());
  const { page } = ann;
  const cdp = await page.context().newCDPSession(page);
  await page.goto(`${url}?name=Ann`);
  await checks.until("touch: Ann plays", 60_000, () => page.evaluate(() => window.session?.self !== undefined));
  for (const way of ["upright", "across"]) {
    if (way === "across") await page.setViewportSize({ width: 844, height: 390 });
    await cdp.send("Emulation.setSafeAreaInsetsOverride", { insets: SAFE[way] });
    await checks.until(`touch, ${way}: the page fills the screen`, 20_000, () => page.evaluate(() => document.querySelector("canvas").clientWidth === innerWidth && innerWidth === screen.width));
    const cut = await page.evaluate(cutOrOverlapping, SAFE[way]);
    checks.ok(cut === "", `touch, ${way}: nothing is cut or overlaps`, cut);
    await ann.screenshot(`new-touch-${way}.png`);
    await play(checks, page, cdp, way);
  }
  await page.mouse.move(200, 100);
  await checks.until("touch: a mouse hides the buttons", 10_000, async () => !(await page.isVisible(".backstep-touch button")));
  checks.ok(ann.errors.length === 0, "touch: the page reported no errors", ann.errors.slice(0, 3).join(" | "));
  await ann.browser.close();
}

/** Walks, jumps, holds fire while the same finger turns the view, and reloads. */
async function play(checks, page, cdp, way) {
  const touch = (type, ...points) => cdp.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
  const until = (what, poll) => checks.until(`touch, ${way}: ${what}`, 20_000, poll);
  const read = () => page.evaluate(() => {
    const { self, view } = window.session;
    return { speed: Math.hypot(view.pose.velocity.x, view.pose.velocity.z), mode: self.mode, rounds: self.ammo[0].rounds, yaw: window.controls.yaw };
  });
  const middle = async (label) => {
    const box = await page.getByRole("button", { name: label }).boundingBox();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const y0 = page.viewportSize().height - 120;
  await touch("touchStart", [120, y0]);
  const ways = [[160, y0], [120, y0 - 40], [80, y0], [120, y0 + 40]]; // she may stand at a wall
  await until("the stick walks", async () => {
    ways.push(ways.shift());
    await touch("touchMove", ways[0]);
    await page.waitForTimeout(300);
    return (await read()).speed > 1;
  });
  await touch("touchEnd");
  await touch("touchStart", await middle("jump"));
  await until("a button jumps", async () => (await read()).mode === FALLING);
  await touch("touchEnd");
  const { rounds, yaw } = await read();
  const [x, y] = await middle("fire");
  await touch("touchStart", [x, y]);
  await touch("touchMove", [x - 80, y]);
  await until("a button that is held fires again and again", async () => (await read()).rounds < rounds - 2);
  checks.ok(Math.abs((await read()).yaw - yaw) > 0.2, `touch, ${way}: and dragging from it turns the view`);
  await touch("touchEnd");
  const left = (await read()).rounds;
  await touch("touchStart", await middle("reload"));
  await touch("touchEnd");
  await until("a tap on a button reloads", async () => (await read()).rounds > left);
}

const FALLING = 2; // Go: movement.Falling

/** Runs in the page: returns which parts leave the safe area or overlap; empty if none. */
function cutOrOverlapping({ top = 0, bottom = 0, left = 0, right = 0 }) {
  const round = (x, y, radius) => ({ left: x - radius, right: x + radius, top: y - radius, bottom: y + radius });
  const stick = document.querySelector(".backstep-stick").getBoundingClientRect();
  const parts = [{ name: "stick", round: true, box: round(stick.x, stick.y, 60) }];
  for (const e of document.querySelectorAll(".backstep-touch button, #status, #aim")) parts.push({ name: e.id || e.textContent, round: e.localName === "button", box: e.getBoundingClientRect() });
  const out = [];
  for (const [i, { name, box, ...a }] of parts.entries()) {
    if (box.left < left || box.top < top || box.right > innerWidth - right || box.bottom > innerHeight - bottom) out.push(`${name} is cut`);
    if (a.round && box.right - box.left < 48) out.push(`${name} is too small`);
    for (const { name: other, box: b, ...c } of parts.slice(i + 1)) {
      const apart = Math.hypot(box.left + box.right - b.left - b.right, box.top + box.bottom - b.top - b.bottom) / 2;
      const touching = box.left < b.right && b.left < box.right && box.top < b.bottom && b.top < box.bottom;
      const circles = a.round && c.round && apart > (box.right - box.left + b.right - b.left) / 2;
      if (touching && !circles) out.push(`${name} and ${other} overlap`);
    }
  }
  return out.join(", ");
}
