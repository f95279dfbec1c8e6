// The key bindings panel, edited as text. Start at BindingsPanel.
import { setText } from "@backstep/three/parts";
import { keyFor, rebind, REBINDABLE, type Rebindable } from "./bindingtext";
import type { ArenaInput } from "./input";
import { element } from "./dom";
import { load, save } from "./storage";
import { device, onDevice } from "./usedevice";

const SETTING = "backstep.bindings";

/** What takes clicks and the focus. */
const FIELDS = "input, select, summary, textarea, button";

/** The mouse's buttons by their number in an event. */
const BUTTONS = ["Mouse.Left", "Mouse.Middle", "Mouse.Right", "Mouse.Back", "Mouse.Forward"];

/** The keys, to be changed by click; the text of all bindings, to edit, apply and reset. */
export class BindingsPanel {
  private readonly root = element("bindings");
  private readonly text = element<HTMLTextAreaElement>("bindings-text");
  private readonly status = element("bindings-status");
  private readonly advanced = element<HTMLDetailsElement>("bindings-advanced");
  private readonly keys = element("keys");
  private readonly keysStatus = element("keys-status");
  private stopCapture: (() => void) | undefined; // while a click waits for its key
  private input: ArenaInput | undefined;
  private layout: Layout | undefined;

  constructor(private readonly close: () => void) {
    element<HTMLFormElement>("bindings-form").addEventListener("submit", (e) => {
      e.preventDefault();
      this.apply();
    });
    element("bindings-reset").addEventListener("click", () => this.reset());
    element("bindings-close").addEventListener("click", () => this.close());
    this.root.addEventListener("keydown", (e) => {
      if (e.code === "Escape") this.close();
      if (e.code === "Tab") this.wrapFocus(e);
    });
    this.root.addEventListener("contextmenu", (e) => e.target !== this.text && e.preventDefault()); // as of a right button that was just bound
    this.text.value = load(SETTING); // for the hints of the start page
    this.keys.append(...REBINDABLE.map((of) => this.keyButton(of)));
    onDevice(() => this.labelKeys());
    void keyboardLayout().then((layout) => {
      this.layout = layout;
      this.labelKeys();
    });
  }

  get shown(): boolean {
    return !this.root.hidden;
  }

  /** Returns the key bound to an action, on a gamepad the gamepad's if there is one. */
  keyOf(action: string): string {
    const key = this.input?.keyOf(action) ?? keyFor(this.text.value, { action, sign: "" });
    return device() === "gamepad" ? padKey(this.text.value, action) || key : key;
  }

  /** Applies the player's stored bindings to a new match. */
  attach(input: ArenaInput): void {
    this.input = input;
    const stored = load(SETTING);
    this.text.value = stored === "" ? input.defaultBindings : stored;
    this.showStatus(stored === "" ? "" : input.bind(stored), "");
    this.labelKeys();
  }

  /** Shows or hides the panel; returns whether it is shown. */
  toggle(): boolean {
    this.root.hidden = !this.root.hidden;
    this.stopCapture?.();
    if (this.root.hidden) (document.activeElement as HTMLElement | null)?.blur();
    else if (this.advanced.open) this.focusText();
    else this.root.querySelector("input")?.focus();
    return !this.root.hidden;
  }

  hide(): void {
    this.stopCapture?.();
    this.root.hidden = true;
  }

  /** Tab goes from the last field of the panel to the first, and with Shift back. */
  private wrapFocus(e: KeyboardEvent): void {
    const all = [...this.root.querySelectorAll<HTMLElement>(FIELDS)].filter((field) => field.checkVisibility());
    const [first, last] = [all[0], all.at(-1)];
    if (document.activeElement !== (e.shiftKey ? first : last)) return;
    e.preventDefault();
    (e.shiftKey ? last : first)?.focus();
  }

  /** Returns the button of an action: a click waits for a key or a button of the mouse. */
  private keyButton(of: Rebindable): HTMLElement {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset["key"] = `${of.sign}${of.action}`;
    button.append(of.label, document.createElement("kbd"));
    button.addEventListener("click", () => this.capture(of, button));
    return button;
  }

  /** Binds the next key or button of the mouse that is pressed; Escape, or a click on another field, leaves it as it is. */
  private capture(of: Rebindable, button: HTMLElement): void {
    this.stopCapture?.();
    const take = (e: Event, key: string): void => {
      e.preventDefault();
      e.stopImmediatePropagation();
      this.stopCapture?.();
      if (key !== "Escape") this.bindKey(of, key);
      button.focus();
    };
    const key = (e: KeyboardEvent): void => take(e, e.code || "Escape");
    const mouse = (e: MouseEvent): void => {
      if (e.button !== 0) take(e, BUTTONS[e.button] ?? "Escape");
    };
    const click = (e: Partial<PointerEvent> & MouseEvent): void => { // of the left button: its mousedown would be followed by a click on what is there
      const field = (e.target as Element).closest(FIELDS);
      if (e.pointerType === "touch" || (field !== null && field !== button)) this.stopCapture?.();
      else take(e, "Mouse.Left");
    };
    const listeners = new AbortController();
    const { signal } = listeners;
    window.addEventListener("keydown", key, { capture: true, signal });
    window.addEventListener("mousedown", mouse, { capture: true, signal });
    window.addEventListener("click", click, { capture: true, signal });
    button.classList.add("waiting");
    setText(this.keysStatus, `press the key for ${of.label}, or Escape`);
    this.stopCapture = () => {
      listeners.abort();
      button.classList.remove("waiting");
      setText(this.keysStatus, "click one, then press the new key");
      this.stopCapture = undefined;
    };
  }

  private bindKey(of: Rebindable, key: string): void {
    const before = this.text.value;
    this.text.value = rebind(before, of, key);
    const error = this.input?.bind(this.text.value) ?? "";
    if (error === "") save(SETTING, this.text.value);
    else this.text.value = before;
    this.labelKeys();
    if (error !== "") setText(this.keysStatus, error.replace(/^input: /, ""));
  }

  /** Focuses the text at its first line. */
  private focusText(): void {
    this.text.focus();
    this.text.setSelectionRange(0, 0);
    this.text.scrollTop = 0;
  }

  private apply(): void {
    if (this.input === undefined) return;
    const error = this.input.bind(this.text.value);
    this.showStatus(error, "Applied and saved in this browser.");
    this.labelKeys();
    if (error === "") save(SETTING, this.text.value);
    else this.selectError(error);
  }

  private reset(): void {
    if (this.input === undefined) return;
    this.text.value = this.input.defaultBindings;
    this.showStatus(this.input.bind(this.text.value), "Default bindings restored.");
    save(SETTING, "");
    this.labelKeys();
  }

  /** Writes the bound keys into the page's hints. */
  private labelKeys(): void {
    if (this.text.value === "") return; // the defaults, which the page says
    [...this.keys.children].forEach((button, i) => {
      const key = keyFor(this.text.value, REBINDABLE[i]!);
      setText(button.querySelector("kbd")!, key === "" ? "–" : keyLabel(key, this.layout));
    });
    for (const kbd of document.querySelectorAll<HTMLElement>("kbd[data-action]")) {
      const [, sign = "", action = ""] = /^([+-]?)(.*)$/.exec(kbd.dataset["action"] ?? "") as unknown as [string, Rebindable["sign"], string];
      const key = sign === "" ? this.keyOf(action) : keyFor(this.text.value, { action, sign });
      setText(kbd, key === "" ? "–" : keyLabel(key, this.layout));
    }
  }

  private showStatus(error: string, success: string): void {
    this.status.classList.toggle("error", error !== "");
    setText(this.status, error === "" ? success : error.replace(/^input: /, ""));
  }

  /** Selects the word or line that is wrong. */
  private selectError(error: string): void {
    const [from, to] = errorRange(error, this.text.value);
    this.text.focus();
    this.text.setSelectionRange(from, to);
  }
}

/** Returns the range of the word named by an error such as `input: line 3: "KyeW" is no key`, or
 * of its line if the error names no word. */
export function errorRange(error: string, text: string): [number, number] {
  const found = /line (\d+): (?:"([^"]*)")?/.exec(error);
  const lines = text.split("\n");
  const index = Math.min(Number(found?.[1] ?? 1), lines.length) - 1;
  const begin = lines.slice(0, index).reduce((sum, line) => sum + line.length + 1, 0);
  const line = lines[index] ?? "";
  const word = found?.[2] ?? "";
  const at = word === "" ? -1 : line.indexOf(word);
  return at < 0 ? [begin, begin + line.length] : [begin + at, begin + at + word.length];
}

/** Returns the first key of a gamepad that a text of bindings has for an action; empty if it has none. */
export function padKey(text: string, action: string): string {
  const line = text.split("\n").find((line) => line.split("=")[0]?.trim() === action);
  return /Pad\.\w+/.exec(line ?? "")?.[0] ?? "";
}

const LABELS: Readonly<Record<string, string>> = {
  "ArrowUp": "↑", "ArrowDown": "↓", "ArrowLeft": "←", "ArrowRight": "→", "ControlLeft": "Ctrl", "ControlRight": "Ctrl",
  "Mouse.Left": "Left button", "Mouse.Middle": "Middle button", "Mouse.Right": "Right button",
};

/** Returns the display name of a key: R for KeyR, or what a keyboard of another layout has there; digits stay digits. */
export function keyLabel(key: string, layout?: Layout): string {
  const here = key.startsWith("Digit") ? undefined : layout?.get(key);
  return LABELS[key] ?? here?.toUpperCase() ?? key.replace(/^(Key|Digit|Pad\.|Mouse\.)/, "").replace(/^(Shift|Alt|Meta)(Left|Right)$/, "$1");
}

/** The characters of a keyboard's keys. */
type Layout = ReadonlyMap<string, string>;

/** Returns what the keys of the player's keyboard say, such as Z for KeyW on a French one; undefined where the browser
 * does not tell: only Chromium does, and not in a frame. */
async function keyboardLayout(): Promise<Layout | undefined> {
  const { keyboard } = navigator as { keyboard?: { getLayoutMap(): Promise<Layout> } };
  return await keyboard?.getLayoutMap().catch(() => undefined);
}
