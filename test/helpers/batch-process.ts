import { type ChildProcess, type StdioOptions, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import type { BatchReport, Message } from "./batch-worker.js";
import { buildProgram } from "./built-program.js";

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

  /** Begins a batch. */
  const begin = (environment: Record<string, string>) => new BatchProcess(start(environment));

  /** Runs a batch to the end; undefined if it was killed. */
  const run = async (environment: Record<string, string>) => {
    const report = await begin(environment).report;
    if (report?.error) throw new Error(report.error);
    return report;
  };

  return { remove, start, begin, run };
}

/** A process that runs a batch. */
export class BatchProcess {
  /** Resolves to what it tells at its end; undefined if it was killed. */
  readonly report: Promise<BatchReport | undefined>;
  /** Resolves when it suspends itself, or at the event that it was asked to tell, or when it has ended before. */
  readonly event: Promise<void>;
  /** What it added to the file until that event, and since. */
  readonly appended = { before: [] as string[], since: [] as string[] };
  /** The creates that it sent though it had slept since it took the file. */
  readonly sentLate: string[] = [];

  constructor(private readonly child: ChildProcess) {
    const exit = once(child, "exit");
    let last: BatchReport | undefined;
    let added = this.appended.before;
    this.event = new Promise((resolve) => {
      child.on("message", ({ event, appended, sentLate, report }: Message) => {
        if (event) {
          added = this.appended.since;
          resolve();
        }
        if (appended !== undefined) added.push(appended);
        if (sentLate !== undefined) this.sentLate.push(sentLate);
        last ??= report;
        if (report) child.disconnect();
      });
      exit.then(() => resolve());
    });
    this.report = exit.then(([code, signal]) => {
      if (last || signal === "SIGKILL") return last;
      throw new Error(`Expected the batch to end or to be killed, got exit code ${code}.`);
    });
  }

  wake(): void {
    this.child.kill("SIGCONT");
  }

  kill(): void {
    this.child.kill("SIGKILL");
  }
}
