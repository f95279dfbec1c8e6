// What moves people: a dash, the lift, and flying about as a spectator.

const LIFT_X = -17;
const FLYING = 4;

/** Dashes, rides the lift up and off, and watches: over 150 ms, without one
 * correction. */
export async function rideLift(checks, server, ann) {
  await ann.join(server.url, "");
  await checks.until("Ann plays", 30_000, async () => (await ann.self()).playing);
  await ann.call("setLag", { latency: 75, jitter: 0, loss: 0 });
  await checks.until("the line has a round trip of 150 ms", 20_000, async () => (await ann.self()).rtt > 0.14);
  const before = (await ann.self()).corrections;
  await dash(checks, ann);
  await ride(checks, server, ann);
  const { corrections } = await ann.self();
  checks.ok(corrections === before, "nothing of it had to be corrected", `${corrections - before} corrections`);
  await watch(checks, ann);
}

async function dash(checks, ann) {
  await ann.call("lookAlong", Math.PI, 0);
  const from = (await ann.self()).position;
  await ann.call("setInput", { dash: true });
  await checks.until("a dash moves by more than 2.5 m", 5_000, async () => (await ann.self()).position[2] > from[2] + 2.5);
  await ann.call("setInput", {});
}

/** Waits beside the lift until it has just come down, walks on, rides, walks off. */
async function ride(checks, server, ann) {
  await ann.call("lookAlong", 0, 0);
  await ann.call("setInput", { forward: 1 });
  await see(ann, () => window.backstep.self().position[2] < 8.3);
  await ann.call("setInput", {});
  const low = await see(ann, (x) => {
    const lift = window.backstep.bodies().find((b) => Math.abs(b.position[0] - x) < 0.1);
    const was = window.liftWas ?? 0;
    window.liftWas = lift.position[1];
    return was > 0.3 && lift.position[1] < 0.3;
  });
  checks.ok(low, "the lift is drawn going up and down");
  await ann.call("setInput", { forward: 1 });
  await see(ann, () => window.backstep.self().position[2] < 5.6);
  await ann.call("setInput", {});
  await checks.until("the lift carries the player", 5_000, async () => (await ann.self()).rides);
  const up = await see(ann, () => window.backstep.self().position[1] > 4.2);
  checks.ok(up, "the lift lifts the player to the deck");
  await checks.until("the server has the player up there", 5_000, async () => (await server.players())[0]?.position[1] > 4.1);
  await ann.call("setInput", { forward: 1 });
  await checks.until("the player walks off onto the deck", 5_000, async () => {
    const self = await ann.self();
    return !self.rides && self.position[2] < 3.6 && self.position[1] > 4.1;
  });
  await ann.call("setInput", {});
}

async function watch(checks, ann) {
  await ann.call("watch");
  await checks.until("V flies about as a spectator", 5_000, async () => {
    const self = await ann.self();
    return self.watching && self.mode === FLYING;
  });
  await ann.call("setInput", { jump: true });
  await checks.until("and up", 10_000, async () => (await ann.self()).position[1] > 4.9);
  await ann.call("setInput", {});
  await ann.call("watch");
  await checks.until("and plays again", 15_000, async () => {
    const self = await ann.self();
    return !self.watching && self.health === 100 && self.mode === 1;
  });
}

/** Waits in the page, frame by frame. */
function see(ann, what) {
  return ann.page.waitForFunction(what, LIFT_X, { timeout: 25_000, polling: "raf" }).then(() => true, () => false);
}
