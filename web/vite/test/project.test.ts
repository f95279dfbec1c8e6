import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Project } from "../src/project.js";

let root = "";

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "project-"));
  process.env["BACKSTEP"] = process.execPath; // of which wasm is no program: it ends at once
});

afterEach(async () => {
  delete process.env["BACKSTEP"];
  await rm(root, { recursive: true });
});

test("the first build of a core says that it takes minutes, and a later one does not", async () => {
  const said: string[] = [];
  const project = new Project({ root, core: "core", server: "../server" }, (text) => said.push(text));
  await expect(project.buildCore()).rejects.toThrow();
  expect(said).toEqual(["backstep: the first build of a core compiles everything for WebAssembly, which takes minutes on a new machine"]);

  await mkdir(join(root, "node_modules", ".backstep"), { recursive: true });
  await writeFile(join(root, "node_modules", ".backstep", "game.wasm"), "");
  await expect(project.buildCore()).rejects.toThrow();
  expect(said).toHaveLength(1);
});

test("the Go module may be in a folder of the web project", async () => {
  const go = join(root, "netcode");
  await mkdir(join(go, "core"), { recursive: true });
  await mkdir(join(go, "server"), { recursive: true });
  await writeFile(join(go, "go.mod"), "module example.com/game\n\ngo 1.26\n");
  await writeFile(join(go, "core", "main.go"), "package main\n\nimport _ \"embed\"\n\n//go:embed level.json\nvar Level string\n\nfunc main() { print(Level); println() }\n");
  await writeFile(join(go, "core", "level.json"), "{}");
  await writeFile(join(go, "server", "main.go"), "package main\n\nfunc main() {}\n");
  const project = new Project({ root, core: "netcode/core", server: "netcode/server" });
  expect(await realpath(await project.module())).toBe(await realpath(go));
  expect([...(await project.embedded())].some((file) => file.endsWith(join("core", "level.json")))).toBe(true);
  await project.buildTypes();
  expect(await readFile(join(root, "game.d.ts"), "utf8")).toBe("");
}, 120_000);
