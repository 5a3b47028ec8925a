import { setTimeout } from "node:timers/promises";
import { type BatchStore, runBatch, type StoredSet } from "../batch/index.js";
import {
  ConfigurationError,
  type CreateScreenshotsParams,
  isTerminal,
  PaymentRequiredError,
  ScreenshotSetsError,
} from "../index.js";
import { appIds, UncertainApp } from "./batch-apps.js";
import type { Wanted } from "./batch-file.js";
import { stateIn } from "./batch-state.js";
import { UsageError } from "./command.js";
import type { Outcome } from "./outcome-text.js";
import type { Result } from "./result.js";
import { readTimeout } from "./run-session.js";
import type { Session } from "./session.js";
import { type ReportFlags, SetsReport } from "./sets-report.js";
import type { Options } from "./usage.js";

/** The options of a command that plans several sets. */
export const batchOptions = {
  state: { value: "FILE", help: "keep what was paid for in this file, and go on with what is in it" },
  "max-credits": { value: "N", help: "the most credits that the sets may cost together, over all runs" },
} as const satisfies Options;

/** The flags of a command that plans several sets; numbers have been read. */
interface SetsFlags extends ReportFlags {
  concurrency?: number | undefined;
  timeout?: string;
}

/** Plans several sets, and tells how each ended. */
export async function runSets(session: Session, wanted: Wanted, flags: SetsFlags): Promise<Result> {
  const state = stateIn(flags.state);
  await state.open?.();
  const report = new SetsReport(session, [...wanted.sets.keys()], flags);
  let failure: unknown;
  try {
    await planSets(session, wanted, flags, state, report);
  } catch (error) {
    const isMistake = error instanceof ConfigurationError || error instanceof UsageError;
    if (isMistake && report.isEmpty) throw error;
    failure = error;
  } finally {
    await state.close?.();
  }
  // A terminal shows `^C` only after it has sent the signal.
  if (session.signal.aborted) await setTimeout(50);
  return report.finish(failure);
}

async function planSets(
  session: Session,
  wanted: Wanted,
  flags: SetsFlags,
  state: BatchStore,
  report: SetsReport,
): Promise<void> {
  const { client, signal } = session;
  const ids = await appIds(wanted, state, session);
  const ready: [string, CreateScreenshotsParams][] = [];
  for (const [key, { app, params }] of wanted.sets) {
    const appId = app === undefined ? params.appId : ids.get(app);
    if (appId instanceof Error) report.end(withoutApp(key, appId));
    else if (appId === undefined) report.end({ key, status: "skipped", reason: "aborted" });
    else ready.push([key, { ...params, appId } as CreateScreenshotsParams]);
  }
  const isWaited = !flags["no-wait"];
  const batch = runBatch(client, {
    sets: ready,
    // The command opens and closes the state, since it keeps the apps there too.
    store: {
      load: (key) => state.load(key),
      save(key, value) {
        const { state: paid, ended } = (value ?? {}) as Partial<StoredSet>;
        // Told before it is stored: that may fail, and the job is paid for.
        if (paid?.step === "accepted" && !ended) report.update(key, `accepted as ${paid.jobId}`);
        return state.save(key, value);
      },
    },
    maxCredits: flags.maxCredits,
    concurrency: flags.concurrency,
    signal,
    onUpdate(key, job) {
      if (!isTerminal(job)) report.update(key, `${job.id} is ${job.status}`);
    },
    ...(isWaited ? readTimeout(flags.timeout) : { timeoutMs: 0 }),
  });
  for await (const outcome of batch) report.end(isWaited ? outcome : withoutTimeout(outcome));
}

/** The outcome of a set whose app could not be created. */
function withoutApp(key: string, error: Error): Outcome {
  if (error instanceof PaymentRequiredError) return { key, status: "skipped", reason: "credits" };
  const isUncertain =
    error instanceof UncertainApp || (error instanceof ScreenshotSetsError && error.charged !== "no");
  if (isUncertain) return { key, status: "uncertain", error, charged: "maybe" };
  return { key, status: "failed", error, charged: "no" };
}

/** An outcome where nobody waits: then nothing timed out. */
function withoutTimeout(outcome: Outcome): Outcome {
  const isTimeout = outcome.status === "waiting" && outcome.error?.name === "JobTimeoutError";
  return isTimeout ? { ...outcome, error: undefined } : outcome;
}
