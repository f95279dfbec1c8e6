// A spectator follows another player, sees its name through walls, and has it on the map.
import { accessible } from "./page.mjs";

const BEHIND = 6; // metres from the followed player at most

/** Ann spectates and follows Bob. */
export async function testSpectator(checks, ann, bob) {
  const { page } = ann;
  await page.setViewportSize({ width: 1280, height: 720 });
  await ann.call("setInput", {});
  await checks.until("the map shows the level", 20_000, async () => (await colours(page)).length > 8);
  await ann.call("spectate");
  await checks.until("Ann spectates, in free flight", 20_000, async () => (await ann.self()).spectating && (await ann.call("camera")).followed === 0);
  await bob.page.waitForFunction(() => !window.backstep.self().dead && window.backstep.self().health > 0, undefined, { timeout: 30_000 });
  const id = (await bob.self()).id;
  await ann.page.waitForFunction((id) => window.backstep.remotes().some((r) => r.id === id && !r.dead), id, { timeout: 20_000 });
  await page.keyboard.press("Enter");
  await checks.until("Enter follows Bob", 20_000, async () => (await ann.call("camera")).followed === id && (await ann.text("#spectating")).includes(bob.name));
  await bob.call("setInput", { forward: 1 });
  await bob.page.waitForTimeout(1500);
  await bob.call("setInput", {});
  await checks.until("the camera stays behind him", 20_000, async () => {
    const [seen] = (await ann.remotes()).filter((r) => r.id === id);
    const { position } = await ann.call("camera");
    return seen !== undefined && Math.hypot(...position.map((v, i) => v - seen.position[i])) < BEHIND;
  });
  await checks.until("and he is on the map", 20_000, async () => (await colours(page)).includes("255,217,160"));
  await ann.screenshot("spectator.png");
  await accessible(checks, page, "a spectator's screen");
  await page.keyboard.press("Enter");
  await checks.until("after the last player comes free flight", 20_000, async () => (await ann.call("camera")).followed === 0);
  await page.setViewportSize({ width: 390, height: 844 });
  await checks.until("a small screen has no map", 20_000, async () => !(await page.isVisible("#minimap")));
  await ann.screenshot("spectator-390x844.png");
  await ann.call("spectate");
}

/** The colours of the map, as texts. */
function colours(page) {
  return page.evaluate(() => {
    const map = document.getElementById("minimap");
    const { data } = map.getContext("2d").getImageData(0, 0, map.width, map.height);
    const found = new Set();
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255) found.add(`${data[i]},${data[i + 1]},${data[i + 2]}`);
    return [...found];
  });
}
