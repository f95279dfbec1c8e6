// The arena page: a start screen over the level, then the match. Start at Page.
import coreFile from "../../core/backstep.wasm?url";
import { animate, connect, fetchJoinInfo, prepare, type JoinInfo, type Link, type Prepared } from "@backstep/client";
import type { Roots } from "../core";
import { openReplay, type Replay } from "../replay/replay";
import { loadArena, type Arena } from "./arena";
import { Banner } from "./banner";
import { BindingsPanel } from "./bindings";
import { Controls } from "./controls";
import { calm, element } from "./dom";
import { adviceFor, showTrouble } from "./errors";
import { Hud } from "./hud";
import { ArenaInput } from "./input";
import { cleanName, parseTransport } from "./joining";
import { LinkStatus } from "./linkstatus";
import { Match, type MatchContext } from "./match";
import { Network } from "./network";
import { chooseQuality, disposeObjects, FrameRateMonitor, NetPanel, type Quality, Scenery, setText } from "@backstep/three/parts";
import { Minimap } from "./minimap";
import { Models } from "./models";
import { LagPanel, Scoreboard } from "./panels";
import { SettingsForm, type Settings } from "./settings";
import { Sound } from "./sound";
import { load, loadSeat, save, saveSeat } from "./storage";
import { makeTestAPI } from "./testapi";
import { Touch } from "./touch";
import { Tour } from "./tour";
import { onDevice, useDevice } from "./usedevice";

const query = new URLSearchParams(location.search);
const server = new URL(location.href);
const match = query.get("match") ?? ""; // any
const NAME_SETTING = "backstep.name";
/** How long the page says that the connection is back, ms. */
const BACK_TIME = 2500;

/** The page, from load to unload. */
class Page {
  private readonly canvas = element<HTMLCanvasElement>("view");
  private readonly start = element("start");
  private readonly error = element("error");
  private readonly errorAction = element<HTMLButtonElement>("error-action");
  private readonly progress = element("progress");
  private readonly button = element<HTMLButtonElement>("play");
  private readonly transport = element("transport");
  private readonly transportName = element("transport-name");
  private readonly banner = new Banner(() => this.showStartScreen());
  private readonly name = element<HTMLInputElement>("name");
  private readonly settings = new SettingsForm((settings) => this.applySettings(settings));
  private readonly touch: Touch;
  private readonly stage: Scenery;
  private readonly context: MatchContext;
  private readonly lagPanel: LagPanel;
  private readonly bindings = new BindingsPanel(() => this.toggleBindings());
  private quality: Quality;
  private qualitySetting: string; // what it was chosen by
  private match: Match | undefined;
  private made: Models | undefined;
  private link: Link | undefined;
  private place = 0; // in the queue for a seat
  private joining = false;
  private entered = false; // the match is shown
  private typed = ""; // the name on the start screen
  private capture = false; // the mouse, once it is
  private lostReason = ""; // of a lost connection: why later tries fail says less
  private prepared: Promise<Prepared> | undefined; // the core, started while the visitor types
  private level: Promise<void> | undefined; // its model, which is drawn
  private levelModel = ""; // the model's address
  private levelShown = false;
  private padPressed = false;
  private replay: Replay | undefined;
  private arena: Arena | undefined;
  private lastOverview = performance.now();
  private readonly network = new Network(() => this.match?.session);
  private tourWanted = false; // begins with the match

  constructor() {
    const settings = this.settings.values;
    this.qualitySetting = query.get("quality") ?? settings.quality;
    const { quality, auto } = chooseQuality(this.qualitySetting);
    this.quality = quality;
    this.stage = new Scenery(this.canvas, quality);
    document.body.classList.toggle("low-quality", quality.name === "low");
    this.lagPanel = new LagPanel(this.network, { close: () => this.toggleLagPanel(), tour: () => this.startTour() });
    this.context = this.makeContext(new FrameRateMonitor(quality, auto));
    window.addEventListener("resize", () => this.stage.resize());
    element<HTMLFormElement>("join").addEventListener("submit", (e) => {
      e.preventDefault();
      void this.play(this.name.value, true);
    });
    element("feel").addEventListener("click", () => {
      this.tourWanted = true;
      element<HTMLFormElement>("join").requestSubmit();
    });
    this.touch = new Touch(this.canvas, () => this.context.controls.listening, (action) => this.bindings.keyOf(action));
    onDevice((kind) => {
      document.body.dataset["device"] = kind;
      this.touch.show(kind === "touch");
    });
    this.applySettings(settings);
    window.addEventListener("pointerdown", (e) => useDevice(e.pointerType === "touch" ? "touch" : "keyboard"), { capture: true });
    this.canvas.addEventListener("webglcontextlost", () => showTrouble("Graphics were lost", "The graphics card was reset, as after a standby. The game is drawn again by itself, or when you reload."));
    this.canvas.addEventListener("webglcontextrestored", () => (element("trouble").hidden = true));
    this.name.value ||= query.get("name") ?? load(NAME_SETTING); // unless a name was typed before the script came
    window.backstep = makeTestAPI({
      play: (name) => this.play(name, false),
      match: () => this.match,
      models: () => this.models,
      link: () => this.link,
      replay: () => this.replay,
      controls: this.context.controls,
      stage: this.stage,
      network: this.network,
      tour: this.context.tour,
    });
    // The page has them disabled: before there is a script, a click would send the form and load the page anew.
    this.button.disabled = element<HTMLButtonElement>("feel").disabled = false;
    animate(this.frame);
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
      mouseCaptured: (yes) => hud.paused(!yes && this.entered),
      noPointerLock: () => linkStatus.notice("This browser does not capture the mouse: move it over the page to look", performance.now()),
    });
    const lower = (next: Quality): void => this.useQuality(next);
    return {
      network: this.network, tour: new Tour(this.network, controls, () => hud.paused(!controls.ready && this.entered)),
      stage: this.stage, controls, hud, scoreboard, netPanel, linkStatus, minimap: new Minimap(), sound, meter, lower,
      dynamicParts: () => this.arena?.dynamic, levelShown: () => this.levelShown, qualityName: () => this.quality.name,
      settings: () => this.settings.values, slowLook: (factor) => (controls.lookFactor = this.touch.lookFactor = factor),
    };
  }

  /** What matches draw, made when it is first asked for. */
  private get models(): Models {
    return (this.made ??= new Models(this.stage, this.quality.name !== "low"));
  }

  private useQuality(next: Quality): void {
    this.quality = next;
    this.stage.use(next);
    document.body.classList.toggle("low-quality", next.name === "low");
  }

  private applySettings({ sensitivity, volume, crosshair, quality }: Settings): void {
    this.context.controls.sensitivity = this.touch.sensitivity = sensitivity;
    this.context.sound.volume = volume;
    document.body.style.setProperty("--crosshair", crosshair);
    if (query.has("quality") || quality === this.qualitySetting) return;
    this.qualitySetting = quality;
    const chosen = chooseQuality(quality);
    this.context.meter = new FrameRateMonitor(chosen.quality, chosen.auto); // the one before would lower what the player has chosen
    this.useQuality(chosen.quality);
  }

  /** Draws the level behind the start screen. */
  private async showLevel(): Promise<void> {
    try {
      const joinInfo = await fetchJoinInfo(server, match, { preview: true });
      setText(element("about"), `Backstep ${joinInfo.version}`);
      await this.prefetch(joinInfo);
    } catch (error) {
      if (await this.showReplay()) return; // there is no match, but a replay
      this.showError(error);
    }
    if (document.activeElement === document.body) this.name.focus(); // unless the visitor is elsewhere by now
  }

  /** Downloads what a match needs while the visitor types, and starts the core. */
  private async prefetch(joinInfo: JoinInfo): Promise<void> {
    const parts = [this.prepare(joinInfo), this.addArena(joinInfo.model)];
    let done = 0;
    const count = (): void => setText(this.progress, done < parts.length ? `Loading ${done} of ${parts.length}…` : "");
    count();
    void this.models; // made here, and not when the match begins
    this.stage.compile();
    await Promise.all(parts.map(async (part) => {
      await part;
      done++;
      count();
    }));
  }

  private prepare(joinInfo?: JoinInfo): Promise<Prepared> {
    this.prepared ??= prepare(server, { core: coreFile, match, joinInfo }).catch((error: unknown) => {
      this.prepared = undefined; // the next try downloads it again
      throw error;
    });
    return this.prepared;
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
      document.body.classList.add("replaying"); // on a phone the list is beside the scene
      this.stage.resize();
      document.title = `${replay.info.match} · Backstep`;
      if (replay.info.model !== "") await this.addArena(new URL(replay.info.model, server).href);
      return true;
    } catch (error) {
      this.showError(error);
      return false;
    }
  }

  /** Loads the level's model once, in place of the one of another level. */
  private addArena(model: string): Promise<void> {
    if (model !== this.levelModel) this.removeArena();
    this.levelModel = model;
    this.level ??= (async () => {
      if (model === "") return;
      const arena = await loadArena(model, this.quality);
      if (model !== this.levelModel) return; // another level has begun in the meantime
      this.arena = arena;
      this.stage.scene.add(arena.fixed);
      this.stage.compile();
    })().then(
      () => void (this.levelShown ||= model === this.levelModel),
      (error: unknown) => {
        if (model === this.levelModel) this.level = undefined; // the next try downloads it again
        throw error;
      },
    );
    return this.level;
  }

  private removeArena(): void {
    const fixed = this.arena?.fixed;
    fixed?.removeFromParent();
    if (fixed !== undefined) disposeObjects(fixed);
    this.arena = this.level = undefined;
    this.context.minimap.clear();
    this.levelShown = false;
  }

  /** Shows what went wrong, what to do, and a button that does it. */
  private showError(error: unknown): void {
    const { title, text, detail, button } = adviceFor(error);
    setText(this.error, `${title}. ${text} ${detail === "" ? "" : `(${detail})`}`.trim());
    this.errorAction.hidden = button === "";
    setText(this.errorAction, button === "reload" ? "Reload" : "Try again");
    this.errorAction.onclick = () => (button === "reload" ? location.reload() : void this.play(this.name.value, true));
  }

  private clearError(): void {
    setText(this.error, "");
    this.errorAction.hidden = true;
  }

  /** Joins a match; capture also captures the mouse. */
  private async play(name: string, capture: boolean): Promise<void> {
    if (this.joining || this.match !== undefined) return;
    this.joining = this.button.disabled = true;
    this.clearError();
    setText(this.progress, "Joining…");
    this.capture = capture;
    this.typed = name;
    const input = new ArenaInput();
    const { controls } = this.context;
    try {
      const session = await connect<Roots>(server, {
        core: await this.prepare(),
        name: cleanName(name),
        match,
        resumeKey: loadSeat(name),
        transport: parseTransport(query.get("transport")),
        setUp: input.setUp,
        onFrame: (session) => {
          this.showQueue(session.queue);
          this.match?.readEvents();
        },
        token: () => new URLSearchParams(location.hash.slice(1)).get("token") ?? "", // as the page that sold the game links here
        onLink: (link) => this.showLink(link),
        onPlace: (place) => setText(this.progress, placeText(place, "The servers are full")),
        notice: false,
        idle: () => this.match !== undefined && controls.writeIdle(this.match.session.roots.controls),
      });
      this.match = new Match(this.context, this.models, session);
      controls.attach(input.devices);
      this.network.attach(session);
      this.bindings.attach(input);
      await this.addArena(session.joinInfo.model);
      save(NAME_SETTING, name);
    } catch (error) {
      this.tourWanted = false;
      this.endMatch(error);
    }
    this.joining = this.button.disabled = false;
  }

  /** Leaves the start screen with the first frame of the match: a player that waits in the queue has no HUD. */
  private enterMatch(): void {
    this.entered = true;
    setTimeout(() => this.context.sound.start()); // it may block for a third of a second, in which the first picture is drawn
    saveSeat(this.typed, this.match?.session.resumeKey ?? "");
    this.start.hidden = true;
    this.transport.hidden = false;
    setText(this.progress, "");
    this.context.hud.show(true);
    this.context.hud.paused(false);
    this.canvas.focus();
    if (this.capture) this.context.controls.begin(!this.tourWanted);
    if (this.tourWanted) this.context.tour.begin();
    this.tourWanted = false;
  }

  /** Returns to the start screen, which says why. */
  private endMatch(error: unknown): void {
    this.showStartScreen();
    this.showError(error);
  }

  /** Returns to the start screen. */
  private showStartScreen(): void {
    this.entered = false;
    this.context.tour.stop();
    saveSeat("", "");
    setText(this.progress, "");
    this.context.controls.end();
    const { match } = this;
    this.match = undefined; // before it reports its end
    match?.dispose();
    this.lagPanel.hide();
    this.bindings.hide();
    this.panelsChanged();
    this.context.hud.show(false);
    this.lostReason = "";
    this.place = 0;
    this.banner.hide();
    this.transport.hidden = true;
    this.start.hidden = false;
  }

  /** Shows the place in the queue for a seat. */
  private showQueue(place: number): void {
    if (place === this.place) return;
    this.place = place;
    if (place === 0) return this.banner.hide();
    this.banner.show(placeText(place, "The match is full"), { waiting: true });
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
    if (link.status === "lost") this.showLost(link.reason);
    if (link.status === "open" && this.lostReason !== "") this.showBack();
    const model = this.match?.session.joinInfo.model ?? this.levelModel;
    if (link.status === "open" && model !== this.levelModel) this.addArena(model).catch((error: unknown) => model === this.levelModel && this.endMatch(error));
    if (link.status === "ended" && this.match !== undefined) this.endMatch(link.reason);
  }

  private showLost(reason: string): void {
    this.lostReason ||= reason;
    const { title, text } = adviceFor(this.lostReason);
    this.banner.show(`${title}. ${text} Reconnecting…`, { waiting: true, detail: this.lostReason });
  }

  private showBack(): void {
    this.lostReason = "";
    this.banner.show("Connected again.");
    setTimeout(() => {
      if (this.lostReason === "" && this.place === 0) this.banner.hide();
    }, BACK_TIME);
  }

  /** Begins the tour from the lag panel. */
  private startTour(): void {
    this.lagPanel.hide();
    this.panelsChanged(false);
    this.context.tour.begin();
  }

  private toggleLagPanel(): void {
    this.lagPanel.toggle();
    this.panelsChanged();
  }

  private toggleBindings(): void {
    this.bindings.toggle();
    this.panelsChanged();
  }

  private panelsChanged(capture = true): void {
    this.context.controls.setPanelOpen(this.lagPanel.shown || this.bindings.shown, capture);
  }

  /** Lets a gamepad press Play. */
  private pollStart(): void {
    const pressed = (navigator.getGamepads?.() ?? []).some((pad) => pad?.buttons[0]?.pressed === true || pad?.buttons[9]?.pressed === true);
    if (pressed && !this.padPressed) {
      useDevice("gamepad");
      element<HTMLFormElement>("join").requestSubmit();
    }
    this.padPressed = pressed;
  }

  private readonly frame = (now: number): void => {
    if (this.replay !== undefined) {
      this.replay.frame(now);
      return this.adjustQuality(now);
    }
    if (this.match === undefined && !this.joining) this.pollStart();
    if (this.match?.frame(now) !== true) return this.entered ? this.stage.draw() : this.drawOverview(now);
    if (!this.entered) this.enterMatch();
  };

  /** Lowers the quality if the frame rate is too low. */
  private adjustQuality(now: number): void {
    const lower = this.context.meter.count(now);
    if (lower !== undefined) this.context.lower(lower);
  }

  /** Flies slowly around the level on the start screen and in the queue for a seat. Stands still without a level and
   * while a match begins: where pictures are drawn in software, each would delay it. */
  private drawOverview(now: number): void {
    const begins = this.joining || (this.match !== undefined && this.place === 0);
    if (begins || !this.levelShown) return;
    const angle = (calm() ? 0 : now * 0.00004) + 0.6;
    const { camera } = this.stage;
    camera.position.set(Math.sin(angle) * 34, 15, Math.cos(angle) * 34);
    camera.lookAt(0, 2, 0);
    this.arena?.dynamic.advance(Math.min((now - this.lastOverview) / 1000, 0.1));
    this.lastOverview = now;
    this.stage.draw();
  }
}

/** Returns the place in a line in words; 1 is the next. */
function placeText(place: number, why: string): string {
  return `${why}: ${place === 1 ? "you are next" : `${place - 1} wait before you`}.`;
}

try {
  new Page();
} catch (error) { // as without WebGL
  const { title, text } = adviceFor(error);
  showTrouble(title, text);
}
