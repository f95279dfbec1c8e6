// The panel in which a player binds keys, as text. Start at BindingsPanel.
import type { Client } from "../client/index";
import { element, setText } from "./dom";

const KEY = "backstep.bindings";

/** The text that binds keys, to edit, apply and reset. */
export class BindingsPanel {
  private readonly root = element("bindings");
  private readonly text = element<HTMLTextAreaElement>("bindings-text");
  private readonly status = element("bindings-said");
  private client: Client | undefined;

  constructor(private readonly close: () => void) {
    element<HTMLFormElement>("bindings-form").addEventListener("submit", (e) => {
      e.preventDefault();
      this.apply();
    });
    element("bindings-reset").addEventListener("click", () => this.reset());
    element("bindings-close").addEventListener("click", () => this.close());
    this.root.addEventListener("keydown", (e) => {
      if (e.code === "Escape") this.close();
    });
  }

  /** Binds the keys of a new match as the player last had them. */
  attach(client: Client): void {
    this.client = client;
    const stored = stored();
    this.text.value = stored === "" ? client.defaultBindings : stored;
    this.showStatus(stored === "" ? "" : client.bind(stored), "");
    this.labelKeys();
  }

  /** Shows or hides it; returns whether it is shown now. */
  toggle(): boolean {
    this.root.hidden = !this.root.hidden;
    if (this.root.hidden) this.text.blur();
    else this.focusText();
    return !this.root.hidden;
  }

  hide(): void {
    this.root.hidden = true;
  }

  /** Shows the text from its first line on. */
  private focusText(): void {
    this.text.focus();
    this.text.setSelectionRange(0, 0);
    this.text.scrollTop = 0;
  }

  private apply(): void {
    if (this.client === undefined) return;
    const wrong = this.client.bind(this.text.value);
    this.showStatus(wrong, "Applied, and kept in this browser.");
    this.labelKeys();
    if (wrong === "") remember(this.text.value);
    else this.selectError(wrong);
  }

  private reset(): void {
    if (this.client === undefined) return;
    this.text.value = this.client.defaultBindings;
    this.showStatus(this.client.bind(this.text.value), "The bindings that come with the game.");
    remember("");
    this.labelKeys();
  }

  /** Writes the keys onto the page where it promises an action. */
  private labelKeys(): void {
    for (const kbd of document.querySelectorAll<HTMLElement>("kbd[data-action]")) {
      const key = this.client?.keyOf(kbd.dataset["action"] ?? "") ?? "";
      setText(kbd, key === "" ? "–" : keyLabel(key));
    }
  }

  private showStatus(wrong: string, fine: string): void {
    this.status.classList.toggle("wrong", wrong !== "");
    setText(this.status, wrong === "" ? fine : wrong.replace(/^input: /, ""));
  }

  /** Selects the word, or the line, that was wrong. */
  private selectError(wrong: string): void {
    const [from, to] = errorRange(wrong, this.text.value);
    this.text.focus();
    this.text.setSelectionRange(from, to);
  }
}

/** Where in a text the word is that an error such as `input: line 3: "KyeW" is no
 * key` names; its line where it names none. */
export function errorRange(wrong: string, text: string): [number, number] {
  const found = /line (\d+): (?:"([^"]*)")?/.exec(wrong);
  const lines = text.split("\n");
  const index = Math.min(Number(found?.[1] ?? 1), lines.length) - 1;
  const begin = lines.slice(0, index).reduce((sum, line) => sum + line.length + 1, 0);
  const line = lines[index] ?? "";
  const word = found?.[2] ?? "";
  const at = word === "" ? -1 : line.indexOf(word);
  return at < 0 ? [begin, begin + line.length] : [begin + at, begin + at + word.length];
}

const LABELS: Readonly<Record<string, string>> = {
  "ArrowUp": "↑", "ArrowDown": "↓", "ArrowLeft": "←", "ArrowRight": "→", "ControlLeft": "Ctrl", "ControlRight": "Ctrl",
  "Mouse.Left": "Left button", "Mouse.Middle": "Middle button", "Mouse.Right": "Right button",
};

/** A key as one would say it: R for KeyR. */
export function keyLabel(key: string): string {
  return LABELS[key] ?? key.replace(/^(Key|Digit|Pad\.|Mouse\.)/, "").replace(/^(Shift|Alt|Meta)(Left|Right)$/, "$1");
}

function stored(): string {
  try {
    return localStorage.getItem(KEY) ?? "";
  } catch {
    return ""; // storage may be forbidden
  }
}

function remember(text: string): void {
  try {
    if (text === "") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, text);
  } catch {
    // then they last as long as the page
  }
}
