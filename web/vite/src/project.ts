// What is built of a game's Go code.
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { run } from "./run.js";

/** The folders of a game; core and server relative to Vite's root. */
export interface Folders {
  root: string;
  core: string;
  server: string | false;
}

/** What has to be built after a change: the page's core, the match's server. */
export type Part = "core" | "server";

/** The Go side of a game. */
export class Project {
  constructor(
    readonly folders: Folders,
    private readonly say: (text: string) => void = console.log,
  ) {}

  /** Builds the core as it is published, and its types. */
  async build(): Promise<void> {
    await mkdir(this.inRoot("public"), { recursive: true });
    await Promise.all([this.buildTypes(), this.wasm(this.inRoot("public", "game.wasm"), "--shrink")]);
  }

  /** Builds the core as quickly as it goes: larger, and with the names that stack traces need. The page
   * gets it by showCore. */
  async buildCore(): Promise<void> {
    await this.wasm(this.newCore(), "--no-shrink");
  }

  /** Puts the core that buildCore has built where the page loads it. */
  async showCore(): Promise<void> {
    await mkdir(this.inRoot("public"), { recursive: true });
    await copyFile(this.newCore(), this.inRoot("public", "game.wasm"));
  }

  /** Writes the types of what the core shows, unless they are like that already: then no build that
   * depends on them begins. Only an editor and the compiler need them, the page does not. */
  async buildTypes(signal?: AbortSignal): Promise<void> {
    const file = this.inRoot("game.d.ts");
    const types = await run("go", ["run", "."], this.coreFolder(), signal);
    const before = await readFile(file, "utf8").catch(() => undefined);
    if (before !== types) await writeFile(file, types);
  }

  /** Builds the server, without what only a debugger needs. */
  async buildServer(): Promise<void> {
    await run("go", ["build", "-gcflags=-dwarf=false", "-ldflags=-w", "-buildvcs=false", "-o", this.program(), "."], this.inRoot(this.folders.server as string));
  }

  /** Returns the file that buildServer writes. */
  program(): string {
    return this.built(process.platform === "win32" ? "server.exe" : "server");
  }

  /** Returns the folder of the game's Go module. */
  async module(): Promise<string> {
    return dirname((await run("go", ["env", "GOMOD"], this.coreFolder())).trim());
  }

  /** Returns the files that the Go code embeds, such as a weapon file or a level. */
  async embedded(): Promise<Set<string>> {
    const server = this.inRoot(this.folders.server as string);
    const names = await run("go", ["list", "-deps", "-f", "{{$dir := .Dir}}{{range .EmbedFiles}}{{$dir}}/{{.}}\n{{end}}", ".", server], this.coreFolder());
    return new Set(names.split("\n").filter(Boolean).map((name) => resolve(name)));
  }

  /** Returns what has to be built after a change of files: a file of the server is not in the core, nor
   * one of the core in the server, and tests and bots are in neither. */
  partsOf(files: string[]): Part[] {
    const { core, server } = this.folders;
    const inside = (file: string, folder: string): boolean => file.startsWith(this.inRoot(folder) + sep);
    const built = files.filter((file) => !file.endsWith("_test.go") && !inside(file, "../bot"));
    return [
      ...(built.some((file) => !inside(file, server as string)) ? (["core"] as const) : []),
      ...(built.some((file) => !inside(file, core)) ? (["server"] as const) : []),
    ];
  }

  private async wasm(output: string, shrink: "--shrink" | "--no-shrink"): Promise<void> {
    if (!existsSync(output)) this.say("backstep: the first build of a core compiles everything for WebAssembly, which takes minutes on a new machine");
    const own = process.env["BACKSTEP"];
    const [program = "go", ...parameters] = own ? [/[/\\]/.test(own) ? resolve(this.folders.root, own) : own] : ["go", "tool", "backstep"];
    await run(program, [...parameters, "wasm", "--no-sizes", shrink, "-o", output, "."], this.coreFolder());
  }

  /** The Go commands run here, because the module may be below Vite's root, beside it, or around it. */
  private coreFolder(): string {
    return this.inRoot(this.folders.core);
  }

  private newCore(): string {
    return this.built("game.wasm");
  }

  private built(name: string): string {
    return this.inRoot("node_modules", ".backstep", name);
  }

  private inRoot(...path: string[]): string {
    return resolve(this.folders.root, join(...path));
  }
}
