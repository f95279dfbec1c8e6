// The debug overlays of a stage: the figures of the network, and from what other players are drawn. Start at
// Overlays.show.
import type { Session } from "@backstep/client";
import type * as THREE from "three";
import { CorrectionLog } from "./corrections.js";
import { make } from "./dom.js";
import { NetPanel } from "./netpanel.js";
import { outlineOf, RemoteDebugLayer } from "./remotedebug.js";
import type { DrawableRoots, RemoteDebugs } from "./session.js";

/** Names of the overlays. */
export type OverlayName = "network" | "remotes";

/** The keys (KeyboardEvent.code) that show and hide the overlays; "" is none. */
export type OverlayKeys = Partial<Record<OverlayName, string>>;

const KEYS: Required<OverlayKeys> = { network: "F3", remotes: "F4" };

/** Both overlays, in elements of their own. */
export class Overlays {
  readonly group: THREE.Object3D;
  private readonly elements = [make("div"), make("div")] as const;
  private readonly net = new NetPanel(this.elements[0]);
  private readonly remotes: RemoteDebugLayer;
  private readonly corrections = new CorrectionLog();
  private readonly listeners = new AbortController();

  /** nameOf returns the name of a player in the text. */
  constructor(keys: OverlayKeys, nameOf: (id: number) => string) {
    this.remotes = new RemoteDebugLayer(this.elements[1], nameOf);
    this.group = this.remotes.group;
    this.net.follow(this.corrections);
    document.body.append(...this.elements);
    const bound = { ...KEYS, ...keys };
    const press = (e: KeyboardEvent): void => {
      for (const name of ["network", "remotes"] as const) {
        if (e.repeat || e.code !== bound[name]) continue;
        e.preventDefault(); // F3 searches the page
        this.toggle(name);
      }
    };
    window.addEventListener("keydown", press, { signal: this.listeners.signal });
  }

  /** Shows or hides an overlay. */
  toggle(name: OverlayName): void {
    if (name === "network") this.net.toggle();
    else this.remotes.toggle();
  }

  /** Updates what is shown. */
  show(session: Session<DrawableRoots>, stage: { fps: number; quality: string }, eye: THREE.Vector3): void {
    const now = performance.now();
    for (const correction of session.corrections) this.corrections.add(correction, now);
    const { view } = session;
    this.net.update(view.stats, {
      transport: session.link.transport, fps: stage.fps, quality: stage.quality, coreTime: session.frameTime, others: view.remotes.length, inputDelay: view.inputDelay,
    }, now);
    const { remoteDebug } = session.roots as { readonly remoteDebug?: RemoteDebugs };
    if (remoteDebug !== undefined) remoteDebug.shown = this.remotes.shown;
    if (this.remotes.shown) this.remotes.show(remoteDebug?.players ?? view.remotes.map(outlineOf), eye, now);
  }

  dispose(): void {
    this.listeners.abort();
    for (const element of this.elements) element.remove();
  }
}
