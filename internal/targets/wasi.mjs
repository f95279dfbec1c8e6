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
  env: { PWD: process.cwd(), TMPDIR: "/tmp", BACKSTEP_BEDLAM: process.env.BACKSTEP_BEDLAM ?? "" },
  preopens: { "/": "/" },
  returnOnExit: true,
});
const module = await WebAssembly.compile(await readFile(file));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
process.exitCode = wasi.start(instance);
