// Programs that the plugin runs to their end.
import { spawn } from "node:child_process";

/** A program that did not succeed, with what it printed. */
export class RunError extends Error {}

/** Runs a program to its end, or until the signal ends it, and returns what it printed to stdout. */
export function run(program: string, parameters: string[], folder: string, signal?: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, { cwd: folder, stdio: ["ignore", "pipe", "pipe"], signal });
    const [out, errors]: Buffer[][] = [[], []];
    child.stdout.on("data", (b: Buffer) => out!.push(b));
    child.stderr.on("data", (b: Buffer) => errors!.push(b));
    child.on("error", (error) => reject(new RunError(`${program}: ${error.message}: is it installed, and in the path?`)));
    child.on("close", (code) => {
      if (code === 0) resolve(Buffer.concat(out!).toString());
      else reject(new RunError(`${program} ${parameters.join(" ")}\n${Buffer.concat(errors!).toString()}`));
    });
  });
}
