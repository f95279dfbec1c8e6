// Runs a Go test binary built for wasip1 in the working directory:
//
//     node wasi.mjs geom.wasm -test.run '^TestGolden'
//
// The whole file system is mapped to itself, so that testdata is found.
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const [file, ...args] = process.argv.slice(2);
const wasi = new WASI({
  version: "preview1",
  args: [file, ...args],
  env: { PWD: process.cwd(), TMPDIR: "/tmp", BACKSTEP_STRESS: process.env.BACKSTEP_STRESS ?? "" },
  preopens: { "/": "/" },
  // The program's exit ends the process at once: unwinding out of WebAssembly and
  // tearing the engine down was seen to crash now and then, after the tests had passed.
  returnOnExit: false,
});
const module = await WebAssembly.compile(await readFile(file));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
wasi.start(instance);
