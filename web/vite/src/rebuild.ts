// What happens when a file of the Go side is saved: build, restart, reload.
import { relative, resolve } from "node:path";
import type { ViteDevServer } from "vite";
import type { Match } from "./match.js";
import type { Part, Project } from "./project.js";
import { RunError } from "./run.js";

/** How long after a change the build waits for the next, in milliseconds: editors write several files. */
const SETTLE_TIME = 30;

/** How long the report of a rebuild waits for a page, in milliseconds. */
const PAGE_TIME = 10_000;

/** Builds a game while Vite serves it. */
export class Rebuild {
  private readonly saved = new Set<string>();
  private readonly due = new Set<Part | "types">(["core", "server", "types"]);
  private running = false;
  private embedded = new Set<string>();
  private afterwards = new AbortController();

  constructor(
    private readonly project: Project,
    private readonly match: Match,
    private readonly vite: ViteDevServer,
  ) {}

  /** Builds everything and starts the match. */
  async start(): Promise<void> {
    await this.reported(async () => {
      const times = new Times();
      await this.build(times);
      await times.of("types", this.writeTypes());
      this.say(String(times));
      this.embedded = await this.project.embedded();
    });
  }

  /** Reports whether a file is part of the Go side: a Go file, or one that these embed. */
  concerns(file: string): boolean {
    return file.endsWith(".go") || file.endsWith("go.mod") || this.embedded.has(file);
  }

  /** Builds again after a change, together with the changes that follow at once. */
  async changed(file: string): Promise<void> {
    this.saved.add(file);
    if (this.running) return;
    this.running = true;
    try {
      while (this.saved.size > 0) {
        await new Promise((done) => setTimeout(done, SETTLE_TIME));
        const files = [...this.saved];
        this.saved.clear();
        await this.reported(() => this.update(files));
      }
    } finally {
      this.running = false;
    }
  }

  /** Builds what files belong to, and reloads the pages. */
  private async update(files: string[]): Promise<void> {
    const parts = this.project.partsOf(files);
    if (parts.length === 0) return;
    for (const part of parts) this.due.add(part);
    this.afterwards.abort();
    const { signal } = (this.afterwards = new AbortController());
    const times = new Times();
    await this.build(times);
    const pages = this.vite.ws.clients.size;
    const joined = pages === 0 ? undefined : times.of("page", this.match.page(AbortSignal.any([signal, AbortSignal.timeout(PAGE_TIME)])));
    this.vite.ws.send({ type: "full-reload" });
    const changes = files.map((file) => relative(resolve(this.project.folders.root, ".."), file)).join(", ");
    void this.reported(async () => {
      await joined?.catch(() => undefined); // then the report goes without it
      this.say(`${changes}: ${times}`);
      await this.writeTypes(signal);
      if (files.some((file) => file.endsWith(".go"))) this.embedded = await this.project.embedded();
    });
  }

  /** Builds the parts that are due, then puts all of them in place: where one does not compile, what ran
   * before goes on. */
  private async build(times: Times): Promise<void> {
    const { project, match, due } = this;
    const [core, server] = [due.has("core"), due.has("server")];
    await Promise.all([core && times.of("core", project.buildCore()), server && times.of("server", project.buildServer())]);
    if (core) await project.showCore();
    if (server) await times.of("start", match.restart(project.program(), project.folders.root));
    if (core) due.add("types");
    due.delete("core");
    due.delete("server");
  }

  /** Writes the types if they are due, unless the signal aborts: then they stay due. */
  private async writeTypes(signal?: AbortSignal): Promise<void> {
    if (!this.due.has("types") || signal?.aborted) return;
    try {
      await this.project.buildTypes(signal);
      this.due.delete("types");
    } catch (error) {
      if (!signal?.aborted) throw error;
    }
  }

  private say(text: string): void {
    this.vite.config.logger.info(`backstep: ${text}`, { timestamp: true });
  }

  /** Runs a step, and shows what does not compile, or what else fails, such as a file in use: an error that nobody
   * catches would end Vite. */
  private async reported(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      const message = error instanceof RunError ? error.message : String((error as Error).stack ?? error);
      this.vite.config.logger.error(message);
      this.vite.ws.send({ type: "error", err: { message, stack: "" } });
    }
  }
}

/** How long the parts of a rebuild took, several at once. */
class Times {
  private readonly began = performance.now();
  private readonly parts: string[] = [];

  /** Notes what some work takes until it succeeds. */
  async of<T>(part: string, work: Promise<T>): Promise<T> {
    const began = performance.now();
    const result = await work;
    this.parts.push(`${part} ${seconds(began)}`);
    return result;
  }

  /** Returns the parts in the order of their ends, and the whole until now. */
  toString(): string {
    return `${this.parts.join(", ")}; ${seconds(this.began)} in all`;
  }
}

/** Returns the time since an instant. */
function seconds(began: number): string {
  return `${((performance.now() - began) / 1000).toFixed(1)} s`;
}
