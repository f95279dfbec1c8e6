// Panels that are asked for: scoreboard (Tab), lag and input delay (L).
import GUI from "lil-gui";
import { NO_LAG, type Lag, type RemoteView, type SelfView } from "../client/index";
import { element, make } from "./dom";
import { playerColour, teamColour } from "./figures";
import type { Roster } from "./roster";

interface Row {
  id: number;
  kills: number;
  deaths: number;
  dead: boolean;
  self: boolean;
}

/** The table of players, best first. */
export class Scoreboard {
  private readonly root = element("scoreboard");
  private next = 0;

  show(yes: boolean): void {
    this.root.hidden = !yes;
    this.next = 0;
  }

  /** Draws it anew a few times a second while it is shown. */
  update(self: SelfView, remotes: RemoteView, roster: Roster, now: number): void {
    if (this.root.hidden || now < this.next) return;
    this.next = now + 250;
    const rows: Row[] = [{ id: self.id, kills: self.kills, deaths: self.deaths, dead: self.dead, self: true }];
    for (let i = 0; i < remotes.count; i++) {
      const r = remotes.at(i);
      rows.push({ id: r.id, kills: r.kills, deaths: r.deaths, dead: r.dead, self: false });
    }
    rows.sort((a, b) => b.kills - a.kills || a.deaths - b.deaths || a.id - b.id);
    const table = make("table");
    table.append(tableRow("th", "", "Player", "Kills", "Deaths"), ...rows.map((row) => scoreRow(row, roster)));
    this.root.replaceChildren(make("h2", `${rows.length} in the arena`), table);
  }
}

function tableRow(cell: string, className: string, ...texts: string[]): HTMLElement {
  const row = make("tr", "", className);
  row.append(...texts.map((text) => make(cell, text)));
  return row;
}

function scoreRow(row: Row, roster: Roster): HTMLElement {
  const out = tableRow("td", `${row.self ? "self" : ""} ${row.dead ? "dead" : ""}`, roster.name(row.id), `${row.kills}`, `${row.deaths}`);
  const dot = make("span", "", "dot");
  const team = roster.team(row.id);
  dot.style.background = team !== "" ? teamColour(team).getStyle() : row.self ? "var(--warm)" : playerColour(row.id).getStyle();
  out.firstElementChild?.prepend(dot);
  if (roster.bot(row.id)) out.firstElementChild?.append(make("small", "  bot"));
  return out;
}

const PRESETS: Readonly<Record<string, Lag>> = {
  "none": { ...NO_LAG },
  "another city": { latency: 20, jitter: 4, loss: 0.002 },
  "another continent": { latency: 75, jitter: 10, loss: 0.01 },
  "phone on a train": { latency: 60, jitter: 60, loss: 0.05 },
  "awful": { latency: 150, jitter: 80, loss: 0.15 },
};

/** What the lag panel's sliders change. */
export interface LagActions {
  /** Delay and loss to add each way. */
  lag(lag: Lag): void;
  /** For how many milliseconds the server is to hold the player's moves back. */
  inputDelay(milliseconds: number): void;
}

const INPUT_DELAY_HELP = "Fewer corrections where packets come late or not at all; others see you act that much later.";

/** Sliders that make one's own connection worse, and one that makes up for it. */
export class LagPanel {
  private readonly gui: GUI;
  private readonly values = { preset: "none", latency: 0, jitter: 0, loss: 0, delay: 0 };

  constructor(private readonly actions: LagActions) {
    this.gui = new GUI({ title: "Network", container: element("lag") });
    const lag = this.gui.addFolder("Lag, added each way");
    lag.add(this.values, "preset", Object.keys(PRESETS)).name("like").onChange((name: string) => this.applyPreset(name));
    lag.add(this.values, "latency", 0, 300, 1).name("latency, ms").onChange(() => this.apply());
    lag.add(this.values, "jitter", 0, 150, 1).name("jitter, ms").onChange(() => this.apply());
    lag.add(this.values, "loss", 0, 30, 0.5).name("loss, %").onChange(() => this.apply());
    const delay = this.gui.addFolder("Hold my moves on the server");
    delay.add(this.values, "delay", 0, 250, 5).name("for, ms").onChange((ms: number) => this.actions.inputDelay(ms));
    delay.$children.append(make("p", INPUT_DELAY_HELP));
    this.gui.hide();
  }

  /** Shows or hides it; returns whether it is shown now. */
  toggle(): boolean {
    this.gui.show(this.gui._hidden);
    return !this.gui._hidden;
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
