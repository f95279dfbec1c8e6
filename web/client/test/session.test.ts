import { getEventListeners } from "node:events";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { connect } from "../src/connect.js";
import { Core, loadCore } from "../src/core.js";
import type { JoinInfo } from "../src/join.js";
import type { FromWorker, ToWorker } from "../src/messages.js";
import { noticeFor } from "../src/notice.js";
import { prepare } from "../src/prepare.js";
import { Session, type Link } from "../src/session.js";
import { BUILD_TIMEOUT, buildCore, type JetpackRoots } from "./jetpack.js";

// A session with the core of a real game and without a server: what it asks of its worker, and how it
// reacts to what the worker reports.

const JOIN = {
  match: "jetpack", server: "", tokens: false, webtransport: "", certHashes: [], websocket: "ws://127.0.0.1/ws", level: "floor", world: "http://127.0.0.1/levels/floor",
  model: "", version: "test", protocol: 0, format: 0, token: "", ticket: "",
} satisfies JoinInfo;

let module: WebAssembly.Module;
beforeAll(async () => {
  module = await buildCore("test-session.wasm");
}, BUILD_TIMEOUT);

/** The worker's end. */
class FakeWorker {
  readonly posted: ToWorker[] = [];
  onmessage: (message: { data: FromWorker }) => void = () => undefined;
  onerror: (error: { message?: string }) => void = () => undefined;
  terminated = false;

  postMessage = (message: ToWorker): void => void this.posted.push(message);
  terminate = (): void => void (this.terminated = true);
  report = (data: FromWorker): void => this.onmessage({ data });

  /** The kinds of messages since the last call. */
  kinds(): string[] {
    return this.posted.splice(0).map((message) => message.kind);
  }
}

let page: { hidden: boolean; listeners: Map<string, () => void> };
let answer: Record<string, unknown>;

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  vi.spyOn(Core.prototype, "loadLevel").mockImplementation(() => undefined); // there is none
  page = { hidden: false, listeners: new Map() };
  const target = { addEventListener: (name: string, run: () => void) => page.listeners.set(name, run), removeEventListener: (name: string) => page.listeners.delete(name) };
  vi.stubGlobal("document", Object.defineProperty({ ...target }, "hidden", { get: () => page.hidden }));
  vi.stubGlobal("window", target);
  answer = { level: "floor", websocket: "/ws" };
  vi.stubGlobal("fetch", () => Promise.resolve(new Response(JSON.stringify(answer), { headers: { "content-type": "application/json" } })));
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

interface Stage {
  worker: FakeWorker;
  session: Session<JetpackRoots>;
  links: Link[];
  frames: number[];
  setUps: () => number;
}

async function begin(joinInfo: JoinInfo = JOIN, token?: (join: JoinInfo) => Promise<string>, joinOptions?: () => string): Promise<Stage> {
  const worker = new FakeWorker();
  const links: Link[] = [];
  const frames: number[] = [];
  let setUps = 0;
  const session: Session<JetpackRoots> = new Session<JetpackRoots>({
    server: new URL("http://127.0.0.1/"), name: "Ann", match: "", transport: "auto", resumeKey: undefined, worker: () => worker as unknown as Worker,
    module, core: await loadCore(module), joinInfo, token, joinOptions, onPlace: undefined, notice: undefined, signal: undefined, level: new Uint8Array(0),
    setUp: () => setUps++, onFrame: (s) => frames.push(s.input.forward), onLink: (link) => links.push(link), idle: undefined,
  });
  return { worker, session, links, frames, setUps: () => setUps };
}

const open = (worker: FakeWorker, connection: number): void => worker.report({ kind: "open", connection, transport: "websocket", reason: "", failed: false });

describe("a session", () => {
  it("sends what the player chose with each connection, as it is then", async () => {
    const hello = vi.spyOn(Core.prototype, "hello").mockImplementation(() => undefined);
    let team = "red";
    const { worker } = await begin(JOIN, undefined, () => `team=${team}`);
    open(worker, 1);
    expect(hello.mock.lastCall?.[5]).toBe("team=red");
    team = "blue";
    worker.report({ kind: "closed", connection: 1, reason: "the server is gone" });
    await vi.advanceTimersByTimeAsync(1000);
    open(worker, 2);
    expect(hello.mock.calls.map((call) => call[5])).toEqual(["team=red", "team=blue"]);
  });

  it("connects at once, and ends if the core refuses to join, which it would again", async () => {
    const { worker, session, links } = await begin();
    expect(worker.kinds()).toEqual(["heartbeat", "connect"]);
    open(worker, 1); // without a level
    expect(links.map((l) => l.status)).toEqual(["connecting", "open", "ended"]);
    expect(session.link.reason).toContain("hello before level_load");
    expect(session.frame({})).toBe(false);
    await vi.advanceTimersByTimeAsync(1000);
    expect(worker.terminated).toBe(true);
  });

  it("requests the address again where the match has changed its level since", async () => {
    vi.spyOn(Core.prototype, "hello").mockImplementation(() => undefined);
    const frame = vi.spyOn(Core.prototype, "frame").mockImplementation(() => undefined);
    const { worker, session, links } = await begin();
    open(worker, 1);
    const view = vi.spyOn(session, "view", "get").mockReturnValue({ ...session.view, phase: "ended", closed: "browser: the match plays another level: request its address again" });
    vi.spyOn(Core.prototype, "lost").mockImplementation(() => view.mockRestore()); // the core is outside again
    expect(session.frame({})).toBe(false);
    expect(links.map((l) => l.status)).toEqual(["connecting", "open", "lost"]);
    frame.mockRestore();
    answer["level"] = "yard";
    await vi.advanceTimersByTimeAsync(1000);
    expect(session.joinInfo.level).toBe("yard");
    expect(session.link.status).toBe("connecting");
  });

  it.each([
    ["the longest", 1, [250, 500, 1000, 2000, 4000, 4000, 4000]],
    ["the shortest", 0, [150, 250, 500, 1000, 2000, 2000, 2000]], // in steps of 50 ms
  ])("connects again after a loss, later each time: %s waits", async (_, random, longest) => {
    vi.spyOn(Math, "random").mockReturnValue(random);
    const { worker, session } = await begin();
    worker.kinds();
    const waits: number[] = [];
    for (let connection = 1; connection <= 7; connection++) {
      worker.report({ kind: "closed", connection, reason: "no route" });
      expect(session.link).toMatchObject({ status: "lost", reason: "no route" });
      let waited = 0;
      while (worker.kinds().length === 0) {
        await vi.advanceTimersByTimeAsync(50);
        waited += 50;
      }
      waits.push(waited);
    }
    expect(waits).toEqual(longest);
    expect(session.disconnects).toBe(7);
  });

  it("asks for a connect token before each connection, again where the backend fails", async () => {
    const asked: string[] = [];
    const { worker, session } = await begin({ ...JOIN, tokens: true, server: "s1" }, (join) => {
      asked.push(join.server);
      return asked.length === 2 ? Promise.reject(new Error("503")) : Promise.resolve("v4.local.x");
    });
    const hello = vi.spyOn(Core.prototype, "hello").mockImplementation(() => undefined);
    await vi.waitFor(() => expect(worker.kinds()).toContain("connect"));
    open(worker, 1);
    expect(hello.mock.lastCall?.slice(0, 5)).toEqual(["Ann", "", "floor", "jetpack", "v4.local.x"]);
    answer = { ...answer, tokens: true, server: "s2" };
    worker.report({ kind: "closed", connection: 1, reason: "restarted" });
    await vi.advanceTimersByTimeAsync(300);
    expect(session.link).toMatchObject({ status: "lost", reason: "the connect token: 503" });
    await vi.advanceTimersByTimeAsync(600);
    expect(worker.kinds()).toContain("connect");
    expect(asked).toEqual(["s1", "s2", "s2"]);
  });

  it("says what is missing where the server wants a token", async () => {
    const { session } = await begin({ ...JOIN, tokens: true });
    expect(session.link).toMatchObject({ status: "ended" });
    expect(session.link.reason).toContain("give connect the option token");
  });

  it("waits in the queue as long as its place comes every few seconds, and not for a server that is gone", async () => {
    const { worker, session } = await begin();
    vi.spyOn(session, "queue", "get").mockReturnValue(3);
    vi.spyOn(Core.prototype, "receive").mockImplementation(() => undefined);
    session.link = { status: "open", transport: "websocket", reason: "" };
    worker.kinds();
    const wait = (seconds: number): void => {
      for (let frames = 0; frames < 10 * seconds; frames++) {
        vi.advanceTimersByTime(100);
        session.frame({});
      }
    };
    for (let places = 0; places < 4; places++) {
      wait(10);
      worker.report({ kind: "message", connection: 1, channel: 1, bytes: new ArrayBuffer(1), arrived: performance.now() });
    }
    expect(worker.kinds()).not.toContain("drop");
    wait(16);
    expect(worker.kinds()).toContain("drop");
  });

  it("asks again where a server takes the request and never answers it, as one does that has lost its power", async () => {
    const { worker, session } = await begin();
    let asked = 0;
    vi.stubGlobal("fetch", (_: URL, { signal }: { signal: AbortSignal }) => {
      asked++;
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    });
    worker.report({ kind: "closed", connection: 1, reason: "no route" });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toBeGreaterThan(1);
    expect(session.link.status).toBe("lost");
  });

  it("reads a refusal that no frame has shown when the connection ends, as in a page that was frozen", async () => {
    const { worker, session } = await begin();
    vi.spyOn(Core.prototype, "hello").mockImplementation(() => undefined);
    vi.spyOn(Core.prototype, "lost").mockImplementation(() => {
      vi.spyOn(session, "view", "get").mockReturnValue({ ...session.view, phase: "ended", closed: "session: you joined from elsewhere" });
    });
    open(worker, 1);
    worker.report({ kind: "closed", connection: 1, reason: "session: you joined from elsewhere" });
    expect(session.link).toMatchObject({ status: "ended", reason: "session: you joined from elsewhere" });
  });

  it("connects once where the transport and the page find at the same time that the connection is lost", async () => {
    const { worker, session } = await begin();
    worker.report({ kind: "closed", connection: 1, reason: "the WebSocket failed" });
    worker.report({ kind: "closed", connection: 1, reason: "no data for 3 s" }); // the answer to "drop"
    worker.kinds();
    await vi.advanceTimersByTimeAsync(2000);
    expect(worker.kinds()).toEqual(["connect"]);
    expect([session.disconnects, session.link.status]).toEqual([1, "connecting"]);
  });

  it("ignores what belongs to an older connection", async () => {
    const { worker, session } = await begin();
    worker.report({ kind: "closed", connection: 0, reason: "late" });
    expect(session.link.status).toBe("connecting");
  });

  it("ends if the server came back with another protocol, and says to reload", async () => {
    const { worker, session } = await begin();
    answer = { ...answer, protocol: session.view.protocol + 1 };
    worker.report({ kind: "closed", connection: 1, reason: "restarted" });
    await vi.advanceTimersByTimeAsync(1000);
    expect(session.link).toMatchObject({ status: "ended" });
    expect(session.link.reason).toBe(`this page has protocol ${session.view.protocol} and the server has protocol ${session.view.protocol + 1}: reload the page`);
  });

  it("replaces a core that panicked, sets it up again, and gives up at the sixth in a minute", async () => {
    const { worker, session, setUps } = await begin();
    const { view } = session;
    for (let crash = 1; crash <= 5; crash++) {
      worker.kinds();
      session.failCore();
      expect(session.tell("lost")).toBe(false);
      expect(session.frame({})).toBe(false);
      await vi.waitFor(() => expect(worker.kinds()).toContain("connect"));
      expect([session.crashes, setUps()]).toEqual([crash, crash + 1]);
    }
    expect(session.view).toBe(view);
    session.failCore();
    expect(session.link).toMatchObject({ status: "ended" });
    expect(session.link.reason).toContain("the core keeps failing");
  });

  it("runs by itself in a hidden tab, with a player that stands still", async () => {
    const { worker, session, frames } = await begin();
    session.frame({ forward: 1 });
    page.hidden = true;
    page.listeners.get("visibilitychange")?.();
    expect(worker.posted.at(-1)).toEqual({ kind: "heartbeat", on: true });
    worker.report({ kind: "heartbeat" });
    expect(frames).toEqual([1, 0]);
  });

  it("drops a connection that is open and silent for three seconds of frames", async () => {
    const { worker, session } = await begin();
    session.link = { status: "open", transport: "websocket", reason: "" };
    worker.kinds();
    let silent = 0;
    while (!worker.kinds().includes("drop")) {
      vi.advanceTimersByTime(100);
      session.frame({});
      silent += 100;
    }
    expect(silent).toBeGreaterThanOrEqual(2900);
    expect(silent).toBeLessThanOrEqual(3300);
  });

  it("stays closed if the player leaves while the session asks a server that is down", async () => {
    const { worker, session, links } = await begin();
    const fails: ((error: Error) => void)[] = [];
    vi.stubGlobal("fetch", () => new Promise((_, reject) => fails.push(reject)));
    worker.report({ kind: "closed", connection: 1, reason: "no route" });
    await vi.advanceTimersByTimeAsync(1000);
    expect(fails).toHaveLength(1);
    session.close();
    fails[0]!(new TypeError("Failed to fetch"));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(links.at(-1)).toMatchObject({ status: "ended", reason: "left" });
    expect(fails).toHaveLength(1);
  });

  it("ends with the signal of connect, before it has begun and after", async () => {
    const worker = new FakeWorker();
    vi.stubGlobal("fetch", (url: URL | string) => Promise.resolve(String(url).includes("/levels/") ? new Response(new Uint8Array(1)) : Response.json(answer)));
    const leaving = new AbortController();
    const options = { name: "Ann", core: module, notice: false, worker: () => worker as unknown as Worker };
    const session = await connect("http://127.0.0.1/", { ...options, signal: leaving.signal });
    expect(session.link.status).toBe("connecting");
    const early = connect("http://127.0.0.1/", { ...options, signal: leaving.signal });
    leaving.abort();
    expect(session.link).toMatchObject({ status: "ended", reason: "left" });
    worker.posted.length = 0;
    await expect(early).rejects.toMatchObject({ name: "AbortError" });
    expect(worker.posted).toEqual([]);
  });

  it("ends with the signal while the core or the level is on its way, not when it has arrived", async () => {
    for (const slow of ["game.wasm", "/levels/"]) {
      const given: AbortSignal[] = [];
      vi.stubGlobal("fetch", (url: URL | string, options?: { signal?: AbortSignal }) => {
        if (!String(url).includes(slow)) return Promise.resolve(Response.json(answer));
        if (options?.signal === undefined) return new Promise(() => undefined);
        given.push(options.signal);
        return new Promise((_, reject) => options.signal!.addEventListener("abort", () => reject(options.signal!.reason)));
      });
      const leaving = new AbortController();
      const joining = connect("http://127.0.0.1/", { core: slow === "game.wasm" ? "http://127.0.0.1/game.wasm" : module, notice: false, signal: leaving.signal });
      void joining.catch(() => undefined);
      await vi.advanceTimersByTimeAsync(10);
      expect(given, slow).toHaveLength(1);
      leaving.abort();
      await expect(joining).rejects.toMatchObject({ name: "AbortError" });
    }
  });

  it("begins with a prepared core and level; a second match, or another level, loads what is missing and nothing else", async () => {
    const requests: string[] = [];
    vi.stubGlobal("fetch", (url: URL | string) => {
      requests.push(new URL(String(url)).pathname + new URL(String(url)).search);
      return Promise.resolve(String(url).includes("/levels/") ? new Response(new Uint8Array(1)) : Response.json(answer));
    });
    const seen = (): string[] => requests.splice(0);
    const loads = vi.mocked(Core.prototype.loadLevel);
    const prepared = await prepare("http://127.0.0.1/", { core: module });
    expect([seen(), loads.mock.calls.length]).toEqual([["/api/join?preview=1", "/levels/floor"], 1]);

    const cores: Core[] = [];
    const play = async (): Promise<void> => {
      const session = await connect("http://127.0.0.1/", {
        core: prepared, notice: false, worker: () => new FakeWorker() as unknown as Worker, setUp: (core) => cores.push(core),
      });
      session.close();
    };
    await play();
    expect([seen(), loads.mock.calls.length], "the prepared core").toEqual([["/api/join"], 1]);
    await play();
    expect([seen(), loads.mock.calls.length], "another core, the same level").toEqual([["/api/join"], 2]);
    expect(new Set(cores).size).toBe(2);

    const later = await prepare("http://127.0.0.1/", { core: module, joinInfo: { ...JOIN, level: "yard" } });
    seen();
    await connect("http://127.0.0.1/", { core: later, notice: false, worker: () => new FakeWorker() as unknown as Worker }).then((session) => session.close());
    expect([seen(), loads.mock.calls.length], "the level has changed meanwhile").toEqual([["/api/join", "/levels/floor"], 4]);
  });

  it("lets go of the signal of connect when it ends, so that a signal of the whole page does not keep it", async () => {
    vi.stubGlobal("fetch", (url: URL | string) => Promise.resolve(String(url).includes("/levels/") ? new Response(new Uint8Array(1)) : Response.json(answer)));
    const { signal } = new AbortController();
    const session = await connect("http://127.0.0.1/", { core: module, notice: false, worker: () => new FakeWorker() as unknown as Worker, signal });
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    session.close();
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("starts no worker and leaves no listener behind where setUp throws", async () => {
    vi.stubGlobal("fetch", (url: URL | string) => Promise.resolve(String(url).includes("/levels/") ? new Response(new Uint8Array(1)) : Response.json(answer)));
    const worker = vi.fn();
    const setUp = (): void => {
      throw new Error("no export is called paint");
    };
    await expect(connect("http://127.0.0.1/", { core: module, notice: false, worker, setUp })).rejects.toThrow("paint");
    expect([worker.mock.calls.length, page.listeners.size]).toEqual([0, 0]);
  });

  it("says what is missing where the worker does not run, as where a bundler has not copied its file", async () => {
    const { worker, session } = await begin();
    worker.onerror({}); // an event without a message: the file is not there
    expect(session.link).toMatchObject({ status: "ended", reason: "socket.worker.js of @backstep/client does not run: give connect the option worker" });
  });

  it("keeps a connection that is open where its worker reports an error", async () => {
    const { worker, session } = await begin();
    vi.spyOn(Core.prototype, "hello").mockImplementation(() => undefined);
    open(worker, 1);
    worker.onerror({ message: "odd" });
    expect(session.link.status).toBe("open");
  });

  it("reports what happened in a frame once, also where no other frame runs: at the end and while the core restarts", async () => {
    const { worker, session } = await begin();
    const happened = (phase: string): void => {
      const values = { phase, closed: "", placed: true, queue: 0, resumeKey: "", packets: [], events: [{ kind: "died" }], corrections: [{}], shots: [{}] };
      vi.spyOn(session, "view", "get").mockReturnValue(values as unknown as JetpackRoots["view"]);
    };
    const counts = (): number[] => [session.events.length, session.corrections.length, session.shots.length];
    happened("playing");
    expect([session.frame({}), ...counts()]).toEqual([true, 1, 1, 1]);
    worker.kinds();
    session.failCore();
    expect([session.frame({}), ...counts()]).toEqual([false, 0, 0, 0]);
    await vi.waitFor(() => expect(worker.kinds()).toContain("connect"));
    happened("ended");
    expect([session.frame({}), ...counts()]).toEqual([false, 1, 1, 1]);
    expect([session.frame({}), ...counts()]).toEqual([false, 0, 0, 0]);
    expect(counts()).toEqual([0, 0, 0]);
  });

  it("takes the notice of a session that has ended down when the page leaves it", async () => {
    const { session } = await begin({ ...JOIN, tokens: true }); // which ends at once
    const shown: unknown[] = [];
    Object.assign(session["parts"], { notice: { show: (notice: unknown) => shown.push(notice) } });
    session.close();
    expect(shown).toEqual([undefined]);
  });

  it("reports the last frame of a hidden tab, in which it ended", async () => {
    const { worker, session } = await begin();
    const values = { phase: "ended", closed: "host: you are kicked", placed: true, queue: 0, events: [{ kind: "died" }], corrections: [], shots: [] };
    vi.spyOn(session, "view", "get").mockReturnValue(values as unknown as JetpackRoots["view"]);
    worker.report({ kind: "heartbeat" });
    expect(session.link.status).toBe("ended");
    session.frame({});
    expect(session.events).toEqual([{ kind: "died" }]);
    session.frame({});
    expect(session.events).toEqual([]);
  });

  it("goes on where onLink or onFrame of the page throws, and reports it as an error of the page", async () => {
    const reported: unknown[] = [];
    vi.stubGlobal("reportError", (error: unknown) => reported.push(error));
    const { worker, session, links, frames } = await begin();
    vi.spyOn(Core.prototype, "hello").mockImplementation(() => undefined);
    const odd = new Error("no element is called status");
    vi.spyOn(links, "push").mockImplementation(() => { throw odd; });
    vi.spyOn(frames, "push").mockImplementation(() => { throw odd; });
    open(worker, 1);
    expect(Core.prototype.hello).toHaveBeenCalledOnce();
    session.frame({});
    worker.kinds();
    worker.report({ kind: "closed", connection: 1, reason: "no route" });
    await vi.advanceTimersByTimeAsync(300);
    expect(worker.kinds()).toEqual(["connect"]);
    session.close();
    await vi.advanceTimersByTimeAsync(300);
    expect(worker.terminated).toBe(true);
    expect(reported).toEqual([odd, odd, odd, odd, odd]); // open, a frame, lost, connecting, ended
  });

  it("leaves when the page is closed", async () => {
    const { session, links } = await begin();
    page.listeners.get("pagehide")?.();
    expect(links.at(-1)).toMatchObject({ status: "ended", reason: "left" });
    session.close();
    expect(links.filter((l) => l.status === "ended")).toHaveLength(1);
  });

  it("says that it has left where the browser shows the page again, as it was, by its back button", async () => {
    const { session } = await begin();
    page.listeners.get("pagehide")?.();
    page.listeners.get("pageshow")?.();
    expect(noticeFor(session.link, 0)).toEqual({ text: "You left the match with this page.", again: true });
  });
});
