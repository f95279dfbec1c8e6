// What a player sees of the line without asking: bars in the corner, and a warning of
// a high ping while the core says so. Start at LineSigns.
import type { NetView } from "../client/index";
import { element, setText } from "./dom";

/** Writes to the page only what changed. */
export class LineSigns {
  private readonly bars = element("bars");
  private readonly ping = element("ping");
  private readonly pingText = element("ping-text");
  private shown = -1;
  private warned = -1;

  update(net: NetView): void {
    this.quality(net.rtt > 0 ? net.quality : -1);
    this.warn(Math.round(net.highPing * 1000));
  }

  /** Nothing is known of any line any more. */
  clear(): void {
    this.quality(-1);
    this.warn(0);
  }

  private quality(bars: number): void {
    if (bars === this.shown) return;
    this.shown = bars;
    this.bars.hidden = bars < 0;
    this.bars.dataset.bars = `${bars}`;
    this.bars.setAttribute("aria-label", `${bars} of 4 bars`);
  }

  private warn(milliseconds: number): void {
    if (milliseconds === this.warned) return;
    this.warned = milliseconds;
    this.ping.hidden = milliseconds <= 0;
    if (milliseconds > 0) setText(this.pingText, `High ping: ${milliseconds} ms`);
  }
}
