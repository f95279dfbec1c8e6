// The game's server, which runs behind Vite's.
import { spawn, type ChildProcess } from "node:child_process";
import type { Project } from "./project.js";
import { RunError } from "./run.js";

/** How long a server may take to open its ports, in milliseconds. */
const START_TIME = 15_000;

/** The running match; there is none before restart. */
export class Match {
  private process: ChildProcess | undefined;
  private ending = false;

  constructor(
    private readonly project: Project,
    private readonly port: number,
    private readonly flags: string[],
  ) {}

  /** Ends the running server, and starts a program in its place. Resolves when that serves. */
  async restart(program: string): Promise<void> {
    await this.end();
    this.ending = false;
    const child = spawn(program, ["-addr", `127.0.0.1:${this.port}`, "-quic", ":0", ...this.flags], { cwd: this.project.folders.root, stdio: ["ignore", "inherit", "pipe"] });
    this.process = child;
    await new Promise<void>((resolve, reject) => {
      let said = "";
      let serving = false;
      const late = setTimeout(() => reject(new RunError(`the server did not start:\n${said}`)), START_TIME);
      child.stderr!.on("data", (b: Buffer) => {
        process.stderr.write(b);
        if (serving) return;
        said += b.toString();
        serving = /serving/.test(said);
        if (!serving) return;
        clearTimeout(late);
        resolve();
      });
      child.on("error", (error) => reject(new RunError(`the server: ${error.message}`)));
      child.on("exit", (code) => {
        clearTimeout(late);
        if (serving && !this.ending) console.error(`backstep: the server ended with code ${code}; the next change starts it again`);
        reject(new RunError(`the server ended with code ${code}:\n${said}`));
      });
    });
  }

  /** Ends the server without waiting for it. */
  stop(): void {
    this.ending = true;
    this.process?.kill();
  }

  private async end(): Promise<void> {
    const child = this.process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    this.ending = true;
    const gone = new Promise((done) => child.once("exit", done));
    child.kill();
    await gone;
  }
}
