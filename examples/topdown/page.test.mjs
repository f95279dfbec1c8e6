// Played by the browser test: Ann runs about among two bots, gathers coins and shoots.
export const bots = 2;

export async function play({ checks, page, read, until, hold, picture }) {
  await until("coins lie about", 15, () => window.session.entities.filter((e) => e.kind === 1).length >= 14);
  await until("she and the bots have names", 15, () => window.session.remotes.length === 2 && window.session.remotes.map((r) => r.fields.name).sort().join() === "Bot,Bot (2)");
  await page.mouse.move(700, 250); // aims to the right
  const from = await read(() => window.session.position.x);
  await hold(["KeyD"], () => until("D runs to the right of the screen", 10, (from) => window.session.position.x > from + 0.5, from));
  await page.mouse.down();
  await until("the bolt flies to the right", 10, () => window.session.projectiles.some((p) => p.velocity.x > 10));
  await until("a bot gathers coins", 60, () => window.session.remotes.some((r) => r.fields.coins + r.fields.wins > 0));
  await until("and others see its bolts", 90, () => window.session.entities.some((e) => e.kind === 2));
  const near = () => window.session.remotes.some((r) => Math.hypot(r.position.x - window.session.position.x, r.position.z - window.session.position.z) < 7);
  await page.waitForFunction(near, undefined, { timeout: 10_000 }).catch(() => undefined); // for the picture alone
  await picture();
  await page.mouse.up();
  const corrections = await read(() => window.mispredictions());
  checks.ok(corrections === 0, "without a correction", `${corrections}`);
}
