// The link status a player always sees: quality bars, a high ping warning, and notices. Start at
// LinkStatus.
import { setText } from "@backstep/three/parts";
import type { Stats } from "../core";
import { element } from "./dom";

/** Duration of a notice, milliseconds. */
const NOTICE_TIME = 20_000;

/** Only changes are written to the page. */
export class LinkStatus {
  private readonly bars = element("bars");
  private readonly ping = element("ping");
  private readonly pingText = element("ping-text");
  private shownBars = -1;
  private shownText = "";
  private noticeText = "";
  private noticeEnds = 0;

  /** highPing says to warn of the round trip. */
  update(net: Stats, highPing: boolean, now: number): void {
    this.showBars(net.rtt > 0 ? net.quality : -1);
    const ping = highPing ? Math.round(net.rtt * 1000) : 0;
    this.showText(now < this.noticeEnds ? this.noticeText : ping > 0 ? `High ping: ${ping} ms` : "");
  }

  /** Shows a notice for NOTICE_TIME. */
  notice(text: string, now: number): void {
    this.noticeText = text;
    this.noticeEnds = now + NOTICE_TIME;
  }

  /** Hides everything, after a match. */
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
    this.bars.setAttribute("aria-label", `Connection quality ${bars} of 4`);
  }

  private showText(text: string): void {
    if (text === this.shownText) return;
    this.shownText = text;
    this.ping.hidden = text === "";
    if (text !== "") setText(this.pingText, text);
  }
}
