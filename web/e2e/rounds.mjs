// Rounds: protection after a spawn, a winner, a vote, and the next level on every page.
import { join } from "node:path";
import { openPlayer } from "./browser.mjs";
import { ROOT, startProgram } from "./server.mjs";

/** Starts a server of the arena's own levels, with easy bots and short rounds. */
export function startRounds(...flags) {
  const all = ["serve", "--addr", "127.0.0.1:0", "--quic", "127.0.0.1:0", "--web", "web/dist", "--bots", "4", ...flags];
  return startProgram(join(ROOT, "bin/backstep"), all, /backstep: open (http:\/\/\S+)/);
}

/** Two players, one of them on a phone, play a round to its end and vote for the yard. */
export async function testRounds(checks, browser, cleanups) {
  const server = await startRounds("--round", "25s");
  cleanups.add(server.stop);
  const ann = await openPlayer(browser, "Ann", 4, { viewport: { width: 1280, height: 720 } });
  const bob = await openPlayer(browser, "Bob", 4, { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
  cleanups.add(() => ann.browser.close());
  cleanups.add(() => bob.browser.close());
  const players = [ann, bob];
  await Promise.all(players.map((player) => start(player, server)));
  await checks.until("both play", 40_000, async () => (await Promise.all(players.map((p) => p.self()))).every((self) => self.playing));
  await begins(checks, ann);
  await ann.screenshot("rounds-spawn.png");
  await Promise.all(players.map(({ name, page }) => checks.until(`the round ends with a winner on ${name}'s page`, 60_000, () => page.isVisible("#round-end"))));
  await ends(checks, ann, bob);
  for (const player of players) await nextLevel(checks, player);
  await ann.page.waitForTimeout(3000);
  await ann.screenshot("rounds-yard.png");
  await bob.screenshot("rounds-yard-phone.png");
  for (const player of players) {
    const bad = player.errors.filter((text) => !/WebTransport|WebSocket|ERR_/.test(text));
    checks.ok(bad.length === 0, `${player.name}'s page reported no errors`, bad.slice(0, 3).join(" | "));
  }
  checks.ok((await server.stop()) === 0, "the server stopped cleanly");
}

async function start({ name, page }, server) {
  await page.goto(`${server.url}/?quality=low`, { timeout: 30_000 });
  await page.waitForFunction(() => window.backstep !== undefined);
  await page.fill("#name", name);
  await page.click("#play");
}

/** A new life is protected until its first shot, and the clock runs. */
async function begins(checks, { page }) {
  await checks.until("the clock runs", 10_000, async () => /^0:\d\d$/.test(await page.textContent("#round-clock")));
  checks.ok(!(await page.isVisible("#round-end")), "no winner while the round is played");
}

/** The winner is named, the buttons and the digits vote, and everybody sees the votes. */
async function ends(checks, ann, bob) {
  const winner = await ann.page.textContent("#round-winner");
  checks.ok(/wins?$|draw$/.test(winner), "the banner names the winner, or a draw", winner);
  await bob.page.evaluate(() => document.querySelector("#round-vote button:nth-child(2)").click()); // a tap waits for pictures
  await ann.page.keyboard.press("Digit2");
  await checks.until("both votes are shown on both pages", 20_000, async () => {
    const texts = await Promise.all([ann, bob].map(({ page }) => page.textContent("#round-vote button:nth-child(2)")));
    return texts.every((text) => text.includes("Yard") && text.includes("2 votes"));
  });
  await ann.screenshot("rounds-vote.png");
  await bob.screenshot("rounds-vote-phone.png");
  const inside = await bob.page.evaluate(() => {
    const r = document.querySelector("#round-end").getBoundingClientRect();
    return r.left >= 0 && r.right <= innerWidth && r.bottom <= innerHeight;
  });
  checks.ok(inside, "the phone shows the whole banner");
}

/** Everybody is in the yard, under the same name, from 0. */
async function nextLevel(checks, player) {
  const { page, name } = player;
  await checks.until(`${name} plays in the next level`, 30_000, async () => {
    const self = await player.self();
    return self.playing && self.health > 0 && self.kills === 0 && self.deaths === 0 && Math.abs(self.position[0]) < 22 && Math.abs(self.position[2]) < 22 &&
      (await page.isHidden("#round-end")) && (await page.isVisible("#round-clock"));
  });
  checks.ok(await page.isHidden("#start"), `${name} stays in the game`);
}
