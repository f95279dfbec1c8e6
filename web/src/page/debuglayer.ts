// A debug layer: objects in the scene, and a panel with text. Start at DebugLayer.
import * as THREE from "three";
import { element, make } from "./dom";

/** The common part of the debug layers. */
export abstract class DebugLayer {
  readonly group = new THREE.Group();
  protected readonly panel: HTMLElement;
  private next = 0;

  constructor(id: string, private readonly updateMS: number) {
    this.panel = element(id);
    this.group.visible = false;
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
