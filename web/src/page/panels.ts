// The scoreboard (Tab) and the lag panel (L).
import { make } from "@backstep/three/parts";
import GUI, { type Controller } from "lil-gui";
import { NO_LAG, type Lag } from "@backstep/client";
import type { Network } from "./network";
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
  /** Round trip in milliseconds; left out where the table has no such column, 0: not known. */
  ping?: number;
  colour: string;
  className: string;
  bot?: boolean;
}

/** Returns a table of players and their scores, with their pings if the first row has one. */
export function scoreTable(rows: readonly ScoreTableRow[]): HTMLElement {
  const table = make("table", "", "scores");
  const ping = rows[0]?.ping === undefined ? [] : ["Ping"];
  table.append(tableRow("th", "", "Player", "Kills", "Deaths", ...ping), ...rows.map(scoreRow));
  return table;
}

function tableRow(cell: string, className: string, ...texts: string[]): HTMLElement {
  const row = make("tr", "", className);
  row.append(...texts.map((text) => make(cell, text)));
  return row;
}

function scoreRow(row: ScoreTableRow): HTMLElement {
  const ping = row.ping === undefined ? [] : [row.ping === 0 ? "–" : `${row.ping} ms`];
  const out = tableRow("td", row.className, row.name, `${row.kills}`, `${row.deaths}`, ...ping);
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
    const dead = new Set(remotes.filter((r) => r.dead).map((r) => r.id)); // opponents out of sight are not among them
    if (self.dead) dead.add(self.id);
    const players = self.scores.filter((score) => score.connected).map(({ player: id, kills, deaths, ping }) =>
      ({ id, dead: dead.has(id), kills, deaths, ping, self: id === self.id }));
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

/** Called by buttons of the lag panel. */
interface LagActions {
  /** Called by Escape. */
  close(): void;
  /** Begins the guided tour. */
  tour(): void;
}

const INPUT_DELAY_HELP = "The server buffers your moves: fewer corrections on an uneven link, but others see you act later.";

const NOT_ALLOWED = "Lag compensation stays on: this server does not run with --demo.";

/** Sliders for simulated lag and for the input delay, and switches of the netcode. */
export class LagPanel {
  private readonly gui: GUI;
  private readonly values = { preset: "none", latency: 0, jitter: 0, loss: 0, delay: 0, prediction: true, interpolation: true, lagCompensation: true };
  private readonly lagCompensation: Controller;
  private readonly reason = make("p", NOT_ALLOWED);

  constructor(private readonly network: Network, actions: LagActions) {
    this.gui = new GUI({ title: "Network", container: element("lag") });
    const lag = this.gui.addFolder("Simulated lag, each direction");
    lag.add(this.values, "preset", Object.keys(PRESETS)).name("preset").onChange((name: string) => this.applyPreset(name));
    lag.add(this.values, "latency", 0, 300, 1).name("latency, ms").onChange(() => this.apply());
    lag.add(this.values, "jitter", 0, 150, 1).name("jitter, ms").onChange(() => this.apply());
    lag.add(this.values, "loss", 0, 30, 0.5).name("loss, %").onChange(() => this.apply());
    const parts = this.gui.addFolder("Netcode, all on by default");
    parts.add(this.values, "prediction").onChange(() => this.switch());
    parts.add(this.values, "interpolation").onChange(() => this.switch());
    this.lagCompensation = parts.add(this.values, "lagCompensation").name("lag compensation").onChange(() => this.switch());
    const feel = make("button", "Feel it in 30 seconds", "feel");
    feel.addEventListener("click", () => actions.tour());
    parts.$children.append(this.reason, feel);
    const delay = this.gui.addFolder("Input delay");
    delay.add(this.values, "delay", 0, 250, 5).name("delay, ms").onChange((ms: number) => network.setInputDelay(ms));
    delay.$children.append(make("p", INPUT_DELAY_HELP));
    network.changed = () => this.update();
    this.gui.domElement.addEventListener("keydown", (e) => e.code === "Escape" && actions.close(), { capture: true }); // its fields keep their keys
    this.gui.hide();
  }

  get shown(): boolean {
    return !this.gui._hidden;
  }

  /** Shows or hides the panel. */
  toggle(): void {
    this.update();
    this.gui.show(!this.shown);
  }

  /** Shows what is set now, wherever that was. */
  update(): void {
    const { lag, netcode, optOut } = this.network;
    const preset = Object.keys(PRESETS).find((name) => PRESETS[name]!.latency === lag.latency && PRESETS[name]!.jitter === lag.jitter && PRESETS[name]!.loss === lag.loss);
    Object.assign(this.values, netcode, { preset: preset ?? "custom", latency: lag.latency, jitter: lag.jitter, loss: Math.round(lag.loss * 1000) / 10 });
    this.lagCompensation.enable(optOut);
    this.reason.hidden = optOut;
    this.gui.controllersRecursive().forEach((controller) => controller.updateDisplay());
  }

  private switch(): void {
    const { prediction, interpolation, lagCompensation } = this.values;
    this.network.setNetcode({ prediction, interpolation, lagCompensation });
  }

  hide(): void {
    this.gui.hide();
  }

  private applyPreset(name: string): void {
    this.network.setLag(PRESETS[name] ?? NO_LAG);
  }

  private apply(): void {
    const { latency, jitter, loss } = this.values;
    this.network.setLag({ latency, jitter, loss: loss / 100 });
  }
}
