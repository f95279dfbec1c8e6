// The arena page: a start screen over the level, then the match. Start at Page.
import coreFile from "../../core/backstep.wasm?url";
import { connect, errorText, fetchJoinInfo, type Lag, type Link, type TransportName } from "@backstep/client";
import type { Roots } from "../core";
import { openReplay, type Replay } from "../replay/replay";
import { loadArena, type Arena } from "./arena";
import { BindingsPanel } from "./bindings";
import { Controls } from "./controls";
import { element } from "./dom";
import { Hud } from "./hud";
import { ArenaInput } from "./input";
import { LinkStatus } from "./linkstatus";
import { Match, type MatchContext } from "./match";
import { chooseQuality, FrameRateMonitor, NetPanel, type Quality, Scenery, setText } from "@backstep/three/parts";
import { LagPanel, Scoreboard } from "./panels";
import { Sound } from "./sound";
import { load, save } from "./storage";
import { makeTestAPI } from "./testapi";

const query = new URLSearchParams(location.search);
const server = new URL(location.href);
const NAME_SETTING = "backstep.name";

/** The page, from load to unload. */
class Page {
  private readonly canvas = element<HTMLCanvasElement>("view");
  private readonly start = element("start");
  private readonly error = element("error");
  private readonly button = element<HTMLButtonElement>("play");
  private readonly transport = element("transport");
  private readonly transportName = element("transport-name");
  private readonly banner = element("banner");
  private readonly name = element<HTMLInputElement>("name");
  private readonly stage: Scenery;
  private readonly context: MatchContext;
  private readonly lagPanel: LagPanel;
  private readonly bindings = new BindingsPanel(() => this.toggleBindings());
  private quality: Quality;
  private match: Match | undefined;
  private link: Link | undefined;
  private place = 0; // in line for a seat
  private joining = false;
  private replay: Replay | undefined;
  private arena: Arena | undefined;
  private lastOverview = performance.now();
  private lag: Lag | undefined;
  private inputDelay = 0; // milliseconds

  constructor() {
    const { quality, auto } = chooseQuality(query.get("quality"));
    this.quality = quality;
    this.stage = new Scenery(this.canvas, quality);
    document.body.classList.toggle("low-quality", quality.name === "low");
    this.lagPanel = new LagPanel({ lag: (lag) => this.applyLag(lag), inputDelay: (ms) => this.applyInputDelay(ms) });
    this.context = this.makeContext(new FrameRateMonitor(quality, auto));
    window.addEventListener("resize", () => this.stage.resize());
    element<HTMLFormElement>("join").addEventListener("submit", (e) => {
      e.preventDefault();
      this.context.sound.start();
      void this.play(this.name.value, true);
    });
    this.name.value = query.get("name") ?? load(NAME_SETTING);
    window.backstep = makeTestAPI({
      play: (name) => this.play(name, false),
      match: () => this.match,
      link: () => this.link,
      replay: () => this.replay,
      controls: this.context.controls,
      camera: this.stage.camera,
      setLag: (lag) => this.applyLag(lag),
    });
    requestAnimationFrame(this.frame);
    void (query.has("replay") ? this.showReplay() : this.showLevel());
  }

  private makeContext(meter: FrameRateMonitor): MatchContext {
    const sound = new Sound();
    const hud = new Hud();
    const scoreboard = new Scoreboard();
    const netPanel = new NetPanel(element("net"));
    const linkStatus = new LinkStatus();
    const controls = new Controls(this.canvas, {
      scoreboard: (show) => scoreboard.show(show),
      netPanel: () => netPanel.toggle(),
      lagPanel: () => this.toggleLagPanel(),
      bindings: () => this.toggleBindings(),
      sound: () => void sound.toggle(),
      spectate: () => this.match?.spectate(),
      remoteDebug: () => this.match?.toggleRemoteDebug(),
      shotDebug: () => this.match?.toggleShotDebug(),
      mouseCaptured: (yes) => hud.paused(!yes),
    });
    const lower = (next: Quality): void => {
      this.quality = next;
      this.stage.use(next);
      document.body.classList.toggle("low-quality", next.name === "low");
    };
    return {
      stage: this.stage, controls, hud, scoreboard, netPanel, linkStatus, sound, meter, lower,
      dynamicParts: () => this.arena?.dynamic, qualityName: () => this.quality.name,
    };
  }

  /** Draws the level behind the start screen. */
  private async showLevel(): Promise<void> {
    try {
      const { version, model } = await fetchJoinInfo(server, query.get("match") ?? "");
      setText(element("about"), `Backstep ${version}`);
      await this.addArena(model);
    } catch (error) {
      if (await this.showReplay()) return; // there is no match, but a replay
      this.showError(error);
    }
    this.name.focus();
  }

  /** Shows the server's recording; returns whether it has one. */
  private async showReplay(): Promise<boolean> {
    try {
      const replay = await openReplay({ server, stage: this.stage, canvas: this.canvas, dynamicParts: () => this.arena?.dynamic });
      if (replay === undefined) {
        this.showError("No recording on this server. To show one: backstep replay FILE --web web/dist");
        return false;
      }
      this.replay = replay;
      this.start.hidden = true;
      document.title = `${replay.info.match} · Backstep`;
      if (replay.info.model !== "") await this.addArena(new URL(replay.info.model, server).href);
      return true;
    } catch (error) {
      this.showError(error);
      return false;
    }
  }

  private async addArena(model: string): Promise<void> {
    if (model === "" || this.arena !== undefined) return;
    const arena = await loadArena(model, this.quality);
    if (this.arena === undefined) this.stage.scene.add(arena.fixed);
    this.arena ??= arena;
  }

  private showError(error: unknown): void {
    setText(this.error, errorText(error));
  }

  /** Joins a match; capture also captures the mouse. */
  private async play(name: string, capture: boolean): Promise<void> {
    if (this.joining || this.match !== undefined) return;
    this.joining = this.button.disabled = true;
    setText(this.error, "");
    const input = new ArenaInput();
    const { controls } = this.context;
    try {
      const session = await connect<Roots>(server, {
        core: new URL(coreFile, document.baseURI),
        name: cleanName(name),
        match: query.get("match") ?? "",
        transport: parseTransport(query.get("transport")),
        setUp: input.setUp,
        onFrame: (session) => {
          this.showQueue(session.queue);
          this.match?.readEvents();
        },
        token: () => new URLSearchParams(location.hash.slice(1)).get("token") ?? "", // as the page that sold the game links here
        onLink: (link) => this.showLink(link),
        idle: () => this.match !== undefined && controls.writeIdle(this.match.session.roots.controls),
      });
      this.match = new Match(this.context, session);
      controls.attach(input.devices);
      if (this.lag !== undefined) session.lag = this.lag;
      session.inputDelay = this.inputDelay;
      this.bindings.attach(input);
      await this.addArena(session.joinInfo.model);
      save(NAME_SETTING, name);
      this.enterMatch(capture);
    } catch (error) {
      this.showError(error);
      this.showStartScreen();
    }
    this.joining = this.button.disabled = false;
  }

  private enterMatch(capture: boolean): void {
    this.start.hidden = true;
    this.transport.hidden = false;
    this.context.hud.show(true);
    this.context.hud.paused(false);
    this.canvas.focus();
    if (capture) this.context.controls.begin();
  }

  /** Returns to the start screen. */
  private showStartScreen(): void {
    this.context.controls.end();
    this.match?.dispose();
    this.match = undefined;
    this.lagPanel.hide();
    document.body.classList.remove("lag-open");
    this.bindings.hide();
    this.context.hud.show(false);
    this.transport.hidden = this.banner.hidden = true;
    this.start.hidden = false;
  }

  /** Shows the place in line for a seat. */
  private showQueue(place: number): void {
    if (place === this.place) return;
    this.place = place;
    this.banner.hidden = place === 0;
    setText(this.banner, place === 1 ? "The match is full: you are next." : `The match is full: ${place - 1} wait before you.`);
  }

  /** Shows the state of the connection. */
  private showLink(link: Link): void {
    this.link = link;
    const name = link.transport === "websocket" ? "WebSocket" : link.transport === "webtransport" ? "WebTransport" : "Connecting…";
    const reason = link.status === "open" && link.reason !== "" ? ` (${link.reason})` : "";
    setText(this.transportName, name + reason);
    this.transport.title = link.reason;
    this.transport.classList.toggle("fallback", link.transport === "websocket");
    this.transport.classList.toggle("lost", link.status !== "open");
    this.banner.hidden = link.status !== "lost";
    setText(this.banner, `Connection lost: ${link.reason}. Reconnecting…`);
    if (link.status === "ended" && this.match !== undefined) {
      this.showStartScreen();
      this.showError(link.reason === "left" ? "" : `Disconnected: ${link.reason}`);
    }
  }

  private applyLag(lag: Lag): void {
    this.lag = lag;
    if (this.match !== undefined) this.match.session.lag = lag;
  }

  private applyInputDelay(milliseconds: number): void {
    this.inputDelay = milliseconds;
    if (this.match !== undefined) this.match.session.inputDelay = milliseconds;
  }

  private toggleLagPanel(): void {
    const shown = this.lagPanel.toggle();
    document.body.classList.toggle("lag-open", shown);
    if (shown) this.context.controls.releaseMouse();
    else this.context.controls.captureMouse();
  }

  private toggleBindings(): void {
    if (this.bindings.toggle()) this.context.controls.releaseMouse();
    else this.context.controls.captureMouse();
  }

  private readonly frame = (now: number): void => {
    requestAnimationFrame(this.frame);
    if (this.replay?.frame(now) === true) return this.adjustQuality(now);
    if (this.match?.frame(now) !== true) this.drawOverview(now);
  };

  /** Lowers the quality if the frame rate is too low. */
  private adjustQuality(now: number): void {
    const lower = this.context.meter.count(now);
    if (lower !== undefined) this.context.lower(lower);
  }

  /** Flies slowly around the level while no match is shown. */
  private drawOverview(now: number): void {
    const angle = now * 0.00004 + 0.6;
    const { camera } = this.stage;
    camera.position.set(Math.sin(angle) * 34, 15, Math.cos(angle) * 34);
    camera.lookAt(0, 2, 0);
    this.arena?.dynamic.advance(Math.min((now - this.lastOverview) / 1000, 0.1));
    this.lastOverview = now;
    this.stage.draw();
  }
}

function parseTransport(text: string | null): "auto" | TransportName {
  return text === "websocket" || text === "webtransport" ? text : "auto";
}

/** Returns a valid name: up to 20 printable characters, or a generated one. */
function cleanName(typed: string): string {
  const clean = [...typed.normalize("NFC").replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "").trim()].slice(0, 20).join("");
  return clean === "" ? `Guest ${100 + Math.floor(Math.random() * 900)}` : clean;
}

new Page();
