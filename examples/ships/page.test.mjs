// Played by the browser test: Ann flies among two bots and fires.
export const bots = 2;

export async function play({ checks, page, read, until, hold, picture }) {
  await until("she and the bots have names", 15, () => window.session.remotes.length === 2 && window.session.remotes.map((r) => r.fields.name).sort().join() === "Bot,Bot (2)");
  await until("the page knows the blocks of the level", 5, () => window.session.roots.level.blocks.length === 9);
  const speed = () => Math.hypot(window.session.self.velocity.x, window.session.self.velocity.z);
  await hold(["KeyW"], () => until("W flies ahead", 20, speed).then(() => page.waitForTimeout(500)));
  const from = await read(() => window.session.self.yaw);
  await hold(["KeyA"], () => until("A turns", 20, (from) => Math.abs(window.session.self.yaw - from) > 0.3, from));
  await page.keyboard.down("Space");
  await until("Space fires, at once", 20, () => window.session.shots.length > 0);
  await page.keyboard.up("Space");
  await until("somebody is hit", 90, () => [window.session.view.fields, ...window.session.remotes.map((r) => r.fields)].some((f) => f.health < 100));
  await until("and destroyed, which counts", 120, () => [window.session.view.fields, ...window.session.remotes.map((r) => r.fields)].some((f) => f.score > 0));
  await until("she has another life, with full health", 30, () => !window.session.self.dead);
  await picture();
  const corrections = await read(() => window.mispredictions());
  checks.ok(corrections === 0, "without a correction but for being destroyed", `${corrections}`);
}
