// The page sends the input and draws. A player's abilities are in ../game/game.go.
import { animate, connect } from "@backstep/client";
import { Controls, Stage } from "@backstep/three";
import type { Roots } from "./game";

const asked = new URLSearchParams(location.search);
const session = await connect<Roots>("/", { name: asked.get("name") ?? "Ann", match: asked.get("match") ?? "" });
const stage = new Stage(session, {
  name: ({ fields }) => `${fields?.name} ${fields?.score}`,
  bodies: () => session.roots.bodies.drawn,
});
const controls = new Controls(stage.canvas, { buttons: { Space: "jump" } });
const status = document.querySelector("#status")!;

animate(() => {
  if (!session.frame({ ...controls.move })) return;
  stage.draw();
  status.textContent = `${session.view.fields.score} through the ring`;
});
