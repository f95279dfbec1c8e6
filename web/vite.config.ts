import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import { defineConfig } from "vitest/config";

// `npm run dev` serves the page with Vite and proxies all else to a server started with `make run`.
const server = process.env["BACKSTEP_URL"] ?? "http://127.0.0.1:8080";

// Compressing a core takes ten seconds. What was compressed stays here, by its hash, for a week after its last use.
const COMPRESSED = "node_modules/.cache/precompress";
const WEEK = 7 * 24 * 3600_000; // ms

/** Writes FILE.br beside every file of the page that compresses; the server sends it in the file's place. */
function precompress() {
  return {
    name: "precompress",
    apply: "build" as const,
    async writeBundle({ dir }: { dir?: string }) {
      mkdirSync(COMPRESSED, { recursive: true });
      const names = readdirSync(dir!, { recursive: true, encoding: "utf8" });
      await Promise.all(names.filter((name) => /\.(html|js|css|json|svg|wasm|glb)$/.test(name)).map((name) => compress(join(dir!, name))));
      for (const name of readdirSync(COMPRESSED)) {
        const file = join(COMPRESSED, name);
        if (Date.now() - statSync(file).mtimeMs > WEEK) rmSync(file);
      }
    },
  };
}

async function compress(file: string) {
  const bytes = readFileSync(file);
  const kept = join(COMPRESSED, createHash("sha256").update(bytes).digest("hex"));
  if (!existsSync(kept)) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    writeFileSync(kept, await promisify(brotliCompress)(bytes, { params }));
  }
  utimesSync(kept, new Date(), new Date());
  cpSync(kept, `${file}.br`);
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
    testTimeout: 60_000, // a machine may be busy
  },
});
