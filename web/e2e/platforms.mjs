// Dash, lift, and spectating.

const LIFT_X = -17;
const FLYING = 4;

/** Dashes, rides the lift, and spectates at an RTT of 150 ms, without a correction. */
export async function testPlatforms(checks, server, ann) {
  await ann.join(server.url, "");
  await checks.until("Ann plays", 30_000, async () => (await ann.self()).playing);
  await ann.call("setLag", { latency: 75, jitter: 0, loss: 0 });
  await checks.until("the RTT is 150 ms", 20_000, async () => (await ann.self()).rtt > 0.14);
  const before = (await ann.self()).corrections;
  await dash(checks, ann);
  await ride(checks, server, ann);
  const { corrections } = await ann.self();
  checks.ok(corrections === before, "no corrections", `${corrections - before} corrections`);
  await spectate(checks, ann);
}

async function dash(checks, ann) {
  await ann.call("lookAlong", Math.PI, 0);
  const from = (await ann.self()).position;
  await ann.call("setInput", { dash: true });
  await checks.until("a dash moves by more than 2.5 m", 20_000, async () => (await ann.self()).position[2] > from[2] + 2.5);
  await ann.call("setInput", {});
}

/** Waits until the lift has just come down, steps on, rides up, steps off. */
async function ride(checks, server, ann) {
  await ann.call("lookAlong", 0, 0);
  await ann.call("setInput", { forward: 1 });
  await waitInPage(ann, () => window.backstep.self().position[2] < 8.3);
  await ann.call("setInput", {});
  const low = await waitInPage(ann, (x) => {
    const lift = window.backstep.movers().find((b) => Math.abs(b.position[0] - x) < 0.1);
    const was = window.liftHeight ?? 0;
    window.liftHeight = lift.position[1];
    return was > 0.3 && lift.position[1] < 0.3;
  });
  checks.ok(low, "the lift moves");
  await ann.call("setInput", { forward: 1 });
  await waitInPage(ann, () => window.backstep.self().position[2] < 5.6);
  await ann.call("setInput", {});
  await checks.until("the player stands on the lift", 20_000, async () => (await ann.self()).onMovingBase);
  const up = await waitInPage(ann, () => window.backstep.self().position[1] > 4.2);
  checks.ok(up, "the lift carries the player to the deck");
  await checks.until("the server agrees on the height", 20_000, async () => (await server.players())[0]?.position[1] > 4.1);
  await ann.call("setInput", { forward: 1 });
  await checks.until("the player steps onto the deck", 20_000, async () => {
    const self = await ann.self();
    return !self.onMovingBase && self.position[2] < 3.6 && self.position[1] > 4.1;
  });
  await ann.call("setInput", {});
}

async function spectate(checks, ann) {
  await ann.call("spectate");
  await checks.until("spectators fly", 20_000, async () => {
    const self = await ann.self();
    return self.spectating && self.mode === FLYING;
  });
  await ann.call("setInput", { jump: true });
  await checks.until("and move up", 10_000, async () => (await ann.self()).position[1] > 4.9);
  await ann.call("setInput", {});
  await ann.call("spectate");
  await checks.until("and play again", 15_000, async () => {
    const self = await ann.self();
    return !self.spectating && self.health === 100 && self.mode === 1;
  });
}

/** Polls a condition in the page every frame. */
function waitInPage(ann, condition) {
  return ann.page.waitForFunction(condition, LIFT_X, { timeout: 25_000, polling: "raf" }).then(() => true, () => false);
}
