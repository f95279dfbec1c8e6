// Played by the browser test: Ann fights four bots of the server. She strikes, blocks and is hit.
export async function play({ checks, page, read, until, hold, picture }) {
  await until("four bots fight along", 15, () => window.session.remotes.length === 4);
  await hold(["KeyQ"], async () => {
    await until("the shield is up", 10, () => window.session.self.shield === 1 && window.session.view.fields.shield === 1);
    await until("a fighter comes", 30, () => {
      const { remotes, position, input } = window.session;
      return remotes.some((r) => {
        const [x, z] = [r.position.x - position.x, r.position.z - position.z];
        return !r.dead && Math.hypot(x, z) < 6 && -x * Math.sin(input.yaw) - z * Math.cos(input.yaw) > 1.5;
      });
    });
    await picture();
  });
  await page.mouse.click(400, 250);
  await until("a click captures the mouse", 10, () => document.pointerLockElement !== null);
  await page.mouse.down();
  await until("a strike winds up", 10, () => window.session.view.fields.act === 1);
  await page.mouse.up();
  await until("a fighter is hit", 30, () => window.session.remotes.some((r) => r.fields.health < 100));
  const corrections = await read(() => window.mispredictions());
  checks.ok(corrections === 0, "nothing is corrected but by blows", `${corrections}`);
}
