// Played by the browser test: Ann plays with five bots of the server. She runs to the ball and kicks it, and
// it leaves her foot on her own screen before the server can have answered.
export async function play({ checks, page, read, until, hold, picture }) {
  await until("five bots play along, in two teams", 15, () => {
    const { remotes, view } = window.session;
    return remotes.length === 5 && remotes.filter((r) => r.fields.team === 1).length === 3 - Number(view.fields.team === 1);
  });
  await until("there is a ball", 10, () => window.session.roots.bodies.drawn.length === 1);
  await page.mouse.click(400, 250);
  await until("a click captures the mouse", 10, () => document.pointerLockElement !== null);
  await page.mouse.down();
  await until("the kick charges", 10, () => window.session.self.charge > 0.5);
  await hold(["KeyW"], async () => {
    await page.mouse.up();
    await until("and is released", 10, () => window.session.self.power > 5);
  });
  await picture();
  const corrections = await read(() => window.mispredictions());
  checks.ok(corrections === 0, "without a correction", `${corrections}`);
}
