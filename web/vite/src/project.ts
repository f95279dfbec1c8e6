// What is built of a game's Go code, and when it is built again.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { ViteDevServer } from "vite";
import type { Match } from "./match.js";
import { run, RunError } from "./run.js";

/** The folders of a game; core and server relative to Vite's root. */
export interface Folders {
  root: string;
  core: string;
  server: string | false;
}

/** How long after a change the build waits for the next, in milliseconds: editors write several files. */
const SETTLE_TIME = 30;

/** The Go side of a game. */
export class Project {
  private readonly waiting = new Set<string>();
  private running = false;

  constructor(readonly folders: Folders) {}

  /** Builds the core and its types. */
  async buildCore(): Promise<void> {
    const { root, core } = this.folders;
    await mkdir(join(root, "public"), { recursive: true });
    const [program = "go", ...parameters] = process.env["BACKSTEP"] ? [process.env["BACKSTEP"]] : ["go", "tool", "backstep"];
    const folder = core.startsWith(".") ? core : `./${core}`;
    const [types] = await Promise.all([
      run("go", ["run", folder], root),
      run(program, [...parameters, "wasm", "--no-sizes", "-o", join("public", "game.wasm"), folder], root),
    ]);
    await writeIfChanged(join(root, "game.d.ts"), types);
  }

  /** Builds the server and returns its program. */
  async buildServer(): Promise<string> {
    const { root, server } = this.folders;
    const program = join(root, "node_modules", ".backstep", process.platform === "win32" ? "server.exe" : "server");
    await run("go", ["build", "-o", program, "."], resolve(root, server as string));
    return program;
  }

  /** Returns the folder of the game's Go module. */
  async module(): Promise<string> {
    return dirname((await run("go", ["env", "GOMOD"], this.folders.root)).trim());
  }

  /** Builds again after a change, together with the changes that follow at once. */
  async changed(file: string, match: Match, vite: ViteDevServer): Promise<void> {
    this.waiting.add(file);
    if (this.running) return;
    this.running = true;
    try {
      while (this.waiting.size > 0) {
        await new Promise((done) => setTimeout(done, SETTLE_TIME));
        const files = [...this.waiting];
        this.waiting.clear();
        await this.update(files, match, vite);
      }
    } finally {
      this.running = false;
    }
  }

  /** Builds what files belong to, or all, restarts the match, and reloads the pages. What does not
   * compile is shown, and what ran before goes on. */
  async update(files: string[] | undefined, match: Match, vite: ViteDevServer): Promise<void> {
    const began = performance.now();
    const parts = this.partsOf(files);
    if (parts.length === 0) return;
    try {
      await Promise.all([
        parts.includes("core") && this.buildCore(),
        parts.includes("server") && this.buildServer().then((program) => match.restart(program)),
      ]);
    } catch (error) {
      if (!(error instanceof RunError)) throw error;
      vite.config.logger.error(error.message);
      vite.ws.send({ type: "error", err: { message: error.message, stack: "" } });
      return;
    }
    const why = files === undefined ? "" : `${files.map((file) => relative(resolve(this.folders.root, ".."), file)).join(", ")}: `;
    vite.config.logger.info(`backstep: ${why}${parts.join(" and ")} built in ${((performance.now() - began) / 1000).toFixed(1)} s`, { timestamp: true });
    if (files !== undefined) vite.ws.send({ type: "full-reload" });
  }

  /** Returns what has to be built after a change of files: a file of the server is not in the core, nor
   * one of the core in the server, and tests and bots are in neither. */
  partsOf(files: string[] | undefined): ("core" | "server")[] {
    if (files === undefined) return ["core", "server"];
    const { root, core, server } = this.folders;
    const inside = (file: string, folder: string): boolean => file.startsWith(resolve(root, folder) + sep);
    const built = files.filter((file) => !file.endsWith("_test.go") && !inside(file, "../bot"));
    return [
      ...(built.some((file) => !inside(file, server as string)) ? (["core"] as const) : []),
      ...(built.some((file) => !inside(file, core)) ? (["server"] as const) : []),
    ];
  }
}

/** Writes a file unless it is like that already: then no build that depends on it begins. */
async function writeIfChanged(file: string, text: string): Promise<void> {
  const before = await readFile(file, "utf8").catch(() => undefined);
  if (before !== text) await writeFile(file, text);
}
