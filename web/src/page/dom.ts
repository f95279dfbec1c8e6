// The page's elements by id, and text that is only written when it changes.

/** Returns the element of that id. Throws where the page has none. */
export function element<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`page: no element #${id}`);
  return found as T;
}

/** Writes text into an element, if it is not there already. */
export function setText(into: HTMLElement, text: string): void {
  if (into.textContent !== text) into.textContent = text;
}

/** Makes an element with text in it. */
export function make(tag: string, text = "", className = ""): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  if (className !== "") made.className = className;
  return made;
}
