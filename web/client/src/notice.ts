// What a player reads while nothing can be played, over any page: in the queue, connection lost, refused, no server.
// Start at noticeFor.
import type { Link } from "./session.js";

/** What a notice says. */
export interface NoticeText {
  text: string;
  /** Whether there is a button that reloads the page, to try again. */
  again: boolean;
}

/** Returns what to show; undefined while the match can be played. place is in the queue, 0 for none. */
export function noticeFor({ status, reason }: Pick<Link, "status" | "reason">, place: number): NoticeText | undefined {
  if (status === "ended") return reason === "left" ? undefined : { text: sentence(reason), again: true };
  if (status === "lost" && /next level begins/.test(reason)) return { text: `${sentence(reason).slice(0, -1)} …`, again: false };
  if (status === "lost") return { text: `${lostBy(plain(reason))}. Reconnecting …`, again: false };
  if (place > 0) return { text: `The match is full. You are number ${place} in the queue.`, again: false };
  return undefined;
}

/** Why a connection was lost, which some browsers say in these very words. */
function lostBy(reason: string): string {
  return reason === "" || /^connection lost/i.test(reason) ? "Connection lost" : `Connection lost: ${reason}`;
}

/** A reason without the package that gave it: "host: you are banned". */
function plain(reason: string): string {
  return reason.replace(/^[a-z]+: /, "").replace(/\.$/, "");
}

function sentence(reason: string): string {
  const text = plain(reason);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

const STYLE =
  "position:fixed;z-index:1000;left:50%;top:max(12px,env(safe-area-inset-top));transform:translateX(-50%);max-width:min(36rem,calc(100vw - 24px));" +
  "box-sizing:border-box;padding:10px 16px;border-radius:10px;background:#10161fee;color:#f2f5f9;font:16px/1.4 system-ui,sans-serif;text-align:center";

/** Shows notices: an element of its own on the page, which stays while its text changes, so that a screen reader says
 * the new one. */
export class Notice {
  private element: HTMLElement | undefined;
  private shown = "";

  /** Shows a notice, or none. */
  show(notice: NoticeText | undefined): void {
    const key = notice === undefined ? "" : `${notice.again}${notice.text}`;
    if (key === this.shown) return;
    this.shown = key;
    if (notice === undefined) {
      this.element?.remove();
      this.element = undefined;
      return;
    }
    const box = (this.element ??= added());
    box.setAttribute("role", notice.again ? "alert" : "status");
    box.replaceChildren(notice.text);
    if (!notice.again) return;
    box.append(" ", again());
    if (document.pointerLockElement) document.exitPointerLock(); // a captured mouse cannot click the button
  }
}

/** Adds an empty notice to the page. */
function added(): HTMLElement {
  const box = document.createElement("div");
  box.className = "backstep-notice";
  box.style.cssText = STYLE;
  document.body.append(box);
  return box;
}

function again(): HTMLElement {
  const button = document.createElement("button");
  button.textContent = "Try again";
  button.style.cssText = "font:inherit;min-height:44px;padding:0 14px;cursor:pointer";
  button.onclick = () => location.reload();
  return button;
}
