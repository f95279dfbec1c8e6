// The text of the key bindings, changed one key at a time. Start at rebind.

/** The part of a text's actions whose keys a click changes: an action, the sign of its direction if it has two, and what
 * it is called. */
export interface Rebindable {
  action: string;
  sign: "" | "+" | "-";
  label: string;
}

export const REBINDABLE: readonly Rebindable[] = [
  { action: "forward", sign: "+", label: "forward" }, { action: "forward", sign: "-", label: "back" },
  { action: "right", sign: "-", label: "left" }, { action: "right", sign: "+", label: "right" },
  ...["jump", "crouch", "fire", "sights", "reload", "dash", "hook", "shield", "melee", "scores", "spectate", "lag"].map((action) => ({ action, sign: "" as const, label: action })),
];

/** Words of a line that are keys of a keyboard or a mouse, by where they begin. */
interface Word {
  at: number;
  sign: string;
  key: string;
}

const LINE = /^(\s*([\w.-]+)\s*=)([^#]*)/;

function wordsOf(line: string): { action: string; words: Word[] } {
  const found = LINE.exec(line);
  if (found === null) return { action: "", words: [] };
  const [, head = "", action = "", rest = ""] = found;
  const words = [...rest.matchAll(/([+-]?)((?:Key|Digit|Arrow|Control|Shift|Alt|Meta|Numpad|F\d|Mouse\.(?![XY]\b)|[A-Z])[\w.]*)/g)]
    .filter((word) => !word[0].includes("Pad.") && !/Mouse\.[XY]$/.test(word[0]))
    .map((word) => ({ at: head.length + word.index, sign: word[1] ?? "", key: word[2] ?? "" }));
  return { action, words };
}

/** Returns the first key of the keyboard or the mouse for an action; empty if it has none. */
export function keyFor(text: string, { action, sign }: Pick<Rebindable, "action" | "sign">): string {
  for (const line of text.split("\n")) {
    const is = wordsOf(line);
    if (is.action === action) return is.words.find((word) => word.sign === sign)?.key ?? "";
  }
  return "";
}

/** Returns the text with a key for an action, in place of its first. An action that had this key gets the old one, so that
 * none is left without. The text stays as it is for an action that has no key to replace. */
export function rebind(text: string, to: Pick<Rebindable, "action" | "sign">, key: string): string {
  const old = keyFor(text, to);
  if (old === "" || old === key) return text;
  let replaced = false;
  return text.split("\n").map((line) => {
    const { action, words } = wordsOf(line);
    let out = line;
    for (const word of words.reverse()) { // from the end: the places before it stay
      let next = word.key === key ? old : word.key;
      if (action === to.action && word.sign === to.sign && word.key === old && !replaced) {
        next = key;
        replaced = true;
      }
      const at = word.at + word.sign.length;
      out = out.slice(0, at) + next + out.slice(at + word.key.length);
    }
    return out;
  }).join("\n");
}
