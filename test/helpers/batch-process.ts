import { type ChildProcess, type StdioOptions, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { buildProgram } from "./built-program.js";

/** What a batch that was not killed says at its end. */
interface BatchReport {
  outcomes: { key: string; status: string; cost?: number; reason?: string }[];
}

/** Whether processes may be started in a namespace of their own, which takes Linux and its administrator. */
export function canUnshare(): boolean {
  return spawnSync("unshare", ["-pf", "--mount-proc", "true"]).status === 0;
}

export type BatchProgram = Awaited<ReturnType<typeof batchProgram>>;

/** The program of `batch-worker.ts`, for the tests of one file. */
export async function batchProgram(forTests: string) {
  const { path, remove } = await buildProgram("batch-worker", forTests);

  /** @param wrapper a command that runs it, and its arguments */
  const start = (environment: Record<string, string>, wrapper: string[] = []): ChildProcess => {
    const [command = "", ...args] = [...wrapper, process.execPath, path];
    const stdio: StdioOptions = ["ignore", "ignore", "inherit", "ipc"];
    return spawn(command, args, { env: { ...process.env, ...environment }, stdio });
  };

  /** Runs to the end; undefined if it was killed. */
  async function run(environment: Record<string, string>): Promise<BatchReport | undefined> {
    const child = start(environment);
    let report: BatchReport | undefined;
    child.on("message", (message) => {
      report = message as BatchReport;
      child.disconnect();
    });
    const [code, signal] = await once(child, "exit");
    if (report || signal === "SIGKILL") return report;
    throw new Error(`Expected the batch to end or to be killed, got exit code ${code}.`);
  }

  return { path, remove, start, run };
}
