// Played by the browser test: Ann holds the fort with two bots of the server. She stands on the plate of a
// gate, which shuts, and shoots.
export async function play({ checks, page, read, until, hold, picture }) {
  await until("two bots help", 15, () => window.session.remotes.length === 2);
  await until("attackers come", 20, () => window.session.entities.length >= 4 && window.session.view.match.wave >= 1);
  await page.mouse.click(400, 250);
  await until("a click captures the mouse", 10, () => document.pointerLockElement !== null);
  await page.mouse.down();
  await until("Ann shoots", 10, () => window.session.self.ammo[0].rounds < 24);
  await page.mouse.up();
  await until("attackers are shot", 40, () => window.session.remotes.some((r) => r.fields.score > 0));
  await until("attackers are near", 40, () => {
    const { entities, position, input } = window.session;
    return entities.some((e) => {
      const [x, z] = [e.position.x - position.x, e.position.z - position.z];
      return !e.dead && Math.hypot(x, z) > 3 && Math.hypot(x, z) < 9 && -x * Math.sin(input.yaw) - z * Math.cos(input.yaw) > 0.8 * Math.hypot(x, z);
    });
  });
  await picture();
  const corrections = await read(() => window.mispredictions());
  checks.ok(corrections === 0, "without a correction", `${corrections}`);
}
