// Played by the browser test: Ann runs about among the server's two bots, gathers coins and shoots.
export async function play({ checks, page, read, until, hold, picture }) {
  await until("coins lie about", 15, () => window.session.entities.filter((e) => e.kind === 1).length >= 14);
  await until("she and the bots have names", 15, () => window.session.remotes.length === 2 && window.session.remotes.map((r) => r.fields.name).sort().join() === "Bot 1,Bot 2");
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
  const first = await read(() => window.session.joinInfo.level);
  const others = await read(() => window.session.remotes.map((r) => r.id).sort().join());
  const id = await read(() => window.session.id);
  await until("the first with 15 coins leads all into the other maze", 180, (first) => window.session.joinInfo.level !== first && window.session.position.x !== 0, first);
  await until("the bots are there, with their seats and a star", 30, (others) => window.session.remotes.map((r) => r.id).sort().join() === others && [window.session.view, ...window.session.remotes].some((p) => p.fields.wins > 0), others);
  checks.ok((await read(() => window.session.id)) === id, "Ann has her seat");
  const before = await read(() => window.session.position.x);
  await hold(["KeyA"], () => hold(["KeyW"], () => until("and she runs in it", 10, (from) => Math.abs(window.session.position.x - from) > 0.5, before)));
  const corrections = await read(() => window.mispredictions());
  checks.ok(corrections === 0, "without a correction", `${corrections}`);
}
