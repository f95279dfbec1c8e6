// Settings kept in the browser. Where storage is disabled, they last until the page is closed.

/** Returns a setting; empty if it was never saved. */
export function load(key: string): string {
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}

/** Saves a setting; an empty text deletes it. */
export function save(key: string, text: string): void {
  try {
    if (text === "") localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // storage is disabled
  }
}
