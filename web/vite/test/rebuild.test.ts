import { join } from "node:path";
import type { ViteDevServer } from "vite";
import { beforeEach, expect, test } from "vitest";
import { Match } from "../src/match.js";
import { Project, type Part } from "../src/project.js";
import { Rebuild } from "../src/rebuild.js";
import { RunError } from "../src/run.js";

const ROOT = "/games/tag/web";
const file = (name: string): string => join(ROOT, "..", name);

let log: string[] = [];
const broken = new Set<Part>();
let slow = false; // types
let busy = false; // public/game.wasm, as on Windows while a browser loads it

/** A project that notes what it would build. */
class NotedProject extends Project {
  override async buildCore(): Promise<void> {
    this.note("core");
  }
  override async buildServer(): Promise<void> {
    this.note("server");
  }
  override async showCore(): Promise<void> {
    if (busy) throw new Error("EBUSY: game.wasm is in use");
    log.push("show");
  }
  override async buildTypes(signal?: AbortSignal): Promise<void> {
    if (slow) await new Promise((_, reject) => signal!.addEventListener("abort", () => reject(new RunError("ended"))));
    log.push("types");
  }
  override async embedded(): Promise<Set<string>> {
    return new Set([file("server/weapons.yaml")]);
  }
  private note(part: Part): void {
    log.push(part);
    if (broken.has(part)) throw new RunError(`${part} does not compile`);
  }
}

/** A match that notes its starts. */
class NotedMatch extends Match {
  override async restart(): Promise<void> {
    log.push("start");
  }
}

const project = new NotedProject({ root: ROOT, core: "core", server: "../server" });
const logger = { info: (text: string): void => void log.push(text.replace(/[\d.]+ s/g, "_ s")), error: (text: string): void => void log.push(text) };
const vite = { config: { logger }, ws: { clients: new Set(), send: ({ type }: { type: string }): void => void log.push(type) } } as unknown as ViteDevServer;

beforeEach(() => {
  log = [];
  broken.clear();
});

/** Saves a file, and returns what that leads to. */
async function save(rebuild: Rebuild, name: string): Promise<string[]> {
  log = [];
  await rebuild.changed(file(name));
  await new Promise((done) => setTimeout(done)); // what comes after the reload
  return log;
}

test("a file is built into what it is part of", () => {
  for (const [name, parts] of Object.entries({
    "game/game.go": ["core", "server"],
    "go.mod": ["core", "server"],
    "server/main.go": ["server"],
    "web/core/main.go": ["core"],
    "game/game_test.go": [],
    "bot/main.go": [],
  })) expect(project.partsOf([file(name)]), name).toEqual(parts);
  expect(project.partsOf([file("server/main.go"), file("web/core/main.go")])).toEqual(["core", "server"]);
});

test("a file that the server embeds is built into it", async () => {
  const rebuild = new Rebuild(project, new NotedMatch([]), vite);
  expect(rebuild.concerns(file("server/weapons.yaml"))).toBe(false); // not known yet
  await rebuild.start();
  for (const [name, concerns] of Object.entries({ "server/weapons.yaml": true, "game/game.go": true, "go.mod": true, "rec/match.rec": false, "README.md": false }))
    expect(rebuild.concerns(file(name)), name).toBe(concerns);
  expect((await save(rebuild, "server/weapons.yaml")).slice(0, 3)).toEqual(["server", "start", "full-reload"]);
});

test("the types are written after the reload, and only where the core has changed", async () => {
  const rebuild = new Rebuild(project, new NotedMatch([]), vite);
  await rebuild.start();
  expect(log).toEqual(["core", "server", "show", "start", "types", "backstep: core _ s, server _ s, start _ s, types _ s; _ s in all"]);
  expect(await save(rebuild, "game/game.go")).toEqual(["core", "server", "show", "start", "full-reload", "backstep: game/game.go: core _ s, server _ s, start _ s; _ s in all", "types"]);
  expect(await save(rebuild, "server/main.go")).toEqual(["server", "start", "full-reload", "backstep: server/main.go: server _ s, start _ s; _ s in all"]);
  expect(await save(rebuild, "game/game_test.go")).toEqual([]);
});

test("what one file broke and another mends is built whole", async () => {
  const rebuild = new Rebuild(project, new NotedMatch([]), vite);
  await rebuild.start();
  broken.add("server"); // by a function of the rules that has another name now
  expect(await save(rebuild, "game/game.go")).toEqual(["core", "server", "server does not compile", "error"]);
  broken.clear();
  expect(await save(rebuild, "server/main.go")).toEqual(["core", "server", "show", "start", "full-reload", "backstep: server/main.go: core _ s, server _ s, start _ s; _ s in all", "types"]);
});

test("types that a save interrupts are written after that save", async () => {
  const rebuild = new Rebuild(project, new NotedMatch([]), vite);
  await rebuild.start();
  slow = true;
  expect(await save(rebuild, "game/game.go")).not.toContain("types");
  slow = false;
  expect((await save(rebuild, "server/main.go")).at(-1)).toBe("types");
});

test("a file that cannot be written is shown like code that does not compile, and Vite goes on; the next save builds again", async () => {
  const rebuild = new Rebuild(project, new NotedMatch([]), vite);
  await rebuild.start();
  busy = true;
  expect((await save(rebuild, "rules.go")).filter((entry) => entry.includes("EBUSY") || entry === "error")).toHaveLength(2);
  busy = false;
  expect(await save(rebuild, "rules.go")).toContain("full-reload");
});
