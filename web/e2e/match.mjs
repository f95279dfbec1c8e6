// The story that both transports must tell alike.

const CHEST = 1.1;

/** Two players join; one walks up the stairs and shoots the other; both see it. */
export async function playMatch(checks, server, ann, bob, transport) {
  await join(checks, server, ann, bob, transport);
  await climb(checks, server, ann);
  await fight(checks, server, ann, bob, transport);
  await comeBack(checks, server, bob);
}

async function join(checks, server, ann, bob, transport) {
  await Promise.all([ann.join(server.url, transport), bob.join(server.url, transport)]);
  for (const player of [ann, bob]) {
    await checks.until(`${player.name} plays`, 20_000, async () => (await player.self()).playing);
    const link = await player.link();
    checks.ok(link?.road === transport, `${player.name} is connected by ${transport}`, `${link?.road} ${link?.why ?? ""}`);
  }
  await checks.until("each sees the other by name", 10_000, async () => {
    const [seen, by] = [await ann.remotes(), await bob.remotes()];
    return seen.length === 1 && seen[0].name === bob.name && by.length === 1 && by[0].name === ann.name;
  });
}

/** Waits in the page, frame by frame: the landing is four metres long. */
async function climb(checks, server, ann) {
  await checks.until("the server has the climber at the foot of the stairs", 5_000, async () => (await height(server, ann)) < 0.3);
  await ann.call("lookAlong", 0, 0);
  await ann.call("setInput", { forward: 1 });
  const climbed = await ann.page
    .waitForFunction(() => window.backstep.self().position[1] > 1.45, undefined, { timeout: 20_000, polling: "raf" })
    .then(() => true, () => false);
  await ann.call("setInput", {});
  checks.ok(climbed, "the page draws the climber at the top");
  await checks.until("the server has the climber at the top", 5_000, async () => (await height(server, ann)) > 1.4);
}

async function fight(checks, server, ann, bob, transport) {
  await bob.call("lookAlong", 0, 0.1);
  await checks.until("a shot hits, as the shooter sees it", 15_000, () => shootAt(ann, bob, "predicted"));
  await checks.until("the server confirms it", 10_000, () => shootAt(ann, bob, "confirmed"));
  await checks.until("the one who was hit feels it", 5_000, async () => (await bob.events("hurt")).length > 0);
  const spread = await ann.picture(`${transport}-shooter.png`);
  checks.ok(spread > 15, "the shooter's picture is not blank", `pixels spread by ${spread.toFixed(0)}`);
  await checks.until("the server counts the kill", 30_000, async () => {
    await shootAt(ann, bob, "confirmed");
    return (await server.players()).some((p) => p.name === ann.name && p.kills >= 1);
  });
  for (const player of [ann, bob]) {
    await checks.until(`${player.name} reads of it in the kill feed`, 5_000, async () => {
      const feed = await player.text("#feed");
      return feed.includes(ann.name) && feed.includes(bob.name);
    });
  }
  const dead = await bob.picture(`${transport}-target.png`);
  checks.ok(dead > 15, "the target's picture is not blank", `pixels spread by ${dead.toFixed(0)}`);
  await checks.until("the dead returns with full health", 10_000, async () => {
    const self = await bob.self();
    return !self.dead && self.health === 100;
  });
}

/** Aims at the chest as drawn and pulls the trigger once; returns whether there
 * has been a hit of that verdict by now. */
async function shootAt(shooter, target, verdict) {
  const [seen] = (await shooter.remotes()).filter((r) => r.name === target.name);
  if (seen !== undefined && !seen.dead) {
    await shooter.call("lookAt", seen.position[0], seen.position[1] + CHEST, seen.position[2]);
    await shooter.call("fire");
  }
  return (await shooter.events("hit")).some((e) => e.verdict === verdict);
}

/** Joins with directions to a port where nobody speaks QUIC. */
export async function fallBack(checks, server, ann) {
  await ann.page.route("**/api/join*", async (route) => {
    const answer = await route.fetch();
    const join = await answer.json();
    await route.fulfill({ json: { ...join, webtransport: "https://127.0.0.1:9/play" } });
  });
  await ann.join(server.url, "");
  await checks.until("Ann plays", 30_000, async () => (await ann.self()).playing);
  const link = await ann.link();
  checks.ok(link?.road === "websocket", "by WebSocket", `${link?.road}`);
  checks.ok(/webtransport/i.test(link?.why ?? ""), "and the page says why", link?.why ?? "");
  const shown = await ann.text("body");
  checks.ok(shown.includes("WebSocket"), "where one can read it");
}

/** A connection that dies is mended, and a core that fails is replaced: the
 * player is who it was. */
async function comeBack(checks, server, bob) {
  const id = (await bob.self()).id;
  const back = async () => {
    const self = await bob.self();
    return (await bob.link())?.status === "open" && self.playing && self.id === id;
  };
  const before = await bob.call("troubles");
  await bob.call("dropConnection");
  await checks.until("a dropped connection is noticed", 5_000, async () => (await bob.call("troubles")).losses > before.losses);
  await checks.until("the player comes back under the same number", 15_000, back);
  await bob.call("failCore");
  await checks.until("a core that fails is noticed", 5_000, async () => (await bob.call("troubles")).crashes === before.crashes + 1);
  await checks.until("and replaced, under the same number", 15_000, back);
  const players = await server.players();
  checks.ok(players.filter((p) => p.name === bob.name).length === 1, "the server has the player once");
}

/** The way a person takes: the start screen, the keyboard, the panels. */
export async function playByHand(checks, server, ann, bob) {
  const { page } = ann;
  await page.goto(`${server.url}/?quality=low`, { timeout: 30_000 });
  await page.fill("#name", "Hana", { timeout: 15_000 });
  await page.click("#play", { timeout: 15_000 });
  await checks.until("a name and a click on Play join", 20_000, async () => (await ann.self()).playing);
  const from = (await ann.self()).position;
  await page.keyboard.down("KeyW");
  await checks.until("W walks", 10_000, async () => Math.hypot(...(await ann.self()).position.map((v, i) => v - from[i])) > 1);
  await page.keyboard.up("KeyW");
  await page.keyboard.press("F3");
  await checks.until("F3 shows the network's figures", 5_000, async () => (await ann.text("#net")).includes("round trip"));
  await seeTraces(checks, ann, bob);
  await page.keyboard.down("Tab");
  await checks.until("Tab shows who plays", 5_000, async () => {
    const text = await ann.text("#scoreboard");
    return text.includes("Hana") && text.includes(bob.name);
  });
  await page.keyboard.up("Tab");
  await page.keyboard.press("KeyL");
  await checks.until("L shows the lag panel", 5_000, async () => (await ann.text("#lag")).includes("latency"));
}

/** F4 shows what came of somebody who walks, where they are drawn and where they are. */
async function seeTraces(checks, ann, bob) {
  checks.ok((await ann.call("traces")).length === 0, "nothing is traced before F4");
  await ann.call("setLag", { latency: 50, jitter: 0, loss: 0 });
  await bob.call("lookAlong", 2, 0);
  await bob.call("setInput", { forward: 1, right: 1 });
  await ann.page.keyboard.press("F3");
  await ann.page.keyboard.press("F4");
  const trace = await checks.until("F4 shows the received states of one who walks", 10_000, async () => {
    const [t] = await ann.call("traces");
    return t?.fit === "interpolated" && t.states.filter((s) => !s.kink).length > 8 && t.behind > 0.03 && Math.hypot(...t.drawn.map((v, i) => v - t.ghost[i])) > 0.1 && t;
  });
  if (trace) {
    checks.ok(trace.mode === "interpolate", "who is drawn between two of them", `${trace.mode}, ${trace.fit}, ${(trace.behind * 1000).toFixed(0)} ms behind`);
    await ann.call("lookAt", ...trace.drawn);
  }
  await checks.until("in words, too", 5_000, async () => /Bob.*ms behind.*ms old = .*to the server.*mode interpolate, fit /s.test(await ann.text("#traces")));
  await ann.picture("traces-640.png");
  const { page } = ann;
  const small = page.viewportSize();
  await page.setViewportSize({ width: 1280, height: 720 });
  await bob.call("lookAlong", 2 + Math.PI, 0);
  await page.waitForTimeout(700);
  const [now] = await ann.call("traces");
  if (now !== undefined) await ann.call("lookAt", ...now.drawn);
  await page.waitForTimeout(200);
  await ann.picture("traces-1280.png");
  await page.setViewportSize(small);
  await bob.call("setInput", {});
  await ann.call("setLag", { latency: 0, jitter: 0, loss: 0 });
  await page.keyboard.press("F4");
  await checks.until("F4 again, and it is gone", 5_000, async () => (await ann.call("traces")).length === 0 && !(await page.isVisible("#traces")));
}

async function height(server, player) {
  const found = (await server.players()).find((p) => p.name === player.name);
  return found?.position[1];
}

/** Lag that the panel adds is felt, and taken away again. */
export async function feelLag(checks, ann) {
  await ann.call("setLag", { latency: 60, jitter: 10, loss: 0.02 });
  await checks.until("lag of 60 ms each way shows as a round trip over 110 ms", 20_000, async () => (await ann.self()).rtt > 0.11);
  await ann.call("setLag", { latency: 0, jitter: 0, loss: 0 });
}
