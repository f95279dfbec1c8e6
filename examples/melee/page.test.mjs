// Played by the browser test: Ann fights four bots of the server. She strikes, blocks and is hit.
export async function play({ checks, page, read, until, hold, picture }) {
  await until("four bots fight along", 15, () => window.session.remotes.length === 4);
  await hold(["KeyQ"], () => until("the shield is up", 10, () => window.session.self.shield === 1 && window.session.view.fields.shield === 1));
  await page.mouse.move(400, 250);
  await page.mouse.down();
  await until("a strike winds up", 10, () => window.session.view.fields.act === 1);
  await page.mouse.up();
  await hold(["KeyW"], () => until("Ann goes to the others", 10, () => window.session.remotes.some((r) => Math.hypot(r.position.x - window.session.position.x, r.position.z - window.session.position.z) < 3.5)));
  await picture();
  await until("a fighter is hit", 30, () => window.session.remotes.some((r) => r.fields.health < 100));
  const corrections = await read(() => window.session.stats.moves.corrections);
  checks.ok(corrections === 0, "nothing is corrected but by blows", `${corrections}`);
}
