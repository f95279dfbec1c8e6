// The page sends the input and draws. A player's abilities are in ../game/game.go.
import { animate, connect } from "@backstep/client";
import { Controls, Stage } from "@backstep/three";
import type { Roots } from "./game";

const asked = new URLSearchParams(location.search);
const session = await connect<Roots>("/", { name: asked.get("name") ?? "Ann", match: asked.get("match") ?? "" });
const stage = new Stage(session, {
  camera: "first",
  name: ({ fields }) => `${fields?.name} ${fields?.health}`,
});
const controls = new Controls(stage.canvas, { buttons: { Mouse0: "fire", Space: "jump", KeyR: "reload", ShiftLeft: "sprint" } });
const [status, aim] = ["#status", "#aim"].map((id) => document.querySelector(id)!);
let hitUntil = 0;

animate((now) => {
  const claim = { fire: controls.fire }; // the shot goes where the player looks, and is judged in what the screen shows
  if (!session.frame({ ...controls.move, sprint: controls.held("ShiftLeft", "Pad10"), reload: controls.pressed("KeyR", "Pad2"), claim })) return;
  for (const event of session.events) {
    if (event.kind === "teleported" && !session.self!.dead) controls.look(event.yaw);
    if (event.kind === "shotJudged" && event.receipt.verdict === "hit") hitUntil = now + 150;
  }
  aim!.className = now < hitUntil ? "hit" : "";
  stage.draw();
  const { health, score } = session.view.fields;
  status!.textContent = session.self!.dead ? "You are dead" : `health ${health} · ${score} shot${controls.touch ? "" : " · click to look, hold to fire, R to reload"}`;
});
