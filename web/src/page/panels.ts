// The scoreboard (Tab) and the lag panel (L).
import { make } from "@backstep/three/parts";
import GUI from "lil-gui";
import { NO_LAG, type Lag } from "@backstep/client";
import type { Entity } from "../core";
import { playerColour, teamColour } from "./characters";
import { element } from "./dom";
import type { Team } from "./events";
import type { Roster } from "./roster";
import type { Self } from "./self";

/** One row of a score table. */
interface ScoreTableRow {
  name: string;
  kills: number;
  deaths: number;
  colour: string;
  className: string;
  bot?: boolean;
}

/** Returns a table of players and their scores. */
export function scoreTable(rows: readonly ScoreTableRow[]): HTMLElement {
  const table = make("table", "", "scores");
  table.append(tableRow("th", "", "Player", "Kills", "Deaths"), ...rows.map(scoreRow));
  return table;
}

function tableRow(cell: string, className: string, ...texts: string[]): HTMLElement {
  const row = make("tr", "", className);
  row.append(...texts.map((text) => make(cell, text)));
  return row;
}

function scoreRow(row: ScoreTableRow): HTMLElement {
  const out = tableRow("td", row.className, row.name, `${row.kills}`, `${row.deaths}`);
  const dot = make("span", "", "dot");
  dot.style.background = row.colour;
  out.firstElementChild?.prepend(dot);
  if (row.bot === true) out.firstElementChild?.append(make("small", "  bot"));
  return out;
}

/** The table of players, best first. */
export class Scoreboard {
  private readonly root = element("scoreboard");
  private next = 0;

  show(yes: boolean): void {
    this.root.hidden = !yes;
    this.next = 0;
  }

  /** Updates the table four times a second while it is shown. */
  update(self: Self, remotes: readonly Entity[], roster: Roster, now: number): void {
    if (this.root.hidden || now < this.next) return;
    this.next = now + 250;
    const players = [{ id: self.id, dead: self.dead }, ...remotes].map(({ id, dead }) => {
      const score = self.scoreOf(id);
      return { id, dead, kills: score?.kills ?? 0, deaths: score?.deaths ?? 0, self: id === self.id };
    });
    players.sort((a, b) => b.kills - a.kills || a.deaths - b.deaths || a.id - b.id);
    const rows = players.map((p) => ({
      ...p, name: roster.label(p.id), bot: roster.bot(p.id), colour: colourOf(p.id, p.self, roster.team(p.id)),
      className: `${p.self ? "self" : ""} ${p.dead ? "dead" : ""}`,
    }));
    this.root.replaceChildren(make("h2", `${rows.length} ${rows.length === 1 ? "player" : "players"}`), scoreTable(rows));
  }
}

function colourOf(id: number, self: boolean, team: Team): string {
  if (team !== "") return teamColour(team).getStyle();
  return self ? "var(--warm)" : playerColour(id).getStyle();
}

const PRESETS: Readonly<Record<string, Lag>> = {
  "none": { ...NO_LAG },
  "regional": { latency: 20, jitter: 4, loss: 0.002 },
  "intercontinental": { latency: 75, jitter: 10, loss: 0.01 },
  "mobile": { latency: 60, jitter: 60, loss: 0.05 },
  "terrible": { latency: 150, jitter: 80, loss: 0.15 },
};

/** Called when a slider of the lag panel changes. */
interface LagActions {
  /** Sets the simulated lag of each direction. */
  lag(lag: Lag): void;
  /** Sets the input delay in milliseconds. */
  inputDelay(milliseconds: number): void;
  /** Called by Escape. */
  close(): void;
}

const INPUT_DELAY_HELP = "The server buffers your moves: fewer corrections on an uneven link, but others see you act later.";

/** Sliders for simulated lag and for the input delay. */
export class LagPanel {
  private readonly gui: GUI;
  private readonly values = { preset: "none", latency: 0, jitter: 0, loss: 0, delay: 0 };

  constructor(private readonly actions: LagActions) {
    this.gui = new GUI({ title: "Network", container: element("lag") });
    const lag = this.gui.addFolder("Simulated lag, each direction");
    lag.add(this.values, "preset", Object.keys(PRESETS)).name("preset").onChange((name: string) => this.applyPreset(name));
    lag.add(this.values, "latency", 0, 300, 1).name("latency, ms").onChange(() => this.apply());
    lag.add(this.values, "jitter", 0, 150, 1).name("jitter, ms").onChange(() => this.apply());
    lag.add(this.values, "loss", 0, 30, 0.5).name("loss, %").onChange(() => this.apply());
    const delay = this.gui.addFolder("Input delay");
    delay.add(this.values, "delay", 0, 250, 5).name("delay, ms").onChange((ms: number) => this.actions.inputDelay(ms));
    delay.$children.append(make("p", INPUT_DELAY_HELP));
    this.gui.domElement.addEventListener("keydown", (e) => e.code === "Escape" && this.actions.close());
    this.gui.hide();
  }

  get shown(): boolean {
    return !this.gui._hidden;
  }

  /** Shows or hides the panel. */
  toggle(): void {
    this.gui.show(!this.shown);
  }

  hide(): void {
    this.gui.hide();
  }

  private applyPreset(name: string): void {
    const lag = PRESETS[name] ?? NO_LAG;
    Object.assign(this.values, { latency: lag.latency, jitter: lag.jitter, loss: lag.loss * 100 });
    this.gui.controllersRecursive().forEach((controller) => controller.updateDisplay());
    this.apply();
  }

  private apply(): void {
    const { latency, jitter, loss } = this.values;
    this.actions.lag({ latency, jitter, loss: loss / 100 });
  }
}
