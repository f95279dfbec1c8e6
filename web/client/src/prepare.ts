// Starts a core and loads its level before its player joins. Start at prepare.
import { compileCore, loadCore, type Core } from "./core.js";
import { checkVersions, fetchBytes, fetchJoinInfo, type JoinInfo } from "./join.js";
import type { AnyRoots } from "./roots.js";

/** Options of prepare; each may be left out. */
export interface PrepareOptions {
  /** As in ConnectOptions. */
  core?: URL | string | WebAssembly.Module;
  match?: string;
  signal?: AbortSignal;
  /** The answer of fetchJoinInfo, if the page has it. */
  joinInfo?: JoinInfo | undefined;
}

/** A started core with its level, for ConnectOptions.core. Every call of connect may have the same one: the first takes
 * the started core, later ones start another. */
export class Prepared {
  constructor(
    readonly module: WebAssembly.Module,
    readonly joinInfo: JoinInfo,
    /** The packed level. */
    readonly level: Uint8Array,
    private core: Core | undefined,
  ) {}

  /** Returns the started core, the first time: it serves one session. */
  take(): Core | undefined {
    const { core } = this;
    this.core = undefined;
    return core;
  }
}

/** Downloads and starts the core of a match and loads its level, without taking a seat: for a page whose visitor types a
 * name first. connect then has nothing left to do but to connect. Rejects as connect does. */
export async function prepare(url: URL | string, options: PrepareOptions = {}): Promise<Prepared> {
  const { signal } = options;
  const [module, [joinInfo, level]] = await Promise.all([moduleOf(options.core, signal), fetchLevel(new URL(url, document.baseURI), options)]);
  const core = await loadCore(module);
  checkVersions(joinInfo, core.read<AnyRoots["view"]>("view"));
  core.loadLevel(level);
  return new Prepared(module, joinInfo, level, core);
}

async function fetchLevel(server: URL, { joinInfo, match, signal }: PrepareOptions): Promise<[JoinInfo, Uint8Array]> {
  const info = joinInfo ?? (await fetchJoinInfo(server, match, { preview: true, signal }));
  return [info, await fetchBytes(info.world, signal)];
}

/** Compiles a core, by default game.wasm beside the page. */
export async function moduleOf(core: URL | string | WebAssembly.Module = "game.wasm", signal?: AbortSignal): Promise<WebAssembly.Module> {
  return core instanceof WebAssembly.Module ? core : compileCore(new URL(core, document.baseURI), signal);
}
