import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Runs a program in a separate process, where nothing is loaded yet, and returns the number that it prints. */
export async function inFreshProcess(program: string, format: "module" | "commonjs"): Promise<number> {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const { stdout } = await run(process.execPath, [`--input-type=${format}`, "--eval", program], {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
    env,
  });
  return Number(stdout.trim().split("\n").at(-1));
}
