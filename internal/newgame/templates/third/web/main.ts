// The page sends the input and draws. A player's abilities are in ../game/game.go.
import { animate, connect } from "@backstep/client";
import { Controls, Stage } from "@backstep/three";
import type { Roots } from "./game";

const asked = new URLSearchParams(location.search);
const session = await connect<Roots>("/", { name: asked.get("name") ?? "Ann", match: asked.get("match") ?? "" });
const stage = new Stage(session, {
  name: ({ fields }) => `${fields?.it ? "▶ " : ""}${fields?.name} ${fields?.score}`,
});
const controls = new Controls(stage.canvas, { buttons: { Space: "jump", ShiftLeft: "sprint" } });
const status = document.querySelector("#status")!;

animate(() => {
  if (!session.frame({ ...controls.move, sprint: controls.held("ShiftLeft", "Pad10") })) return;
  stage.draw();
  const { it, score } = session.view.fields;
  status.textContent = `${it ? "You are it: catch somebody!" : "Run!"} · ${score} caught · breath ${session.self!.breath.toFixed(1)} s`;
});
