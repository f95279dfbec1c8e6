// What a player sets and the browser keeps: sensitivity, field of view, volume, crosshair, aim assist, quality.
import { element } from "./dom";
import { load, save } from "./storage";

const SETTING = "backstep.settings";

/** The settings by the names of their form's fields. */
export interface Settings {
  /** Factor of the mouse's and the finger's movement. */
  sensitivity: number;
  /** Vertical field of view, degrees. */
  fov: number;
  /** 0 to 1. */
  volume: number;
  /** A CSS colour. */
  crosshair: string;
  /** Whether thumbs are helped to aim. */
  assist: boolean;
  quality: "auto" | "low" | "high";
}

/** The form of the settings. Each change is kept and applied at once. */
export class SettingsForm {
  private readonly form = element<HTMLFormElement>("settings");

  values: Settings;

  constructor(apply: (settings: Settings) => void) {
    this.restore();
    this.values = this.read();
    this.form.addEventListener("submit", (e) => e.preventDefault());
    this.form.addEventListener("input", () => {
      save(SETTING, new URLSearchParams(this.fields()).toString());
      this.values = this.read();
      apply(this.values);
    });
  }

  private read(): Settings {
    const text = this.fields();
    return {
      sensitivity: Number(text["sensitivity"]), fov: Number(text["fov"]), volume: Number(text["volume"]),
      crosshair: text["crosshair"] ?? "", assist: text["assist"] === "on", quality: text["quality"] as Settings["quality"],
    };
  }

  private fields(): Record<string, string> {
    return Object.fromEntries([...new FormData(this.form)].map(([name, value]) => [name, String(value)]));
  }

  /** The browser bounds what it restores: a range by its ends, a list to its options. */
  private restore(): void {
    for (const [name, value] of new URLSearchParams(load(SETTING))) {
      const field = this.form.elements.namedItem(name);
      if (field instanceof HTMLInputElement) field.value = value;
      if (field instanceof HTMLSelectElement && [...field.options].some((o) => o.value === value)) field.value = value;
    }
  }
}
