import { setTimeout } from "node:timers/promises";
import { runBatch } from "../batch/index.js";
import {
  ConfigurationError,
  type CreateScreenshotsParams,
  PaymentRequiredError,
  ScreenshotSetsError,
} from "../index.js";
import { appIds, UncertainApp } from "./batch-apps.js";
import type { Wanted } from "./batch-file.js";
import {
  countsText,
  exitCodeOf,
  type Outcome,
  outcomeLine,
  outcomeText,
  withoutTimeout,
} from "./batch-report.js";
import { type State, stateIn, WatchedState } from "./batch-state.js";
import { UsageError } from "./command.js";
import { failureLine, printResume, resumeCommand } from "./failure.js";
import type { Interrupt } from "./interrupt.js";
import { errorLine, printableLine, printLine, printResult, shellQuoted } from "./output.js";
import type { Result } from "./result.js";
import { readTimeout } from "./run-session.js";
import type { Session, SessionFlags } from "./session.js";
import { Table } from "./table.js";
import type { Options } from "./usage.js";

/** The options of a command that plans several sets. */
export const batchOptions = {
  state: { value: "FILE", help: "keep what was paid for in this file, and go on with what is in it" },
  "max-credits": { value: "N", help: "the most credits that the sets may cost together, over all runs" },
} as const satisfies Options;

/** The flags of a command that plans several sets; numbers have been read. */
export interface SetsFlags extends SessionFlags {
  state?: string;
  maxCredits: number | undefined;
  concurrency?: number | undefined;
  timeout?: string;
  "no-wait"?: boolean;
}

/** Plans several sets, and tells how each ended. */
export async function runSets(session: Session, wanted: Wanted, flags: SetsFlags): Promise<Result> {
  const state = stateIn(flags.state);
  await state.open();
  try {
    return await new SetsRun(session, wanted, flags, state).run();
  } finally {
    await state.close();
  }
}

class SetsRun {
  readonly #session: Session;
  readonly #wanted: Wanted;
  readonly #flags: SetsFlags;
  readonly #state: WatchedState;
  readonly #table: Table;
  readonly #outcomes: Outcome[] = [];
  /** What goes to `--out`, or to the terminal in the place of the table. */
  readonly #held = new Map<string, string>();
  #failure: unknown;

  constructor(session: Session, wanted: Wanted, flags: SetsFlags, state: State) {
    this.#session = session;
    this.#wanted = wanted;
    this.#flags = flags;
    this.#state = new WatchedState(state, (key, jobId) => this.#table.begin(key, `accepted as ${jobId}`));
    this.#table = new Table(
      wanted.sets.keys(),
      () => performance.now(),
      (elapsed) => this.#summary(elapsed),
    );
    session.table = this.#table;
  }

  async run(): Promise<Result> {
    const { signal } = this.#session;
    try {
      await this.#plan();
    } catch (error) {
      const isMistake = error instanceof ConfigurationError || error instanceof UsageError;
      if (isMistake && this.#outcomes.length === 0) throw error;
      this.#failure = error;
    } finally {
      this.#table.close();
    }
    // A terminal shows `^C` only after it has sent the signal.
    if (signal.aborted) await setTimeout(50);
    const lines = [...this.#wanted.sets.keys()].map((key) => this.#held.get(key) ?? "").join("");
    const failed = this.#failure !== undefined && this.#flags.json ? errorLine(this.#failure) : "";
    // On a terminal, before the command that goes on, which is the last line.
    const isFile = this.#flags.out !== undefined;
    if (!isFile) await printResult(lines);
    this.#report();
    return {
      value: undefined,
      text: "",
      lines: isFile ? lines + failed : failed,
      exitCode: this.#exitCode(),
    };
  }

  async #plan(): Promise<void> {
    const { client, signal } = this.#session;
    const { apps, sets } = this.#wanted;
    const needed = new Set<string>();
    for (const [key, { app }] of sets) {
      const isNew = !(await this.#state.load(key));
      if (isNew && app !== undefined) needed.add(app);
    }
    const ids = await appIds({ apps, sets }, needed, this.#state, this.#session);
    const ready: [string, CreateScreenshotsParams][] = [];
    for (const [key, { app, params }] of sets) {
      const appId = app === undefined ? params.appId : ids.get(app);
      if (appId instanceof Error) this.#tellOf(key, appId);
      else if (appId === undefined) this.#tell({ key, status: "skipped", reason: "aborted" });
      else ready.push([key, { ...params, appId } as CreateScreenshotsParams]);
    }
    const batch = runBatch(client, {
      sets: ready,
      store: this.#state,
      maxCredits: this.#flags.maxCredits,
      concurrency: this.#flags.concurrency,
      signal,
      onUpdate: (key, { id, status }) => {
        if (status !== "succeeded" && status !== "failed") this.#table.begin(key, `${id} is ${status}`);
      },
      ...(this.#flags["no-wait"] ? { timeoutMs: 0 } : readTimeout(this.#flags.timeout)),
    });
    for await (const outcome of batch) this.#tell(outcome);
  }

  /** Tells of a set that has no app. */
  #tellOf(key: string, error: Error): void {
    const isUncertain =
      error instanceof UncertainApp || (error instanceof ScreenshotSetsError && error.charged !== "no");
    if (isUncertain) this.#tell({ key, status: "uncertain", error, charged: "maybe" });
    else if (error instanceof PaymentRequiredError) this.#tell({ key, status: "skipped", reason: "credits" });
    else this.#tell({ key, status: "failed", error, charged: "no" });
  }

  #tell(outcome: Outcome): void {
    this.#outcomes.push(outcome);
    const told = this.#flags["no-wait"] ? withoutTimeout(outcome) : outcome;
    const line = outcomeLine(told, this.#flags.json);
    this.#table.end(outcome.key, outcomeText(told));
    // On one terminal with the table, the lines take its place at the end.
    const isHeld =
      this.#flags.out !== undefined || (this.#table.isLive && process.stdout.isTTY && !this.#flags.json);
    if (isHeld) this.#held.set(outcome.key, line);
    // Not waited for: perhaps nobody reads it, and the batch goes on all the same.
    else this.#table.above(() => void printResult(line).catch(() => {}));
  }

  #summary(elapsed: string): string {
    const { spent, maybeSpent } = this.#state;
    const budget = this.#flags.maxCredits;
    const maybe = maybeSpent > 0 ? `, ${maybeSpent} more maybe` : "";
    const left =
      budget === undefined ? "" : `, ${Math.max(budget - spent - maybeSpent, 0)} of ${budget} left`;
    const ended = this.#outcomes.filter(({ status }) => status === "succeeded" || status === "failed").length;
    const sets = `${ended} of ${this.#wanted.sets.size} sets ended`;
    return `${sets}, ${spent} credits spent${maybe}${left}, ${elapsed}`;
  }

  #report(): void {
    const { signal } = this.#session;
    if (this.#failure !== undefined) printLine(failureLine(this.#failure, this.#session));
    const counts = this.#outcomes.length > 0 ? `${countsText(this.#outcomes)}: ` : "";
    printLine(
      printableLine(
        `${signal.aborted ? "Interrupted. " : ""}${counts}${this.#summary(this.#table.elapsed)}.`,
      ),
    );
    const waiting = this.#outcomes.flatMap((outcome) =>
      outcome.status === "waiting" ? [outcome.jobId] : [],
    );
    const isLeft = this.#outcomes.some(
      (outcome) => outcome.status === "skipped" && outcome.reason !== "budget",
    );
    if (this.#flags.state === undefined) {
      const commands = waiting.map((jobId) => resumeCommand(jobId, { ...this.#flags, out: undefined }));
      if (commands.length > 0) printResume("To get the results, run:", commands.join("\n"), this.#flags);
    } else if (signal.aborted || waiting.length > 0 || isLeft || this.#failure !== undefined) {
      const typed = ["screenshot-sets", ...process.argv.slice(2).map(shellQuoted)].join(" ");
      printResume("To go on, run:", typed, this.#flags);
    }
  }

  #exitCode(): number {
    const { signal } = this.#session;
    if (signal.aborted) return (signal.reason as Interrupt).exitCode;
    const codes = this.#outcomes.map((outcome) => exitCodeOf(outcome, !this.#flags["no-wait"]));
    if (this.#failure !== undefined) {
      const isCharged = this.#failure instanceof ScreenshotSetsError && this.#failure.charged !== "no";
      codes.push(isCharged ? 3 : 1);
    }
    return Math.max(0, ...codes);
  }
}
