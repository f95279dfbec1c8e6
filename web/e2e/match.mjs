// A match, the same over both transports.

const CHEST = 1.1;

/** Two players join; one climbs the stairs and shoots the other. */
export async function playMatch(checks, server, ann, bob, transport) {
  await join(checks, server, ann, bob, transport);
  await climb(checks, server, ann);
  await fight(checks, server, ann, bob, transport);
  await reconnect(checks, server, bob);
}

async function join(checks, server, ann, bob, transport) {
  await Promise.all([ann.join(server.url, transport), bob.join(server.url, transport)]);
  for (const player of [ann, bob]) {
    await checks.until(`${player.name} plays`, 20_000, async () => (await player.self()).playing);
    const link = await player.link();
    checks.ok(link?.transport === transport, `${player.name} is connected over ${transport}`, `${link?.transport} ${link?.reason ?? ""}`);
  }
  await checks.until("each player sees the other by name", 10_000, async () => {
    const [seen, by] = [await ann.remotes(), await bob.remotes()];
    return seen.length === 1 && seen[0].name === bob.name && by.length === 1 && by[0].name === ann.name;
  });
}

/** Polls in the page every frame, because the landing is only four metres long. */
async function climb(checks, server, ann) {
  await checks.until("the server has the player at the foot of the stairs", 20_000, async () => (await height(server, ann)) < 0.3);
  await ann.call("lookAlong", 0, 0);
  await ann.call("setInput", { forward: 1 });
  const climbed = await ann.page
    .waitForFunction(() => window.backstep.self().position[1] > 1.45, undefined, { timeout: 20_000, polling: "raf" })
    .then(() => true, () => false);
  await ann.call("setInput", {});
  checks.ok(climbed, "the page draws the player at the top");
  await checks.until("the server has the player at the top", 20_000, async () => (await height(server, ann)) > 1.4);
}

async function fight(checks, server, ann, bob, transport) {
  await bob.call("lookAlong", 0, 0.1);
  await checks.until("a hit is predicted", 15_000, () => shootAt(ann, bob, "predicted"));
  await checks.until("and confirmed by the server", 10_000, () => shootAt(ann, bob, "confirmed"));
  await checks.until("the target receives the damage", 20_000, async () => (await bob.events("damage")).length > 0);
  const deviation = await ann.screenshot(`${transport}-shooter.png`);
  checks.ok(deviation > 15, "the shooter's screen is not blank", `brightness deviation ${deviation.toFixed(0)}`);
  await checks.until("the server counts the kill", 30_000, async () => {
    await shootAt(ann, bob, "confirmed");
    return (await server.players()).some((p) => p.name === ann.name && p.kills >= 1);
  });
  for (const player of [ann, bob]) {
    await checks.until(`${player.name} sees it in the kill feed`, 20_000, async () => {
      const feed = await player.text("#feed");
      return feed.includes(ann.name) && feed.includes(bob.name);
    });
  }
  const dead = await bob.screenshot(`${transport}-target.png`);
  checks.ok(dead > 15, "the target's screen is not blank", `brightness deviation ${dead.toFixed(0)}`);
  await checks.until("the target respawns with full health", 10_000, async () => {
    const self = await bob.self();
    return !self.dead && self.health === 100;
  });
}

/** Aims at the drawn chest and fires once; returns whether there has been a hit with the
 * state. */
async function shootAt(shooter, target, state) {
  const [seen] = (await shooter.remotes()).filter((r) => r.name === target.name);
  if (seen !== undefined && !seen.dead) {
    await shooter.call("lookAt", seen.position[0], seen.position[1] + CHEST, seen.position[2]);
    await shooter.call("fire");
  }
  return (await shooter.events("hit")).some((e) => e.state === state);
}

/** Joins with a WebTransport address that does not answer. */
export async function testFallback(checks, server, ann) {
  await answerJoinWith(ann, { webtransport: "https://127.0.0.1:9/play" });
  await ann.join(server.url, "");
  await checks.until("Ann plays", 30_000, async () => (await ann.self()).playing);
  const link = await ann.link();
  checks.ok(link?.transport === "websocket", "over WebSocket", `${link?.transport}`);
  checks.ok(/webtransport/i.test(link?.reason ?? ""), "with the reason", link?.reason ?? "");
  await checks.until("which the page shows", 10_000, async () => (await ann.text("body")).includes("WebSocket"));
  checks.ok((await ann.page.evaluate(() => localStorage.getItem("backstep.webtransport") ?? "")).includes("127.0.0.1:9"), "and remembers for the next visit");
}

/** A server of another version: the page says to reload, with both versions. */
export async function testOtherVersion(checks, server, ann) {
  await answerJoinWith(ann, { protocol: 999 });
  await ann.join(server.url, "");
  const text = await ann.text("#error");
  checks.ok(/this page has protocol \d+ and the server has protocol 999: reload the page/.test(text), "a server of another version: the page says to reload", text);
  await ann.page.unroute("**/api/join*");
}

/** Changes the server's answers to /api/join on their way to the page. */
function answerJoinWith(ann, change) {
  return ann.page.route("**/api/join*", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ json: { ...(await answer.json()), ...change } });
  });
}

/** Drops the connection and fails the core; the player keeps its number each time. */
async function reconnect(checks, server, bob) {
  const id = (await bob.self()).id;
  const back = async () => {
    const self = await bob.self();
    return (await bob.link())?.status === "open" && self.playing && self.id === id;
  };
  const before = await bob.call("failures");
  await bob.call("dropConnection");
  await checks.until("a dropped connection is counted", 20_000, async () => (await bob.call("failures")).disconnects > before.disconnects);
  await checks.until("the player reconnects with the same number", 15_000, back);
  await bob.call("failCore");
  await checks.until("a failed core is counted", 20_000, async () => (await bob.call("failures")).crashes === before.crashes + 1);
  await checks.until("and restarted, with the same number", 15_000, back);
  const players = await server.players();
  checks.ok(players.filter((p) => p.name === bob.name).length === 1, "the server has the player once");
}

/** Plays with the start screen, the keyboard and the panels. */
export async function testPage(checks, server, ann, bob) {
  const { page } = ann;
  await page.goto(`${server.url}/?quality=low`, { timeout: 30_000 });
  await page.fill("#name", "Hana", { timeout: 15_000 });
  await page.click("#play", { timeout: 15_000 });
  await checks.until("Play joins", 20_000, async () => (await ann.self()).playing);
  const from = (await ann.self()).position;
  await page.keyboard.down("KeyW");
  await checks.until("W moves", 10_000, async () => Math.hypot(...(await ann.self()).position.map((v, i) => v - from[i])) > 1);
  await page.keyboard.up("KeyW");
  await page.keyboard.press("F3");
  await checks.until("F3 shows network stats", 20_000, async () => (await ann.text("#net")).includes("RTT"));
  await testRemoteDebug(checks, ann, bob);
  await page.keyboard.down("Tab");
  await checks.until("Tab shows the scoreboard", 20_000, async () => {
    const text = await ann.text("#scoreboard");
    return text.includes("Hana") && text.includes(bob.name);
  });
  await page.keyboard.up("Tab");
  await page.keyboard.press("KeyL");
  await checks.until("L shows the lag panel", 20_000, async () => (await ann.text("#lag")).includes("latency"));
}

/** F4 shows the samples, the drawn pose and the extrapolated pose of a moving player. */
async function testRemoteDebug(checks, ann, bob) {
  const { page } = ann;
  checks.ok((await ann.call("remoteDebug")).length === 0, "no remote debug before F4");
  await ann.call("setLag", { latency: 50, jitter: 0, loss: 0 });
  await bob.call("lookAlong", 2, 0);
  await bob.call("setInput", { forward: 1, right: 1 });
  await ann.page.keyboard.press("F3");
  await ann.page.keyboard.press("F4");
  const remote = await checks.until("F4 shows the received samples of a moving player", 10_000, async () => {
    const [t] = await ann.call("remoteDebug");
    return t?.source === "interpolated" && t.samples.filter((s) => !s.keyframe).length > 8 && t.delay > 0.03 && Math.hypot(...t.drawn.map((v, i) => v - t.extrapolated[i])) > 0.1 && t;
  });
  if (remote) {
    checks.ok(remote.mode === "interpolate", "drawn between two of them", `${remote.mode}, ${remote.source}, ${(remote.delay * 1000).toFixed(0)} ms behind`);
    await ann.call("lookAt", ...remote.drawn);
  }
  const legend = await ann.text("#remote-debug");
  checks.ok(legend.includes("its ghost: where it probably is by now") && !legend.includes("to server"), "with a plain legend, and the figures folded", legend.replaceAll("\n", " | "));
  await page.evaluate(() => (document.querySelector("#remote-debug details").open = true));
  await checks.until("with a text", 20_000, async () => /Bob.*ms behind.*ms old = .*to server.*interpolate, /s.test(await ann.text("#remote-debug")));
  await ann.screenshot("remote-debug-640.png");
  await page.evaluate(() => (document.querySelector("#remote-debug details").open = false));
  const small = page.viewportSize();
  await page.setViewportSize({ width: 1280, height: 720 });
  await bob.call("lookAlong", 2 + Math.PI, 0);
  await page.waitForTimeout(700);
  const [now] = await ann.call("remoteDebug");
  if (now !== undefined) await ann.call("lookAt", ...now.drawn);
  await page.waitForTimeout(200);
  await ann.screenshot("remote-debug-1280.png");
  await page.setViewportSize(small);
  await bob.call("setInput", {});
  await ann.call("setLag", { latency: 0, jitter: 0, loss: 0 });
  await page.keyboard.press("F4");
  await checks.until("F4 again hides it", 20_000, async () => (await ann.call("remoteDebug")).length === 0 && !(await page.isVisible("#remote-debug")));
}

async function height(server, player) {
  const found = (await server.players()).find((p) => p.name === player.name);
  return found?.position[1];
}

/** Simulated lag changes the RTT. */
export async function testLag(checks, ann) {
  await ann.call("setLag", { latency: 60, jitter: 10, loss: 0.02 });
  await checks.until("60 ms of lag in each direction give an RTT above 110 ms", 20_000, async () => (await ann.self()).rtt > 0.11);
  await ann.call("setLag", { latency: 0, jitter: 0, loss: 0 });
}
