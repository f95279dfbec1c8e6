import { defineConfig } from "vitest/config";

// `npm run dev` serves the page with Vite and proxies all else to a server started with `make run`.
const server = process.env["BACKSTEP_URL"] ?? "http://127.0.0.1:8080";

export default defineConfig({
  base: "./",
  build: {
    target: "es2022",
    chunkSizeWarningLimit: 1200,
    reportCompressedSize: false,
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
    include: ["test/**/*.test.ts", "client/test/**/*.test.ts"],
    environment: "node",
  },
});
