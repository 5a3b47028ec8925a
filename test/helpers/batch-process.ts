import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { buildProgram } from "./built-program.js";

/** What a batch that was not killed says at its end. */
interface BatchReport {
  outcomes: { key: string; status: string; cost?: number; reason?: string }[];
}

export type BatchProgram = Awaited<ReturnType<typeof batchProgram>>;

/** The program of `batch-worker.ts`, for the tests of one file. */
export async function batchProgram(forTests: string) {
  const { path, remove } = await buildProgram("batch-worker", forTests);

  const start = (environment: Record<string, string>): ChildProcess =>
    fork(path, {
      env: { ...process.env, ...environment },
      execArgv: [],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });

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
