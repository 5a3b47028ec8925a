import { storeIn } from "../batch/file-store.js";
import { memoryStore, type SetOutcome, type SetStore, type StoredSet } from "../batch/index.js";
import { startBatch } from "../batch/run-batch.js";
import { standingOf } from "../batch/set-outcome.js";
import { storedIn } from "../durable/set-store.js";
import { ConfigurationError, isTerminal, type Job } from "../index.js";
import { setAccess } from "../set-access.js";
import { printableWord } from "../text/printable.js";
import { balanceNotes } from "./balances.js";
import { appsAgain, BatchApps, loadApps, setsOf } from "./batch-apps.js";
import type { Wanted } from "./batch-file.js";
import { UsageError } from "./command.js";
import { afterEcho } from "./interrupt.js";
import type { Outcome } from "./outcome-text.js";
import { printableLine } from "./output.js";
import type { Result } from "./result.js";
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
  maxCredits: number | undefined;
  concurrency?: number | undefined;
  timeoutMs?: number | undefined;
}

/** Plans several sets, and tells how each ended. */
export async function runSets(session: Session, wanted: Wanted, flags: SetsFlags): Promise<Result> {
  const sayLocked = () =>
    session.live.say(
      `${flags.state} is locked: waiting up to 15 s to see whether the process that uses it still runs.`,
    );
  const state: SetStore = flags.state === undefined ? memoryStore() : storeIn(flags.state, sayLocked);
  await Promise.resolve(state.open?.(session.signal)).catch(refuseState);
  session.signal.addEventListener("abort", () =>
    session.live.say("Stopping: what is in flight ends first. A second interrupt stops at once."),
  );
  const report = new SetsReport(session, [...wanted.sets.keys()], flags);
  let failure: unknown;
  try {
    await planSets(session, wanted, flags, state, report);
  } catch (error) {
    const isMistake = error instanceof ConfigurationError || error instanceof UsageError;
    if (isMistake && report.isEmpty) throw error;
    failure = error;
  } finally {
    if (report.hasUncertain && state.list) {
      report.notes = await balanceNotes(await state.list()).catch(() => []);
    }
    await state.close?.();
  }
  if (session.signal.aborted) await afterEcho();
  return report.finish(failure);
}

/** For `catch`: refuses a state that the system does not open, in the words of the command line. */
export function refuseState(error: unknown): never {
  const { code, message } = error as NodeJS.ErrnoException;
  if (typeof code !== "string") throw error;
  throw new UsageError(message.replace("Cannot use", "Cannot use --state"));
}

async function planSets(
  session: Session,
  wanted: Wanted,
  flags: SetsFlags,
  state: SetStore,
  report: SetsReport,
): Promise<void> {
  const { client, signal } = session;
  const { again = [] } = flags;
  const stored = await loadApps(wanted, state, client[setAccess].baseUrl);
  for (const key of again) {
    const paid = storedIn(key, await state.load(key))?.state;
    const status = paid && standingOf(key, paid).status;
    if (status !== "succeeded" && status !== "waiting") continue;
    const why = status === "succeeded" ? "it has succeeded" : "its job has not been seen to end";
    session.live.say(printableLine(`--again leaves ${key} as it is: ${why}.`));
  }
  const apps = new BatchApps(wanted, stored, appsAgain(wanted, again), state, session);
  const isWaited = !flags["no-wait"];
  const options = {
    sets: setsOf(wanted, stored),
    again,
    // The command opens and closes the state, since it keeps the apps there too.
    store: {
      load: (key: string) => state.load(key),
      save(key: string, next: unknown, previous: unknown) {
        const { state: paid } = (next ?? {}) as Partial<StoredSet>;
        // Told before it is stored: that may fail, and the job is paid for.
        if (paid?.step === "accepted") report.accepted(key, paid.jobId);
        return state.save(key, next, previous);
      },
      list: () => state.list?.() ?? [],
      otherJobs: () => state.otherJobs?.() ?? [],
    },
    maxCredits: flags.maxCredits,
    concurrency: flags.concurrency,
    signal,
    onUpdate(key: string, job: Job) {
      if (!isTerminal(job)) report.update(key, `${printableWord(job.id)} is ${job.status}`);
    },
    timeoutMs: isWaited ? flags.timeoutMs : 0,
  };
  const batch = startBatch(client, options, async (key, params, creates, stop) => {
    const { app } = wanted.sets.get(key) ?? {};
    if (app === undefined || params.appId !== undefined) return params;
    const end = await apps.create(app, creates, stop);
    return "appId" in end ? { ...params, appId: end.appId } : (end.outcomeOf(key) as SetOutcome);
  });
  report.budget = batch.creates.budget;
  for await (const outcome of batch.outcomes()) report.end(isWaited ? outcome : withoutTimeout(outcome));
}

/** An outcome where nobody waits: then nothing timed out. */
function withoutTimeout(outcome: Outcome): Outcome {
  const isTimeout = outcome.status === "waiting" && outcome.error?.name === "JobTimeoutError";
  return isTimeout ? { ...outcome, error: undefined } : outcome;
}
