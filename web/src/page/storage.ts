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

const SEAT = "backstep.seat";

/** Returns the key of this tab's seat under a name; empty if it has none. Another name is another player. */
export function loadSeat(name: string): string {
  try {
    const [key = "", of] = (sessionStorage.getItem(SEAT) ?? "").split("\n");
    return of === name ? key : "";
  } catch {
    return "";
  }
}

/** Saves the key of this tab's seat, for a reload. Another tab is another player. */
export function saveSeat(name: string, key: string): void {
  try {
    sessionStorage.setItem(SEAT, `${key}\n${name}`);
  } catch {
    // storage is disabled
  }
}
