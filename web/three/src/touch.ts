// What touch needs on the screen: a ring where the stick is, and buttons. Start at TouchScreen.
import { addStyle, make } from "./dom.js";

/** Keys and mouse buttons by their codes, and the label of each on the screen. */
export type TouchButtons = Readonly<Record<string, string>>;

/** Middle of a button, pixels from the lower right corner of the safe area, and its diameter. */
export interface ButtonPlace {
  right: number;
  bottom: number;
  size: number;
}

const MAIN: ButtonPlace = { right: 72, bottom: 80, size: 80 }; // under the thumb
const SIZE = 60;
/** Of the others around the main one: radius in pixels, and degrees, 180 is to its left. */
const ARCS = [[80, 180], [80, 130], [80, 80], [148, 161], [148, 134], [148, 107], [148, 80]] as const;

/** Returns where buttons are: the first is the largest, the others are in arcs around it. */
export function buttonPlaces(count: number): ButtonPlace[] {
  if (count > 1 + ARCS.length) throw new Error(`@backstep/three: ${count} buttons: a screen has room for ${1 + ARCS.length}`);
  const others = ARCS.map(([radius, degrees]) => {
    const angle = (degrees * Math.PI) / 180;
    return { right: MAIN.right - radius * Math.cos(angle), bottom: MAIN.bottom + radius * Math.sin(angle), size: SIZE };
  });
  return [MAIN, ...others].slice(0, count);
}

/** Shows the stick and the buttons over the page. */
export class TouchScreen {
  private readonly root = make("div", "", "backstep-touch");
  private readonly ring = make("div", "", "backstep-stick");
  private readonly knob = make("i");
  private readonly buttons = new Map<string, HTMLElement>();

  /** press is called when a finger goes down on a button. Mouse0, or else the first, is the main one. */
  constructor(labels: TouchButtons, press: (code: string, e: PointerEvent) => void) {
    addStyle();
    this.ring.append(this.knob);
    this.ring.setAttribute("aria-hidden", "true");
    this.root.append(this.ring);
    const codes = Object.keys(labels).sort((a, b) => Number(b === "Mouse0") - Number(a === "Mouse0"));
    buttonPlaces(codes.length).forEach(({ right, bottom, size }, i) => {
      const button = make("button", labels[codes[i]!]);
      button.style.cssText = `right:${right.toFixed(1)}px;bottom:${bottom.toFixed(1)}px;width:${size}px;height:${size}px`;
      button.setAttribute("type", "button");
      button.addEventListener("pointerdown", (e) => {
        e.preventDefault(); // mouse events would follow, and the focus, with which Space is a click
        e.stopPropagation();
        press(codes[i]!, e);
      });
      button.addEventListener("contextmenu", (e) => e.preventDefault()); // of a long press
      this.buttons.set(codes[i]!, button);
      this.root.append(button);
    });
    document.body.append(this.root);
  }

  show(yes: boolean): void {
    this.root.hidden = !yes;
  }

  /** Shows whether a button is held. */
  mark(code: string, held: boolean): void {
    this.buttons.get(code)?.classList.toggle("pressed", held);
  }

  /** Shows the stick where a finger went down, pixels, and deflected by x and y, −1 to 1; without a finger where it
   * rests. */
  moveStick(at?: { readonly startX: number; readonly startY: number }, x = 0, y = 0): void {
    this.ring.style.cssText = at === undefined ? "" : `left:${at.startX}px;top:${at.startY}px;bottom:auto`;
    this.knob.style.translate = `${(40 * x).toFixed(1)}px ${(40 * y).toFixed(1)}px`;
  }

  dispose(): void {
    this.root.remove();
  }
}
