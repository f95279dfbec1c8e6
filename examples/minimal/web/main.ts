import { animate, connect } from "@backstep/client";
import type { Roots } from "./game";

const session = await connect<Roots>(location.href, { name: "Ann" });
const keys = new Set<string>();
addEventListener("keydown", (e) => keys.add(e.code));
addEventListener("keyup", (e) => keys.delete(e.code));
animate(() => {
  session.frame({ forward: Number(keys.has("KeyW")), right: Number(keys.has("KeyD")) - Number(keys.has("KeyA")) });
  const dot = ({ x, z }: { x: number; z: number }) => `<b style="position:fixed;left:${50 + 2 * x}%;top:${50 + 2 * z}%">●</b>`;
  document.body.innerHTML = [session, ...session.remotes].map((of) => dot(of.position)).join("");
});
