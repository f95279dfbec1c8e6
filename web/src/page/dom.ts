// Helpers for the page's elements.

/** Returns whether the visitor asks for less motion. */
export const calm = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Returns the element with an id. Throws if there is none. */
export function element<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`page: no element #${id}`);
  return found as T;
}
