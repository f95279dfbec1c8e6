// Played by the browser test: Ann skates with two bots. She tires, and the bots, which shoot, freeze
// each other or her.
export const bots = 2;
export const size = { width: 540, height: 900 };

export async function play({ checks, read, until, hold, picture }) {
  await until("she and the bots have names, which are fields", 15, () => {
    const { remotes, view } = window.session;
    return view.fields.name === "Ann" && remotes.length === 2 && remotes.map((r) => r.fields.name).sort().join() === "Bot,Bot (2)";
  });
  checks.ok((await read(() => window.session.roots.bodies.drawn.length)) === 1, "there is a puck");
  await hold(["ShiftLeft", "KeyW"], () => until("sprinting tires", 10, () => window.session.self.stamina === 0));
  await hold(["KeyA"], () => until("she skates before the door", 20, () => window.session.position.x < 1));
  await hold(["KeyS"], () => until("which opens for her", 20, () => window.session.movers[0].translation.y > 2));
  await until("somebody is frozen, and it is seen", 30, () => window.session.remotes.some((r) => r.fields.frozen === 1));
  await picture();
  const corrections = await read(() => window.mispredictions());
  checks.ok(corrections === 0, "without a correction", `${corrections}`);
}
