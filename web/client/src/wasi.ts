// The part of WASI preview 1 that a Go reactor needs: clock, random bytes, output; no files. Start
// at Wasi.

const SUCCESS = 0;
const EBADF = 8;
const ENOSYS = 52;
const STDOUT = 1;
const STDERR = 2;
const KEPT_LINES = 40;
const MAX_RANDOM = 65536;

/** Thrown through the instance when it exits, which is how a Go panic ends. */
export class CoreExit extends Error {
  constructor(
    readonly code: number,
    readonly output: readonly string[],
  ) {
    super(`the core stopped (exit ${code}): ${reasonOf(output)}`);
    this.name = "CoreExit";
  }
}

function reasonOf(output: readonly string[]): string {
  return output.find((line) => /^(panic|fatal error|runtime):/.test(line)) ?? output.at(-1) ?? "no reason printed";
}

/** The WASI environment of one instance. */
export class Wasi {
  /** The last lines that the instance printed on standard error. */
  readonly output: string[] = [];
  private memory: WebAssembly.Memory | undefined;
  private readonly partial: string[] = ["", "", ""];
  private readonly decoder = new TextDecoder();

  constructor(private readonly print: (line: string) => void = (line) => console.warn(line)) {}

  /** Must be called with the instance's memory before it runs. */
  attach(memory: WebAssembly.Memory): void {
    this.memory = memory;
  }

  /** Returns the imports of module. Functions that are not implemented return ENOSYS; imports of
   * another kind or another module are an error. */
  imports(module: WebAssembly.Module): WebAssembly.Imports {
    const provided = this.functions();
    const wasi: Record<string, WebAssembly.ImportValue> = {};
    for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
      if (from !== "wasi_snapshot_preview1" || kind !== "function") {
        throw new Error(`wasi: the core imports ${kind} ${from}.${name}, which no page provides`);
      }
      wasi[name] = provided[name] ?? (() => ENOSYS);
    }
    return { wasi_snapshot_preview1: wasi };
  }

  private functions(): Record<string, (...args: never[]) => number> {
    return {
      args_sizes_get: (count: number, size: number) => this.none(count, size),
      args_get: () => SUCCESS,
      environ_sizes_get: (count: number, size: number) => this.none(count, size),
      environ_get: () => SUCCESS,
      clock_time_get: (clock: number, _precision: bigint, out: number) => this.time(clock, out),
      random_get: (at: number, length: number) => this.random(at, length),
      fd_write: (fd: number, vectors: number, count: number, out: number) => this.write(fd, vectors, count, out),
      fd_close: () => EBADF,
      fd_fdstat_get: (fd: number, out: number) => this.describe(fd, out),
      fd_fdstat_set_flags: () => SUCCESS,
      fd_prestat_get: () => EBADF,
      fd_prestat_dir_name: () => EBADF,
      fd_read: () => EBADF,
      poll_oneoff: (subscriptions: number, events: number, count: number, out: number) =>
        this.poll(subscriptions, events, count, out),
      sched_yield: () => SUCCESS,
      proc_exit: (code: number) => this.exit(code),
    };
  }

  private view(): DataView {
    if (this.memory === undefined) throw new Error("wasi: used before attach");
    return new DataView(this.memory.buffer);
  }

  private none(count: number, size: number): number {
    const view = this.view();
    view.setUint32(count, 0, true);
    view.setUint32(size, 0, true);
    return SUCCESS;
  }

  private time(clock: number, out: number): number {
    const ms = clock === 0 ? Date.now() : performance.now();
    this.view().setBigUint64(out, BigInt(Math.max(Math.round(ms * 1e6), 1)), true); // Go stops at a clock of zero
    return SUCCESS;
  }

  private random(at: number, length: number): number {
    const bytes = new Uint8Array(this.view().buffer as ArrayBuffer, at, length);
    for (let from = 0; from < length; from += MAX_RANDOM) {
      crypto.getRandomValues(bytes.subarray(from, from + MAX_RANDOM));
    }
    return SUCCESS;
  }

  private describe(fd: number, out: number): number {
    if (fd > STDERR) return EBADF;
    const view = this.view();
    for (let i = 0; i < 24; i++) view.setUint8(out + i, 0);
    view.setUint8(out, 2); // a character device
    return SUCCESS;
  }

  private write(fd: number, vectors: number, count: number, out: number): number {
    if (fd !== STDOUT && fd !== STDERR) return EBADF;
    const view = this.view();
    let written = 0;
    for (let i = 0; i < count; i++) {
      const from = view.getUint32(vectors + 8 * i, true);
      const length = view.getUint32(vectors + 8 * i + 4, true);
      this.lines(fd, this.decoder.decode(new Uint8Array(view.buffer as ArrayBuffer, from, length)));
      written += length;
    }
    view.setUint32(out, written, true);
    return SUCCESS;
  }

  private lines(fd: number, text: string): void {
    const parts = ((this.partial[fd] ?? "") + text).split("\n");
    this.partial[fd] = parts.pop() ?? "";
    for (const line of parts) {
      this.print(line);
      if (fd !== STDERR) continue;
      this.output.push(line);
      if (this.output.length > KEPT_LINES) this.output.splice(1, 1); // the first line has the reason
    }
  }

  /** The page's thread must not block, so every clock is reported as due. */
  private poll(subscriptions: number, events: number, count: number, out: number): number {
    const view = this.view();
    for (let i = 0; i < count; i++) {
      const event = events + 32 * i;
      view.setBigUint64(event, view.getBigUint64(subscriptions + 48 * i, true), true);
      view.setUint16(event + 8, SUCCESS, true);
      view.setUint8(event + 10, view.getUint8(subscriptions + 48 * i + 8));
    }
    view.setUint32(out, count, true);
    return SUCCESS;
  }

  private exit(code: number): never {
    const rest = this.partial[STDERR];
    if (rest) this.lines(STDERR, "\n");
    throw new CoreExit(code, this.output);
  }
}
