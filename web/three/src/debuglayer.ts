// A debug layer: objects in the scene, and a panel with text. Start at DebugLayer.
import * as THREE from "three";
import { addStyle, make } from "./dom.js";

/** The common part of the debug layers. */
export abstract class DebugLayer {
  readonly group = new THREE.Group();
  private next = 0;

  /** Shows its text in panel, at most every so many milliseconds. */
  constructor(protected readonly panel: HTMLElement, private readonly updateMS: number) {
    this.group.visible = false;
    panel.hidden = true;
    panel.classList.add("backstep-debug");
    addStyle();
  }

  /** Whether the layer is shown. */
  get shown(): boolean {
    return this.group.visible;
  }

  /** Shows or hides the layer; returns whether it is shown. */
  toggle(): boolean {
    this.setVisible(!this.group.visible);
    return this.group.visible;
  }

  hide(): void {
    this.setVisible(false);
  }

  private setVisible(visible: boolean): void {
    this.group.visible = visible;
    this.panel.hidden = !visible;
    this.next = 0;
  }

  /** Returns whether the text is due; now in milliseconds. */
  protected textDue(now: number): boolean {
    if (now < this.next) return false;
    this.next = now + this.updateMS;
    return true;
  }
}

/** Returns a legend of colours. */
export function legend(entries: readonly (readonly [THREE.Color, string])[]): HTMLElement {
  const root = make("p", "", "legend");
  for (const [colour, text] of entries) {
    const entry = make("span", text);
    entry.style.setProperty("--colour", `#${colour.getHexString()}`);
    root.append(entry);
  }
  return root;
}
