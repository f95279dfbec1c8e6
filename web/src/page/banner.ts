// The line on top while the page waits: in the queue of a full match, or for a lost connection.
import { setText } from "@backstep/three/parts";
import { element } from "./dom";

/** The banner. Its button gives up waiting. */
export class Banner {
  private readonly root = element("banner");
  private readonly text = element("banner-text");
  private readonly button = element<HTMLButtonElement>("banner-leave");

  constructor(leave: () => void) {
    this.button.addEventListener("click", leave);
  }

  /** Shows a text; detail is its tooltip. Without waiting there is no button. */
  show(text: string, { waiting = false, detail = "" } = {}): void {
    setText(this.text, text);
    this.root.title = detail;
    this.button.hidden = !waiting;
    this.root.hidden = false;
  }

  hide(): void {
    this.root.hidden = true;
  }
}
