// What a player sees of the line without asking: bars in the corner, a warning of
// a high ping while the core says so, and notices. Start at LineSigns.
import type { NetView } from "../client/index";
import { element, setText } from "./dom";

/** How long a notice is shown, in milliseconds. */
const NOTICE_TIME = 20_000;

/** Writes to the page only what changed. */
export class LineSigns {
  private readonly bars = element("bars");
  private readonly ping = element("ping");
  private readonly pingText = element("ping-text");
  private shown = -1;
  private warned = "";
  private noticed = "";
  private until = 0;

  update(net: NetView, now: number): void {
    this.quality(net.rtt > 0 ? net.quality : -1);
    const ping = Math.round(net.highPing * 1000);
    this.warn(now < this.until ? this.noticed : ping > 0 ? `High ping: ${ping} ms` : "");
  }

  /** Shows a sentence for a while. */
  notice(text: string, now: number): void {
    this.noticed = text;
    this.until = now + NOTICE_TIME;
  }

  /** Nothing is known of any line any more. */
  clear(): void {
    this.quality(-1);
    this.until = 0;
    this.warn("");
  }

  private quality(bars: number): void {
    if (bars === this.shown) return;
    this.shown = bars;
    this.bars.hidden = bars < 0;
    this.bars.dataset.bars = `${bars}`;
    this.bars.setAttribute("aria-label", `${bars} of 4 bars`);
  }

  private warn(text: string): void {
    if (text === this.warned) return;
    this.warned = text;
    this.ping.hidden = text === "";
    if (text !== "") setText(this.pingText, text);
  }
}
