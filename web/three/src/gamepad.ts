// A gamepad of the standard mapping. Start at stick.

const DEADZONE = 0.15; // of a stick, share of its way

/** The buttons by their numbers in the standard mapping, as Controls.held knows them. */
export const PAD_BUTTONS = Array.from({ length: 17 }, (_, i) => `Pad${i}`);

/** Returns the first gamepad of the standard mapping that is in use, or else the first: an adapter or a receiver can be
 * one without a player. */
export function standardGamepad(): Gamepad | undefined {
  let first: Gamepad | undefined;
  for (const pad of navigator.getGamepads?.() ?? []) {
    if (pad?.mapping !== "standard") continue;
    if (pad.buttons.some(isPressed) || pad.axes.some(isMoved)) return pad;
    first ??= pad;
  }
  return first;
}

const isPressed = ({ pressed }: GamepadButton): boolean => pressed;
const isMoved = (way: number): boolean => Math.abs(way) > DEADZONE;

/** Returns the deflection of a stick, at most 1 long. The dead zone is a circle: one for each axis would make a
 * stick that points nearly along an axis snap to it. The rest of the way, 0 to 1, is bent by the curve
 * (1−c)·x + c·x³ (Go: package input). */
export function stick(x: number, y: number, curve: number): [x: number, y: number] {
  const length = Math.hypot(x, y);
  if (length <= DEADZONE) return [0, 0];
  const way = Math.min((length - DEADZONE) / (1 - DEADZONE), 1); // the corners of square sticks are farther than 1
  const by = ((1 - curve) * way + curve * way ** 3) / length;
  return [by * x, by * y];
}
