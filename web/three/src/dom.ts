// Elements of the debug panels and of touch, and their style.

/** Sets the text of an element, unless it is unchanged. */
export function setText(into: HTMLElement, text: string): void {
  if (into.textContent !== text) into.textContent = text;
}

/** Creates an element with text. */
export function make(tag: string, text = "", className = ""): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  if (className !== "") made.className = className;
  return made;
}

/** A page's own rules for these elements come before these: each is one class. */
const STYLE = `
.backstep-net, .backstep-debug { position: fixed; left: 1rem; color: #dfe9f3; font: 0.72rem/1.5 ui-monospace, "DejaVu Sans Mono", Menlo, monospace; pointer-events: none; z-index: 1; box-sizing: border-box; }
.backstep-net[hidden], .backstep-debug[hidden] { display: none; }
.backstep-net { top: 1rem; width: min(38rem, calc(100vw - 2rem)); display: flex; flex-direction: column; gap: 0.5rem; }
.backstep-net .verdict { margin: 0; padding: 0.5rem 0.9rem; font: 600 0.95rem/1.4 system-ui, "DejaVu Sans", sans-serif; background: rgb(13 20 30 / 0.9); border: 1px solid rgb(255 255 255 / 0.14); border-left: 4px solid #9be28a; border-radius: 12px; }
.backstep-net .verdict[data-grade="fair"] { border-left-color: #ffb454; }
.backstep-net .verdict[data-grade="bad"] { border-left-color: #ff6a5c; }
.backstep-net dl { margin: 0.5rem 0 0; }
.backstep-net canvas { display: block; width: 100%; height: 3.6rem; }
@media (max-width: 540px) { .backstep-net canvas { height: 6.4rem; } }
.backstep-net .figures, .backstep-net section, .backstep-debug { margin: 0; padding: 0.6rem 0.9rem; background: rgb(13 20 30 / 0.74); border: 1px solid rgb(255 255 255 / 0.14); border-radius: 12px; }
.backstep-net dl { columns: 2; column-gap: 1.2rem; }
.backstep-net dl div { display: flex; gap: 0.6em; break-inside: avoid; white-space: pre; }
.backstep-net dt { flex: none; width: 19ch; color: #a9b8c9; }
.backstep-net dd { margin: 0; overflow: hidden; text-overflow: ellipsis; }
.backstep-net h3 { margin: 0; font-size: 1em; font-weight: 600; }
.backstep-net h3 span { margin-left: 0.8em; font-weight: 400; color: #a9b8c9; }
.backstep-net ol { margin: 0; padding: 0; list-style: none; }
.backstep-net li { display: grid; grid-template-columns: 6ch 13ch 8ch 1fr auto; gap: 0 1ch; white-space: nowrap; }
.backstep-net li[hidden] { display: none; }
.backstep-net .ago, .backstep-net .distance { text-align: right; }
.backstep-net .ago, .backstep-net .replayed { color: #a9b8c9; }
.backstep-net .fields { overflow: hidden; text-overflow: ellipsis; padding-left: 1ch; }
.backstep-net [data-cause="misprediction"] .cause, .backstep-net [data-cause="throttle"] .cause { color: #ff9d8f; }
.backstep-net [data-cause="timeout"] .cause { color: #ffb454; }
.backstep-net [data-cause="server force"] .cause, .backstep-net [data-cause="teleport"] .cause { color: #62d3ea; }
.backstep-debug { bottom: 1rem; width: max-content; max-width: min(58rem, calc(100vw - 2rem)); }
.backstep-debug p { margin: 0 0 0.25rem; }
.backstep-debug table { border-collapse: collapse; }
.backstep-debug th { padding-right: 1.2em; text-align: left; font-weight: 600; }
.backstep-debug td { padding-right: 1.2em; white-space: nowrap; }
.backstep-debug td:last-child { padding: 0; white-space: normal; }
.backstep-debug tr:nth-child(n + 7) { display: none; }
.backstep-debug details { pointer-events: auto; }
.backstep-debug summary { color: #a9b8c9; cursor: pointer; }
.backstep-debug .legend { color: #a9b8c9; }
.backstep-debug .legend span { display: inline-block; margin-right: 1.1em; }
.backstep-debug .legend span::before { content: ""; display: inline-block; width: 0.62em; height: 0.62em; margin-right: 0.5em; border-radius: 50%; background: var(--colour); }
.backstep-touch { position: fixed; z-index: 2; inset: env(safe-area-inset-top) env(safe-area-inset-right) env(safe-area-inset-bottom) env(safe-area-inset-left); pointer-events: none; }
.backstep-touch[hidden] { display: none; }
.backstep-touch button { position: absolute; translate: 50% 50%; box-sizing: border-box; min-width: 48px; min-height: 48px; padding: 0; font: 600 14px/1.1 system-ui, "DejaVu Sans", sans-serif; white-space: normal; overflow-wrap: anywhere; color: #fff; background: rgb(13 20 30 / 0.68); border: 1.5px solid rgb(255 255 255 / 0.5); border-radius: 50%; pointer-events: auto; touch-action: none; user-select: none; -webkit-user-select: none; -webkit-touch-callout: none; -webkit-tap-highlight-color: transparent; }
.backstep-touch button.pressed { color: #10161f; background: rgb(255 180 84 / 0.92); }
.backstep-stick { position: fixed; inset: auto auto calc(84px + env(safe-area-inset-bottom)) calc(84px + env(safe-area-inset-left)); width: 0; height: 0; }
.backstep-stick::before, .backstep-stick i { content: ""; position: absolute; inset: -60px; box-sizing: border-box; border-radius: 50%; border: 2px solid rgb(255 255 255 / 0.4); background: rgb(13 20 30 / 0.16); }
.backstep-stick i { inset: -20px; background: rgb(255 255 255 / 0.35); }
`;

let styled = false;

/** Adds the style of these elements to the page, once, before the page's own. */
export function addStyle(): void {
  if (styled) return;
  styled = true;
  document.head.prepend(make("style", STYLE));
}
