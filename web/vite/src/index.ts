// The Vite plugin of Backstep games. Start at backstep.
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { searchForWorkspaceRoot, type Plugin, type UserConfig, type ViteDevServer } from "vite";
import { Match } from "./match.js";
import { Project, type Folders } from "./project.js";
import { Rebuild } from "./rebuild.js";

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
 * runs the game's server behind it, and builds and reloads when a Go file changes, or one that it embeds. */
export default function backstep(options: Options = {}): Plugin {
  const folders: Folders = { root: "", core: options.core ?? "core", server: options.server ?? "../server" };
  const project = new Project(folders);
  const match = new Match(options.serverFlags ?? []);
  let serves = false;
  return {
    name: "backstep",
    config(user, { command }): UserConfig {
      serves = command === "serve" && folders.server !== false;
      // Its worker lies beside its module, where Vite's copy of an optimised dependency has none.
      const optimizeDeps = { exclude: ["@backstep/client"] };
      // A second copy of three, such as that of a linked package, would draw objects of classes that the first does not know.
      const resolved = { dedupe: ["three"] };
      if (!serves) return { optimizeDeps, resolve: resolved };
      const proxy = { "/api": match.proxy(), "/levels": match.proxy(), "/ws": match.proxy({ ws: true }) };
      return { optimizeDeps, resolve: resolved, server: { proxy, fs: { allow: allowed(resolve(user.root ?? ".")) } } };
    },
    configResolved(config) {
      folders.root = config.root;
    },
    async buildStart() {
      if (!serves) await project.build();
    },
    async configureServer(vite: ViteDevServer) {
      if (!serves) return;
      const rebuild = new Rebuild(project, match, vite);
      vite.httpServer?.on("close", () => match.stop());
      process.on("exit", () => match.stop());
      await rebuild.start();
      vite.watcher.add(await project.module());
      for (const event of ["add", "change", "unlink"] as const) {
        vite.watcher.on(event, (file) => {
          if (rebuild.concerns(file)) void rebuild.changed(file);
        });
      }
    },
  };
}

/** Returns the folders that Vite may serve: the project's, and that of @backstep/client, which is elsewhere
 * where it is linked: its worker is a file of its own. */
function allowed(root: string): string[] {
  const workspace = searchForWorkspaceRoot(root);
  try {
    return [workspace, dirname(createRequire(join(root, "package.json")).resolve("@backstep/client/package.json"))];
  } catch {
    return [workspace]; // the import of it will be reported
  }
}
