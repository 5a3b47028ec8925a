import { inspect } from "node:util";
import { holdsReason, timedOutWords } from "../errors/job-errors.js";
import {
  ApiError,
  ConnectionError,
  JobFailedError,
  JobTimeoutError,
  NotFoundError,
  ScreenshotSetsError,
  TimeoutError,
} from "../index.js";
import { printable, printableWord } from "../text/printable.js";
import { afterEcho, Interrupt } from "./interrupt.js";
import { errorLine, printableLine, printFree, printLine } from "./output.js";
import { chargeText, noReason } from "./result.js";
import type { Session, SessionFlags } from "./session.js";
import { commandOf, jobCommand, optionWords, printWait, shellQuoted } from "./typed-command.js";

/** The result has arrived, but could not be written. */
export class DeliveryError extends Error {
  override name = "DeliveryError";
}

/**
 * Prints what happened and what to do about it. If the wait can be resumed, the command for that comes last, alone on
 * its line.
 *
 * @returns the exit code: 1 failed · 3 charged, or maybe charged, and no result · above 128 interrupted
 */
export async function reportFailure(error: unknown, session: Session): Promise<number> {
  const { flags } = session;
  printLine(failureLine(error, session));
  if (flags.verbose) printLine(printable(inspect(error)));
  const jobId = resumableJob(error, session);
  // Standard output may have a part of the result already.
  if (flags.json && !(session.hasResult && session.out.path === undefined)) {
    const details = {
      ...(!(error instanceof ScreenshotSetsError) && chargedOf(session)),
      ...(jobId !== undefined && { jobId }),
    };
    const printed = printFree(errorLine(error, details)).catch((cause: Error) => printLine(cause.message));
    // Perhaps nobody reads it.
    await Promise.race([printed, afterEcho()]);
  }
  if (jobId !== undefined) printWait(jobId, flags);
  if (error instanceof Interrupt) return error.exitCode;
  if (error instanceof DeliveryError) return session.isCharged ? 3 : 1;
  const wasCharged = error instanceof ScreenshotSetsError && error.charged !== "no";
  return jobId !== undefined || (wasCharged && !(error instanceof JobFailedError)) ? 3 : 1;
}

/** What happened, what was paid and what to do about it, in one line. */
export function failureLine(error: unknown, session: Session): string {
  return printableLine(`${whatHappened(error, session)}${whatWasPaid(error, session)}`);
}

function whatHappened(error: unknown, session: Session): string {
  if (error instanceof Interrupt) return interrupted(error, session);
  return `${messageOf(error, session.flags)}${error instanceof ScreenshotSetsError ? adviceFor(error) : ""}`;
}

/** What an error says, with a command of this program where the client's message names a method. */
export function messageOf(error: unknown, flags: SessionFlags): string {
  if (error instanceof JobFailedError) return jobFailed(error, flags);
  if (error instanceof JobTimeoutError) return jobTimedOut(error, flags);
  if (!(error instanceof Error)) return String(error);
  const { message, jobId = "" } = error as ScreenshotSetsError;
  const wait = jobCommand("wait", jobId, flags);
  if (wait === undefined) return inFlags(message);
  return inFlags(message).replace("call `waitForJob` with its id", () => `run "${wait}"`);
}

/** What the library says of its options, in words of the command line. */
export function inFlags(message: string): string {
  return message
    .replace(/, or give the client `fetch: undiciFetch[^`]*`/, "")
    .replace(
      /give the client `fetch: undiciFetch[^`]*`/,
      "run it with NODE_USE_ENV_PROXY=1 on Node 24 or later",
    )
    .replace("set `dangerouslyAllowHttp: true`", "add --dangerously-allow-http")
    .replace("Use another state for", "Use another state (--state FILE) for");
}

/** Advice about an error; empty if its message already contains it, as for a wrong address or a possible charge. */
function adviceFor(error: ScreenshotSetsError): string {
  if (error.charged === "maybe" || /\bbase URL\b/.test(error.message)) return "";
  // The service answers in JSON, so this answer is from another server, or from another part of this one.
  const isAnotherServer = error instanceof NotFoundError && typeof error.body === "string";
  const text = advice[isAnotherServer ? "InvalidResponseError" : error.name];
  if (text === undefined) return error instanceof ApiError ? " Check the options." : "";
  return ` ${text}`;
}

/** Advice by the name of the error class. */
const advice: Record<string, string> = {
  AuthenticationError: "Check SCREENSHOT_SETS_API_KEY: a revoked key must be replaced.",
  PaymentRequiredError: "Check the account's credits.",
  PermissionDeniedError: "Check the account's permissions.",
  NotFoundError: "Check the id, and that it belongs to the account of the key.",
  RateLimitError: "Try again later.",
  ServerError: "Try again later.",
  TimeoutError: "Try again later.",
  ConnectionError: "Check SCREENSHOT_SETS_BASE_URL and the network.",
  InvalidResponseError: "Check SCREENSHOT_SETS_BASE_URL.",
};

function interrupted({ signalName }: Interrupt, session: Session): string {
  const begin = signalName === "SIGINT" ? "Interrupted" : `Ended by ${signalName}`;
  if (session.abortedOperation !== undefined)
    return `${begin} while ${session.abortedOperation} was in flight: the service may have accepted it, and credits may have been charged. Check the credits before you send it again.`;
  const jobId = session.accepted?.jobId ?? session.waitsFor;
  if (jobId === undefined) return `${begin}.`;
  const job = `job ${printableWord(jobId)}`;
  return session.hasResult
    ? `${begin} before the result of ${job} was written.`
    : `${begin} before ${job} ended.`;
}

function jobFailed({ message, job }: JobFailedError, flags: SessionFlags): string {
  if (!holdsReason(job.error)) return `${message} ${noReason}`;
  const command = jobCommand("job", job.id, flags);
  return command === undefined ? message : `${message} For details, run "${command}".`;
}

function jobTimedOut(error: JobTimeoutError, flags: SessionFlags): string {
  const { jobId, elapsedMs, cause } = error;
  const failed = cause === undefined ? "" : ` The last poll failed: ${messageOf(cause, flags)}`;
  return timedOutWords(jobId as string, error, `${Number((elapsedMs / 1000).toFixed(1))} s`) + failed;
}

function whatWasPaid(error: unknown, { accepted, app }: Session): string {
  if (accepted) return ` ${chargeText(accepted.credits)}.`;
  if (!app || error instanceof Interrupt) return "";
  const appId = String(app.appId);
  const created = ` App ${printableWord(appId)} was created`;
  // Without the name of the program, this is what comes after what was typed.
  const words = optionWords("app-id", appId);
  const isTypeable = commandOf(words) !== undefined;
  return isTypeable
    ? `${created}: ${words.map((word) => shellQuoted(word)).join(" ")} uses it again.`
    : `${created}.`;
}

/** What a command that ends with no error of the library did to the credits, if it may have ordered something. */
function chargedOf({ abortedOperation, accepted }: Session) {
  if (accepted) return { charged: "yes" };
  return abortedOperation !== undefined && { charged: "maybe" };
}

/** The id of the job whose result can still be obtained, if there is one. */
function resumableJob(error: unknown, { accepted, leftJob, waitsFor }: Session): string | undefined {
  if (error instanceof JobFailedError) return undefined;
  if (leftJob !== undefined) return leftJob;
  if (accepted) return accepted.jobId;
  if (waitsFor !== undefined && isResumable(error)) return waitsFor;
  // An invalid answer may still name the job that was charged.
  return error instanceof ScreenshotSetsError && error.charged !== "no" ? error.jobId : undefined;
}

/** Whether another wait for the same job may still get its result. */
function isResumable(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 408 || error.status === 429 || error.status >= 500;
  const passing = [Interrupt, DeliveryError, JobTimeoutError, ConnectionError, TimeoutError];
  return passing.some((kind) => error instanceof kind);
}
