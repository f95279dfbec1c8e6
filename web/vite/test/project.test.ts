import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
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
