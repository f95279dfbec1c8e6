// Which device the player uses: the page's hints show its keys, and touch has buttons of its own.

/** A kind of input device. */
export type DeviceKind = "keyboard" | "gamepad" | "touch";

/** Returns the device in use: a screen without a mouse begins with touch. */
export function device(): DeviceKind {
  return (document.body.dataset["device"] as DeviceKind | undefined) ?? (matchMedia("(hover: none) and (pointer: coarse)").matches ? "touch" : "keyboard");
}

/** Notes that a device is in use; the listeners of onDevice are called if that is another one. */
export function useDevice(kind: DeviceKind): void {
  if (document.body.dataset["device"] === kind) return;
  document.body.dataset["device"] = kind;
  for (const changed of listeners) changed(kind);
}

const listeners: ((kind: DeviceKind) => void)[] = [];

/** Calls changed now, and whenever another device is used. */
export function onDevice(changed: (kind: DeviceKind) => void): void {
  listeners.push(changed);
  changed(device());
}
