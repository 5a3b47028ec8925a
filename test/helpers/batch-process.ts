import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "tsup";

export interface BatchReport {
  outcomes: { key: string; status: string; cost?: number; reason?: string }[];
  /** How many events there were at which the process could have been told to crash. */
  events: number;
}

/** The program of `batch-worker.ts`, built for Node, for the tests of one file. */
export class BatchProgram {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async build(name: string): Promise<BatchProgram> {
    const folder = fileURLToPath(new URL(`../.${name}`, import.meta.url));
    await build({
      entry: ["test/helpers/batch-worker.ts"],
      outDir: folder,
      config: false,
      silent: true,
      format: "esm",
      target: "node20",
      noExternal: ["openapi-fetch", /^zod/],
      esbuildOptions(options) {
        options.alias = {
          "screenshot-sets/batch": "./src/batch/index.ts",
          "screenshot-sets": "./src/index.ts",
        };
      },
    });
    return new BatchProgram(folder);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  start(environment: Record<string, string>): ChildProcess {
    const env = { ...process.env, ...environment };
    const program = join(this.#folder, "batch-worker.js");
    return fork(program, { env, execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] });
  }

  /** Runs to the end; undefined if it was killed. */
  async run(environment: Record<string, string>): Promise<BatchReport | undefined> {
    const child = this.start(environment);
    let report: BatchReport | undefined;
    child.on("message", (message) => {
      report = message as BatchReport;
      child.disconnect();
    });
    const [code, signal] = await once(child, "exit");
    if (report || signal === "SIGKILL") return report;
    throw new Error(`Expected the batch to end or to be killed, got exit code ${code}.`);
  }
}
