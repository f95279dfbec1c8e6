// Football: the ball is pushed into a goal.

const FOOTBALL = 2;
const HEALTH = 4;

/** Pushes the ball into blue's goal at an RTT of 100 ms. */
export async function testFootball(checks, server, ann) {
  await ann.join(server.url, "");
  await checks.until("Ann plays", 30_000, async () => (await ann.self()).playing);
  await ann.call("setLag", { latency: 50, jitter: 0, loss: 0 });
  await checks.until("the RTT is 100 ms", 20_000, async () => (await ann.self()).rtt > 0.09);
  const ball = async () => (await ann.call("entities")).find((t) => t.kind === FOOTBALL);
  const before = await checks.until("the level has a football", 20_000, ball);
  const kinds = new Set((await ann.call("entities")).map((t) => t.kind));
  checks.ok(kinds.size === 4 && kinds.has(HEALTH), "and balls, crates and health packs", [...kinds].join(", "));
  await ann.call("lookAlong", 0, -0.1);
  await ann.page.waitForTimeout(300);
  await ann.screenshot("football-before.png");
  await ann.call("setInput", { forward: 1 });
  await checks.until("a player pushes the ball", 10_000, async () => (await ball()).position[2] < before.position[2] - 1);
  const goal = await checks.until("into the goal", 15_000, async () => (await ann.events("goals")).find((e) => e.red === 1));
  await ann.call("setInput", {});
  if (goal) checks.ok(goal.team === 1 && goal.blue === 0, "which counts for red", JSON.stringify(goal));
  await checks.until("the page shows it", 20_000, async () => /Red\s*1\s*:\s*0\s*Blue.*Goal for red by Ann/s.test(await ann.text("#goals")));
  await ann.screenshot("football-goal.png");
  await checks.until("the ball returns to the centre", 10_000, async () => Math.hypot(...(await ball()).position.map((v, i) => v - before.position[i])) < 0.1);
}
