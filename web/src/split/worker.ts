// The worker: the whole match (server, two clients, links) as WebAssembly. It plays what the page asks for
// and answers with a frame.
import { compileCore } from "../../client/src/core.js";
import { errorText } from "../../client/src/errors.js";
import { Wasi } from "../../client/src/wasi.js";
import coreFile from "../../core/splitview.wasm?url";
import type { Answer, Network, Order } from "./orders.js";

/** The exports of examples/splitview/wasm. */
interface Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  start(delay: number, jitter: number, loss: number, seed: number): number;
  set_network(delay: number, jitter: number, loss: number): void;
  advance(by: number): void;
  play(by: number, right: number, back: number, buttons: number, x: number, y: number, z: number): void;
  frame_at(): number;
  frame_length(): number;
  solids_at(): number;
}

const answer = (message: Answer, transfer: Transferable[] = []): void => self.postMessage(message, { transfer });

async function begin(network: Network, seed: number): Promise<Exports> {
  const module = await compileCore(new URL(coreFile, self.location.href));
  const wasi = new Wasi();
  const core = (await WebAssembly.instantiate(module, wasi.imports(module))).exports as unknown as Exports;
  wasi.attach(core.memory);
  core._initialize();
  if (core.start(network.delay, network.jitter, network.loss, seed) !== 0) throw new Error("The players could not join: the network loses too much.");
  answer({ kind: "ready", solids: copy(core, core.solids_at(), core.frame_length()) });
  return core;
}

function copy(core: Exports, at: number, length: number): Float64Array {
  return new Float64Array(core.memory.buffer as ArrayBuffer, at, length).slice();
}

let core: Exports | undefined;

async function run(order: Order): Promise<void> {
  if (order.kind === "start") core = await begin(order.network, order.seed);
  if (core === undefined) return;
  if (order.kind === "network") core.set_network(order.network.delay, order.network.jitter, order.network.loss);
  if (order.kind !== "advance") return;
  const { by, you } = order;
  if (you === undefined) core.advance(by);
  else {
    const [x, y, z] = you.point ?? [0, 0, 0];
    core.play(by, you.right, you.back, (you.jump ? 1 : 0) + (you.fire ? 2 : 0) + (you.point ? 4 : 0), x, y, z);
  }
  const at = core.frame_at();
  const numbers = copy(core, at, core.frame_length());
  answer({ kind: "frame", numbers }, [numbers.buffer]);
}

self.addEventListener("message", (message: MessageEvent<Order>) => {
  run(message.data).catch((error: unknown) => answer({ kind: "failed", reason: errorText(error) }));
});
