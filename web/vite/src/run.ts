// Programs that the plugin runs, and the ports that they listen on.
import { spawn } from "node:child_process";
import { createServer, type AddressInfo } from "node:net";

/** A program that did not succeed, with what it printed. */
export class RunError extends Error {}

/** Runs a program to its end and returns what it printed to stdout. */
export function run(program: string, parameters: string[], folder: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
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

/** Returns a TCP port of this machine that is free now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
