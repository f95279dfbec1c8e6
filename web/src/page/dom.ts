// Helpers for the page's elements.

/** Returns the element with an id. Throws if there is none. */
export function element<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`page: no element #${id}`);
  return found as T;
}

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
