import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { defineConfig } from "vitest/config";

// `npm run dev` serves the page with Vite and proxies all else to a server started with `make run`.
const server = process.env["BACKSTEP_URL"] ?? "http://127.0.0.1:8080";

/** Writes FILE.br beside every file of the page that compresses; the server sends it in the file's place. */
function precompress() {
  return {
    name: "precompress",
    apply: "build" as const,
    writeBundle({ dir }: { dir?: string }) {
      for (const name of readdirSync(dir!, { recursive: true, encoding: "utf8" })) {
        if (!/\.(html|js|css|json|svg|wasm|glb)$/.test(name)) continue;
        const file = join(dir!, name);
        const bytes = readFileSync(file);
        const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
        writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }));
      }
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [precompress()],
  build: {
    target: "es2022",
    chunkSizeWarningLimit: 1200,
    reportCompressedSize: false,
    // BACKSTEP_PAGES=split.html builds one page alone (make split).
    rolldownOptions: { input: (process.env["BACKSTEP_PAGES"] ?? "index.html split.html").split(" ") },
  },
  worker: { format: "es" },
  server: {
    proxy: {
      "/api": server,
      "/levels": server,
      "/replay": server,
      "/ws": { target: server, ws: true },
    },
  },
  test: {
    include: ["test/**/*.test.ts", "client/test/**/*.test.ts", "three/test/**/*.test.ts", "vite/test/**/*.test.ts"],
    environment: "node",
  },
});
