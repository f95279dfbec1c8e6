// Played by the browser test: Ann jumps the first stones by her keys, falls, and is back at the start;
// a bot runs the course.
export const bots = 1;
export const nth = 2;

export async function play({ checks, page, read, until, hold, picture }) {
  await until("the bot has a name", 15, () => window.session.remotes.some((r) => r.fields.name === "Bot"));
  await hold(["KeyW"], () => until("she runs into the void", 15, () => window.session.position.y < -2));
  await until("and is back at the start", 15, () => window.session.self.falls >= 1 && window.session.self.mode === 1 && window.session.position.z > -6);
  await until("the bot passes the ferry", 60, () => window.session.remotes.some((r) => r.fields.checkpoint >= 2));
  await page.mouse.move(400, 200);
  await page.mouse.down();
  await page.mouse.move(380, 330, { steps: 4 }); // looks down on the course
  await page.mouse.up();
  await until("the mouse turns her", 10, () => window.session.input.pitch < -0.1);
  await hold(["KeyW"], () => until("and she runs ahead", 10, () => window.session.position.z < -1));
  await picture();
  const { corrections, time } = await read(() => ({ corrections: window.mispredictions(), time: window.session.self.time }));
  checks.ok(corrections === 0 && time > 1, "without a correction, her time runs", `${corrections}, ${time} s`);
}
