// The arena's page: a start screen over the level, then the match. Start at Page.
import { connect, invite, type Lag, type Link, type RoadName } from "../client/index";
import { loadArena, type Arena } from "./arena";
import { BindingsPanel } from "./bindings";
import { Controls } from "./controls";
import { element, setText } from "./dom";
import { makeHook } from "./hook";
import { Hud } from "./hud";
import { LineSigns } from "./line";
import type { Machines } from "./machines";
import { Match, type Props } from "./match";
import { NetPanel } from "./netpanel";
import { LagPanel, Scoreboard } from "./panels";
import { chooseQuality, Meter, type Quality } from "./quality";
import { Stage } from "./scene";
import { Sound } from "./sound";
import { openReplay, type Replay } from "../replay/replay";

const query = new URLSearchParams(location.search);
const server = new URL(location.href);

/** What is on the page, from load to unload. */
class Page {
  private readonly canvas = element<HTMLCanvasElement>("view");
  private readonly start = element("start");
  private readonly trouble = element("trouble");
  private readonly button = element<HTMLButtonElement>("play");
  private readonly road = element("road");
  private readonly roadName = element("road-name");
  private readonly banner = element("banner");
  private readonly name = element<HTMLInputElement>("name");
  private readonly stage: Stage;
  private readonly props: Props;
  private readonly lagPanel: LagPanel;
  private readonly bindings = new BindingsPanel(() => this.toggleBindings());
  private quality: Quality;
  private match: Match | undefined;
  private replay: Replay | undefined;
  private setLag: (lag: Lag) => void = () => undefined;
  private arena: Arena | undefined;
  private shown = performance.now();
  private lag: Lag | undefined;
  private inputDelay = 0; // milliseconds

  constructor() {
    const { quality, auto } = chooseQuality(query.get("quality"));
    this.quality = quality;
    this.stage = new Stage(this.canvas, quality);
    document.body.classList.toggle("low-quality", quality.name === "low");
    this.lagPanel = new LagPanel({ lag: (lag) => this.useLag(lag), inputDelay: (ms) => this.useDelay(ms) });
    this.props = this.makeProps(new Meter(quality, auto));
    window.addEventListener("resize", () => this.stage.resize());
    element<HTMLFormElement>("join").addEventListener("submit", (e) => {
      e.preventDefault();
      this.props.sound.start();
      void this.play(this.name.value, true);
    });
    this.name.value = query.get("name") ?? remembered();
    window.backstep = makeHook({
      play: (name) => this.play(name, false),
      match: () => this.match,
      replay: () => this.replay,
      controls: this.props.controls,
      camera: this.stage.camera,
      setLag: (lag) => this.useLag(lag),
    });
    requestAnimationFrame(this.picture);
    void (query.has("replay") ? this.showReplay() : this.showLevel());
  }

  private makeProps(meter: Meter): Props {
    const sound = new Sound();
    const hud = new Hud();
    const scoreboard = new Scoreboard();
    const netPanel = new NetPanel();
    const signs = new LineSigns();
    const controls = new Controls(this.canvas, {
      scoreboard: (show) => scoreboard.show(show),
      netPanel: () => netPanel.toggle(),
      lagPanel: () => this.toggleLagPanel(),
      bindings: () => this.toggleBindings(),
      sound: () => void sound.toggle(),
      watch: () => this.match?.watch(),
      debug: () => this.match?.debug(),
      shots: () => this.match?.shots(),
      caught: (yes) => hud.paused(!yes),
    });
    const lower = (next: Quality): void => {
      this.quality = next;
      this.stage.use(next);
      document.body.classList.toggle("low-quality", next.name === "low");
    };
    const machines = (): Machines | undefined => this.arena?.machines;
    return { stage: this.stage, controls, hud, scoreboard, netPanel, signs, sound, meter, lower, machines, qualityName: () => this.quality.name };
  }

  /** Draws the level behind the start screen. */
  private async showLevel(): Promise<void> {
    try {
      const invitation = await invite(server, { match: query.get("match") ?? "", name: "", spawn: "" });
      setText(element("about"), `Backstep ${invitation.version}`);
      await this.draw(invitation.glb);
    } catch (error) {
      if (await this.showReplay()) return; // there is no match, but a recording
      this.complain(error);
    }
    this.name.focus();
  }

  /** Shows the server's recording; returns whether it has one. */
  private async showReplay(): Promise<boolean> {
    const machines = (): Machines | undefined => this.arena?.machines;
    try {
      const replay = await openReplay({ server, stage: this.stage, canvas: this.canvas, machines });
      if (replay === undefined) {
        this.complain(new Error("This server has no recording: backstep replay FILE --web web/dist shows one."));
        return false;
      }
      this.replay = replay;
      this.start.hidden = true;
      document.title = `${replay.info.match} · Backstep`;
      if (replay.info.glb !== "") await this.draw(new URL(replay.info.glb, server).href);
      return true;
    } catch (error) {
      this.complain(error);
      return false;
    }
  }

  private async draw(glb: string): Promise<void> {
    if (glb === "" || this.arena !== undefined) return;
    const arena = await loadArena(glb, this.quality);
    if (this.arena === undefined) this.stage.scene.add(arena.still);
    this.arena ??= arena;
  }

  private complain(error: unknown): void {
    setText(this.trouble, error instanceof Error ? error.message : String(error));
  }

  /** Joins a match; by hand it also catches the mouse. */
  private async play(name: string, byHand: boolean): Promise<void> {
    if (this.match !== undefined) return;
    this.button.disabled = true;
    setText(this.trouble, "");
    const match = new Match(this.props);
    this.match = match;
    try {
      const client = await connect({
        server,
        core: new URL("backstep.wasm", document.baseURI),
        name: properName(name),
        match: query.get("match") ?? "",
        spawn: query.get("spawn") ?? "",
        transport: transportWish(query.get("transport")),
        onEvent: match.hear,
        onLink: (link) => this.tell(link),
      });
      this.setLag = (lag) => (client.lag = lag);
      if (this.lag !== undefined) this.setLag(this.lag);
      client.inputDelay = this.inputDelay;
      match.play(client);
      this.bindings.attach(client);
      await this.draw(client.invitation.glb);
      remember(name);
      this.enter(byHand);
    } catch (error) {
      this.complain(error);
      this.back();
    }
    this.button.disabled = false;
  }

  private enter(byHand: boolean): void {
    this.start.hidden = true;
    this.road.hidden = false;
    this.props.hud.show(true);
    this.props.hud.paused(false);
    this.canvas.focus();
    if (byHand) this.props.controls.begin();
  }

  /** Returns to the start screen. */
  private back(): void {
    this.props.controls.end();
    this.match?.dispose();
    this.match = undefined;
    this.lagPanel.hide();
    document.body.classList.remove("lag-open");
    this.bindings.hide();
    this.props.hud.show(false);
    this.road.hidden = this.banner.hidden = true;
    this.start.hidden = false;
  }

  /** Shows what the connection does. */
  private tell(link: Link): void {
    const name = link.road === "websocket" ? "WebSocket" : link.road === "webtransport" ? "WebTransport" : "Connecting…";
    const why = link.status === "open" && link.why !== "" ? ` (${link.why})` : "";
    setText(this.roadName, name + why);
    this.road.title = link.why;
    this.road.classList.toggle("fallback", link.road === "websocket");
    this.road.classList.toggle("lost", link.status !== "open");
    this.banner.hidden = link.status !== "lost";
    setText(this.banner, `Connection lost: ${link.why}. Coming back…`);
    if (link.status === "ended" && this.match !== undefined) {
      this.back();
      this.complain(link.why === "left" ? "" : `The match ended for you: ${link.why}`);
    }
  }

  private useLag(lag: Lag): void {
    this.lag = lag;
    this.setLag(lag);
  }

  private useDelay(milliseconds: number): void {
    this.inputDelay = milliseconds;
    if (this.match?.client !== undefined) this.match.client.inputDelay = milliseconds;
  }

  private toggleLagPanel(): void {
    const shown = this.lagPanel.toggle();
    document.body.classList.toggle("lag-open", shown);
    if (shown) this.props.controls.freeMouse();
    else this.props.controls.catchMouse();
  }

  private toggleBindings(): void {
    if (this.bindings.toggle()) this.props.controls.freeMouse();
    else this.props.controls.catchMouse();
  }

  private readonly picture = (now: number): void => {
    requestAnimationFrame(this.picture);
    if (this.replay?.frame(now) === true) return this.judge(now);
    if (this.match?.frame(now) !== true) this.showCase(now);
  };

  /** Draws more cheaply where pictures come too slowly. */
  private judge(now: number): void {
    const lower = this.props.meter.count(now);
    if (lower !== undefined) this.props.lower(lower);
  }

  /** A slow flight around the level while nobody plays. */
  private showCase(now: number): void {
    const angle = now * 0.00004 + 0.6;
    const { camera } = this.stage;
    camera.position.set(Math.sin(angle) * 34, 15, Math.cos(angle) * 34);
    camera.lookAt(0, 2, 0);
    this.arena?.machines.advance(Math.min((now - this.shown) / 1000, 0.1));
    this.shown = now;
    this.stage.draw();
  }
}

function transportWish(wish: string | null): "auto" | RoadName {
  return wish === "websocket" || wish === "webtransport" ? wish : "auto";
}

/** Names are 1 to 24 printable characters; whatever else was typed is dropped. */
function properName(typed: string): string {
  const clean = [...typed.normalize("NFC").replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "").trim()].slice(0, 20).join("");
  return clean === "" ? `Guest ${100 + Math.floor(Math.random() * 900)}` : clean;
}

const NAME_KEY = "backstep.name";

function remembered(): string {
  try {
    return localStorage.getItem(NAME_KEY) ?? "";
  } catch {
    return ""; // storage may be forbidden
  }
}

function remember(name: string): void {
  try {
    localStorage.setItem(NAME_KEY, name);
  } catch {
    // then it is asked again next time
  }
}

new Page();
