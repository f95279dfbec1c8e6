// Panels that are asked for: scoreboard (Tab), network figures (F3), lag (L).
import GUI from "lil-gui";
import { NO_LAG, type Lag, type NetView, type RemoteView, type SelfView } from "../client/index";
import { element, make, setText } from "./dom";
import { playerColour } from "./figures";
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
    table.append(line("th", "", "Player", "Kills", "Deaths"), ...rows.map((row) => scoreRow(row, roster)));
    this.root.replaceChildren(make("h2", `${rows.length} in the arena`), table);
  }
}

function line(cell: string, className: string, ...texts: string[]): HTMLElement {
  const row = make("tr", "", className);
  row.append(...texts.map((text) => make(cell, text)));
  return row;
}

function scoreRow(row: Row, roster: Roster): HTMLElement {
  const out = line("td", `${row.self ? "self" : ""} ${row.dead ? "dead" : ""}`, roster.name(row.id), `${row.kills}`, `${row.deaths}`);
  const dot = make("span", "", "dot");
  dot.style.background = row.self ? "var(--warm)" : playerColour(row.id).getStyle();
  out.firstElementChild?.prepend(dot);
  if (roster.bot(row.id)) out.firstElementChild?.append(make("small", "  bot"));
  return out;
}

/** What the net panel shows beside the core's own figures. */
export interface Surroundings {
  road: string;
  fps: number;
  frameCost: number;
  quality: string;
}

/** The network's figures, twice a second. */
export class NetPanel {
  private readonly root = element("net");
  private next = 0;
  private lastUp = 0;
  private lastDown = 0;
  private lastAt = 0;

  toggle(): void {
    this.root.hidden = !this.root.hidden;
    this.next = 0;
  }

  update(net: NetView, remotes: RemoteView, around: Surroundings, now: number): void {
    if (this.root.hidden || now < this.next) return;
    this.next = now + 500;
    const seconds = Math.max((now - this.lastAt) / 1000, 0.001);
    const up = Math.max(0, net.bytesUp - this.lastUp) / seconds;
    const down = Math.max(0, net.bytesDown - this.lastDown) / seconds;
    this.lastUp = net.bytesUp;
    this.lastDown = net.bytesDown;
    this.lastAt = now;
    setText(this.root, figures(net, remotes, around, up, down));
  }
}

function figures(net: NetView, remotes: RemoteView, around: Surroundings, up: number, down: number): string {
  const ms = (seconds: number): string => `${(seconds * 1000).toFixed(1)} ms`;
  const rows: [string, string][] = [
    ["transport", around.road],
    ["round trip", `${ms(net.rtt)}  ± ${ms(net.jitter)}`],
    ["loss", `${(net.loss * 100).toFixed(1)} %`],
    ["corrections", net.corrections === 0 ? "0" : `${net.corrections}, up to ${(net.correction * 1000).toFixed(0)} mm`],
    ["bytes up", `${(up / 1000).toFixed(2)} kB/s`],
    ["bytes down", `${(down / 1000).toFixed(2)} kB/s`],
    ["server tick", `${net.tick}`],
    ["view delay", ms(net.viewDelay)],
    ["shots judged", `${net.confirmed} as seen, ${net.contradicted} otherwise`],
    ["moves pending", `${net.pending}`],
    ["others", `${remotes.count}`],
    ["core", `${around.frameCost.toFixed(2)} ms a frame`],
    ["pictures", `${around.fps.toFixed(0)} a second, ${around.quality}`],
  ];
  return rows.map(([name, value]) => `${name.padEnd(14)} ${value}`).join("\n");
}

const PRESETS: Readonly<Record<string, Lag>> = {
  "none": { ...NO_LAG },
  "another city": { latency: 20, jitter: 4, loss: 0.002 },
  "another continent": { latency: 75, jitter: 10, loss: 0.01 },
  "phone on a train": { latency: 60, jitter: 60, loss: 0.05 },
  "awful": { latency: 150, jitter: 80, loss: 0.15 },
};

/** Sliders that make one's own connection worse. */
export class LagPanel {
  private readonly gui: GUI;
  private readonly values = { preset: "none", latency: 0, jitter: 0, loss: 0 };

  constructor(private readonly apply: (lag: Lag) => void) {
    this.gui = new GUI({ title: "Lag, added each way", container: element("lag") });
    this.gui.add(this.values, "preset", Object.keys(PRESETS)).name("like").onChange((name: string) => this.preset(name));
    this.gui.add(this.values, "latency", 0, 300, 1).name("latency, ms").onChange(() => this.changed());
    this.gui.add(this.values, "jitter", 0, 150, 1).name("jitter, ms").onChange(() => this.changed());
    this.gui.add(this.values, "loss", 0, 30, 0.5).name("loss, %").onChange(() => this.changed());
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

  private preset(name: string): void {
    const lag = PRESETS[name] ?? NO_LAG;
    Object.assign(this.values, { latency: lag.latency, jitter: lag.jitter, loss: lag.loss * 100 });
    this.gui.controllersRecursive().forEach((controller) => controller.updateDisplay());
    this.changed();
  }

  private changed(): void {
    const { latency, jitter, loss } = this.values;
    this.apply({ latency, jitter, loss: loss / 100 });
  }
}
