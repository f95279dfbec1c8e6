// What a player sees of the line without asking: bars in the corner, a warning of
// a high ping while the core says so, and notices. Start at LineSigns.
import type { NetView } from "../client/index";
import { element, setText } from "./dom";

/** How long a notice is shown, in milliseconds. */
const NOTICE_TIME = 20_000;

/** Writes to the page only what changed. */
export class LinkStatus {
  private readonly bars = element("bars");
  private readonly ping = element("ping");
  private readonly pingText = element("ping-text");
  private shownBars = -1;
  private shownText = "";
  private noticeText = "";
  private noticeEnds = 0;

  update(net: NetView, now: number): void {
    this.showBars(net.rtt > 0 ? net.quality : -1);
    const ping = Math.round(net.highPing * 1000);
    this.showText(now < this.noticeEnds ? this.noticeText : ping > 0 ? `High ping: ${ping} ms` : "");
  }

  /** Shows a sentence for a while. */
  notice(text: string, now: number): void {
    this.noticeText = text;
    this.noticeEnds = now + NOTICE_TIME;
  }

  /** Nothing is known of any line any more. */
  clear(): void {
    this.showBars(-1);
    this.noticeEnds = 0;
    this.showText("");
  }

  private showBars(bars: number): void {
    if (bars === this.shownBars) return;
    this.shownBars = bars;
    this.bars.hidden = bars < 0;
    this.bars.dataset.bars = `${bars}`;
    this.bars.setAttribute("aria-label", `${bars} of 4 bars`);
  }

  private showText(text: string): void {
    if (text === this.shownText) return;
    this.shownText = text;
    this.ping.hidden = text === "";
    if (text !== "") setText(this.pingText, text);
  }
}
