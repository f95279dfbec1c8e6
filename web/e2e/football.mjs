// What lies about: the football is walked into a goal.

const FOOTBALL = 2;
const HEALTH = 4;

/** Walks the football into blue's goal, over 100 ms. */
export async function playFootball(checks, server, ann) {
  await ann.join(server.url, "");
  await checks.until("Ann plays", 30_000, async () => (await ann.self()).playing);
  await ann.call("setLag", { latency: 50, jitter: 0, loss: 0 });
  await checks.until("the line has a round trip of 100 ms", 20_000, async () => (await ann.self()).rtt > 0.09);
  const ball = async () => (await ann.call("things")).find((t) => t.kind === FOOTBALL);
  const before = await checks.until("the football is there", 5_000, ball);
  const sorts = new Set((await ann.call("things")).map((t) => t.kind));
  checks.ok(sorts.size === 4 && sorts.has(HEALTH), "with balls, crates and health packs", [...sorts].join(", "));
  await ann.call("lookAlong", 0, -0.1);
  await ann.page.waitForTimeout(300);
  await ann.picture("pitch-before.png");
  await ann.call("setInput", { forward: 1 });
  await checks.until("who walks into it moves it", 10_000, async () => (await ball()).position[2] < before.position[2] - 1);
  const goal = await checks.until("and into the goal", 15_000, async () => (await ann.events("goals")).find((e) => e.red === 1));
  await ann.call("setInput", {});
  if (goal) checks.ok(goal.team === "red" && goal.blue === 0, "which counts for red", JSON.stringify(goal));
  await checks.until("the page says so", 5_000, async () => /Red\s*1\s*:\s*0\s*Blue.*Goal for red by Ann/s.test(await ann.text("#goals")));
  await ann.picture("pitch-goal.png");
  await checks.until("the ball goes back to the middle", 10_000, async () => Math.hypot(...(await ball()).position.map((v, i) => v - before.position[i])) < 0.1);
}
