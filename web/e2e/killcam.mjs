// The killcam: what the killer saw of its victim agrees with the server's evidence of the shot.

import { accessible, fits, SIZES } from "./page.mjs";

const SAME = 0.02; // metres
const CHEST = 1.1;

/** Ann kills the strafing Bob twice; Bob watches the first death and skips the second. */
export async function testKillcam(checks, ann, bob) {
  await watch(bob.page);
  await bob.page.emulateMedia({ reducedMotion: "reduce" }); // stills: a slow page may respawn before the moving picture comes to the shot
  await hold(bob.page, "killer");
  await kill(checks, ann, bob);
  const shown = await checks.until("Bob's page shows what Ann saw", 20_000, () => seen(bob.page, "killer"));
  if (!shown) return;
  await bob.screenshot("killcam-killer.png");
  await release(bob.page);
  const shot = await evidence(ann, shown.players[0]);
  checks.ok(shot !== undefined, "Bob is where the server tested Ann's shot, to 2 cm", JSON.stringify(shown.players[0]));
  if (shot !== undefined) checks.ok(apart(shot.eye, shown.eye) < SAME, "and the camera is where she fired from", `${apart(shot.eye, shown.eye).toFixed(4)} m`);
  const { sentence, age, hidden } = shown;
  const figure = hidden > 0 ? hidden : age;
  checks.ok(sentence.includes(`${Math.round(figure * 1000)} ms`) || sentence.includes("within"), "the sentence has the server's figure", `${sentence} (${age} s, ${hidden} s)`);
  await checks.until("then the page plays on", 20_000, async () => (await bob.page.evaluate(() => window.backstep.killcam().screen)) === "" && !(await bob.self()).dead);
  const note = await bob.page.evaluate(() => window.deathWhy); // none where a slow page has the respawn first
  checks.ok(note === undefined || note === sentence, "the death note has the sentence too", note);

  checks.ok(shown.before === 0, "with reduced motion as a still", `${shown.before} s before the shot`);
  await bob.page.emulateMedia({ reducedMotion: "no-preference" });
  await bob.page.evaluate(() => {
    window.killcams = [];
    window.pressKeys = true;
  });
  await kill(checks, ann, bob);
  await checks.until("a key skips the second", 20_000, async () => (await seen(bob.page, "killer")) && (await bob.page.evaluate(() => window.backstep.killcam().screen)) === "");
  checks.ok(!(await seen(bob.page, "own")), "before the own screen");
  for (const { page } of [ann, bob]) await page.evaluate(() => (window.script = undefined));
}

/** The killcam held still, once for each size: a held page does not draw another size. */
export async function testKillcamSizes(checks, ann, bob) {
  await watch(bob.page);
  await bob.page.emulateMedia({ reducedMotion: "reduce" });
  for (const size of SIZES) {
    await bob.page.setViewportSize({ width: size[0], height: size[1] });
    await bob.page.evaluate(() => (window.killcams = []));
    await ann.page.evaluate(() => (document.getElementById("kill-note").textContent = "")); // of the kill before
    await hold(bob.page, "killer");
    await kill(checks, ann, bob);
    await checks.until("Ann's page shows her kill", 10_000, () => ann.page.evaluate(() => document.getElementById("kill-note").textContent.startsWith("You killed Bob")));
    if (!(await checks.until("the killcam is held", 20_000, () => bob.page.evaluate(() => window.held)))) return;
    await fits(checks, bob, "killcam", "killcam", size);
    if (size === SIZES[0]) await accessible(checks, bob.page, "the killcam");
    await release(bob.page);
    await bob.page.waitForFunction(() => window.backstep.killcam().screen === "", undefined, { timeout: 20_000 }); // else the next hold is of this one
  }
}

/** Runs in each frame of the page: keeps what the killcam shows, the newest of each screen, and the death note. */
function watch(page) {
  return page.evaluate(() => {
    window.killcams = [];
    const look = () => {
      const now = window.backstep.killcam();
      const last = window.killcams.at(-1);
      if (now !== undefined && now.screen !== "") {
        if (last?.screen === now.screen) window.killcams.pop();
        window.killcams.push(now);
      }
      const death = document.getElementById("death");
      const why = document.getElementById("death-why").textContent;
      if (why !== "" && !death.hidden && getComputedStyle(death).display !== "none") window.deathWhy = why;
      if (window.pressKeys && now?.screen === "killer") window.dispatchEvent(new KeyboardEvent("keydown", { code: "KeyX" }));
      window.script?.();
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
}

/** Stops the page's frames once the screen is still, for a picture. */
function hold(page, screen) {
  return page.evaluate((screen) => {
    const request = (window.freeRequest ??= window.requestAnimationFrame.bind(window));
    window.waiting = [];
    window.requestAnimationFrame = (callback) =>
      request((now) => {
        const state = window.backstep.killcam();
        if (!window.held && state?.screen === screen && state.before === 0) {
          window.held = true;
          window.killcams.push(state);
        }
        if (window.held) window.waiting.push(callback);
        else callback(now);
      });
  }, screen);
}

function release(page) {
  return page.evaluate(() => {
    window.requestAnimationFrame = window.freeRequest;
    window.held = false;
    for (const callback of window.waiting.splice(0)) callback(performance.now());
  });
}

/** Returns the last that the killcam showed of a screen, once it was still or has ended. */
function seen(page, screen) {
  return page.evaluate((screen) => window.killcams.findLast((k) => k.screen === screen && (k.before === 0 || window.backstep.killcam().screen !== screen)), screen);
}

/** Bob strafes to and fro, and Ann aims at what she draws of him and fires until he is dead. Both act in their pages'
 * frames: a script out here would be too late. */
async function kill(checks, ann, bob) {
  await bob.page.waitForFunction(() => !window.backstep.self().dead && window.backstep.self().health > 0, undefined, { timeout: 20_000 });
  const { deaths } = await bob.self();
  await bob.page.evaluate(() => {
    window.script = () => window.backstep.setInput({ right: Math.floor(performance.now() / 700) % 2 === 0 ? 1 : -1 });
  });
  await ann.page.evaluate(([name, chest]) => {
    const fight = () => {
      const it = window.backstep.remotes().find((r) => r.name === name);
      if (it !== undefined && !it.dead) {
        const [x, y, z] = it.position;
        window.backstep.lookAt(x, y + chest, z);
        window.backstep.setInput({ weapon: 1 });
        window.backstep.fire();
      }
      if (window.fighting) requestAnimationFrame(fight);
    };
    window.fighting = true;
    requestAnimationFrame(fight);
  }, [bob.name, CHEST]);
  await checks.until("Ann kills Bob", 60_000, async () => (await bob.self()).deaths > deaths);
  await ann.page.evaluate(() => (window.fighting = false));
  await ann.call("setInput", {});
  await bob.page.evaluate(() => (window.script = undefined));
  await bob.call("setInput", {});
}

/** Returns the one of Ann's last shots (F6) that the server tested against a player there; undefined if there is none. */
async function evidence(ann, player) {
  const { page } = ann;
  await page.keyboard.press("F6");
  let found;
  for (let tries = 0; tries < 60 && found === undefined; tries++) {
    await page.waitForFunction(() => window.backstep.shotDebug()?.poses !== "pending", undefined, { timeout: 20_000 });
    const shot = await ann.call("shotDebug");
    if (shot?.targets.some((t) => t.id === player.id && apart(t.position, player.position) < SAME)) found = shot;
    else if (shot !== undefined && shot.index === shot.count - 1) break;
    else await older(page, shot?.index ?? -1);
  }
  await page.keyboard.press("F6");
  return found;
}

/** Selects the next older shot. A page that draws few frames can miss a key that is pressed between two of them; the
 * caller then tries again. */
async function older(page, index) {
  if (index >= 0) await page.keyboard.press("BracketLeft", { delay: 100 });
  await page.waitForFunction((index) => (window.backstep.shotDebug()?.index ?? -1) !== index, index, { timeout: 2000 }).catch(() => undefined);
}

function apart(a, b) {
  return Math.hypot(...a.map((v, i) => v - b[i]));
}
