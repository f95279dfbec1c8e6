// The Vite plugin of Backstep games. Start at backstep.
import type { Plugin, ViteDevServer } from "vite";
import { Match } from "./match.js";
import { Project, type Folders } from "./project.js";
import { freePort } from "./run.js";

/** Options of backstep; each may be left out. Folders are relative to Vite's root. */
export interface Options {
  /** Folder of the main package of the browser core. By default "core". */
  core?: string;
  /** Folder of the main package of the server, which vite runs while it serves; false runs none. By
   * default "../server". */
  server?: string | false;
  /** Flags for the server, such as ["-players", "4"]. */
  serverFlags?: string[];
}

/** Builds the game's core to public/game.wasm and its types to game.d.ts. While Vite serves, it also
 * runs the game's server behind it, and builds and reloads when a Go file changes. */
export default function backstep(options: Options = {}): Plugin {
  const folders: Folders = { root: "", core: options.core ?? "core", server: options.server ?? "../server" };
  const project = new Project(folders);
  let port = 0;
  let serves = false;
  return {
    name: "backstep",
    // Its worker is beside its module, where Vite's copy of an optimised dependency has none.
    async config(_, { command }) {
      serves = command === "serve" && folders.server !== false;
      if (!serves) return { optimizeDeps: { exclude: ["@backstep/client"] } };
      port = await freePort();
      const target = `http://127.0.0.1:${port}`;
      return {
        optimizeDeps: { exclude: ["@backstep/client"] },
        server: { proxy: { "/api": target, "/levels": target, "/ws": { target, ws: true } } },
      };
    },
    configResolved(config) {
      folders.root = config.root;
    },
    async buildStart() {
      if (!serves) await project.buildCore();
    },
    async configureServer(vite: ViteDevServer) {
      if (!serves) return;
      const match = new Match(project, port, options.serverFlags ?? []);
      vite.httpServer?.on("close", () => match.stop());
      process.on("exit", () => match.stop());
      await project.update(undefined, match, vite);
      vite.watcher.add(await project.module());
      for (const event of ["add", "change", "unlink"] as const) {
        vite.watcher.on(event, (file) => {
          if (file.endsWith(".go") || file.endsWith("go.mod")) void project.changed(file, match, vite);
        });
      }
    },
  };
}
