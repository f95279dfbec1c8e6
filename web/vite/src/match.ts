// The game's server, which runs behind Vite's.
import { spawn, type ChildProcess } from "node:child_process";
import type { ProxyOptions } from "vite";
import { RunError } from "./run.js";

/** How long a server may take to open its ports, in milliseconds. */
const START_TIME = 15_000;

/** The running match; there is none before restart. */
export class Match {
  private process: ChildProcess | undefined;
  private ending = false;
  private address = "http://127.0.0.1";
  private readonly proxies: ProxyOptions[] = [];
  private connected = (): void => {};

  constructor(private readonly flags: string[]) {}

  /** Returns options that lead Vite's proxy to the running server, wherever that listens. */
  proxy(more: ProxyOptions = {}): ProxyOptions {
    return {
      ...more,
      target: this.address,
      configure: (_proxy, options) => {
        options.target = this.address;
        this.proxies.push(options);
      },
    };
  }

  /** Ends the running server, and starts a program in its place, in a folder. Resolves when that serves. */
  async restart(program: string, folder: string): Promise<void> {
    await this.end();
    this.ending = false;
    // With BACKSTEP_DEV it ends when this process does, however that ends: its standard input closes.
    const child = spawn(program, ["-addr", "127.0.0.1:0", "-quic", ":0", ...this.flags], { cwd: folder, stdio: ["pipe", "inherit", "pipe"], env: { ...process.env, BACKSTEP_DEV: "1" } });
    this.process = child;
    await new Promise<void>((resolve, reject) => {
      let said = "";
      let serving = false;
      const late = setTimeout(() => reject(new RunError(`the server did not start:\n${said}`)), START_TIME);
      child.stderr!.on("data", (b: Buffer) => {
        process.stderr.write(b);
        if (/connected .*kind=web/.test(b.toString())) this.connected();
        if (serving) return;
        said += b.toString();
        const address = /serving .*http=\S*:(\d+)\s/.exec(said);
        if (address === null) return;
        serving = true;
        this.leadTo(`http://127.0.0.1:${address[1]}`);
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

  /** Resolves when the next page is connected to the match, and rejects if the signal aborts before. */
  page(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      this.connected = resolve;
      signal.addEventListener("abort", reject, { once: true });
    });
  }

  /** Ends the server without waiting for it. */
  stop(): void {
    this.ending = true;
    this.process?.kill();
  }

  private leadTo(address: string): void {
    this.address = address;
    for (const options of this.proxies) options.target = address;
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
