import {
  ApiError,
  AuthenticationError,
  ConnectionError,
  InvalidResponseError,
  JobFailedError,
  JobTimeoutError,
  NotFoundError,
  PaymentRequiredError,
  PermissionDeniedError,
  RateLimitError,
  ScreenshotSetsError,
  ServerError,
  TimeoutError,
} from "../index.js";
import { Interrupt } from "./interrupt.js";
import type { Session } from "./session.js";

/** What happened and what to do, in one line. */
export function describeFailure(error: unknown, session: Session | undefined): string {
  const parts = [whatHappened(error, session), ...whatWasPaid(error, session), ...requestIdOf(error)];
  return parts.join(" ");
}

function whatHappened(error: unknown, session: Session | undefined): string {
  if (error instanceof Interrupt) return interrupted(error, session);
  if (error instanceof JobFailedError) return jobFailed(error);
  if (error instanceof JobTimeoutError) return jobTimedOut(error);
  if (!(error instanceof ScreenshotSetsError)) return error instanceof Error ? error.message : String(error);
  const advice = error.charged === "maybe" ? undefined : adviceOn(error);
  return advice ? `${error.message} ${advice}` : error.message;
}

function interrupted({ signalName }: Interrupt, session: Session | undefined): string {
  const begin = signalName === "SIGINT" ? "Interrupted" : `Ended by ${signalName}`;
  const jobId = session?.accepted?.jobId ?? session?.waitsFor;
  if (jobId !== undefined && session?.hasResult) {
    return `${begin} before the result was written: please wait for job ${jobId} again.`;
  }
  if (jobId !== undefined) return `${begin}. Job ${jobId} goes on: please wait for it again.`;
  const operation = session?.abortedInFlight();
  if (operation === undefined) return `${begin}.`;
  return `${begin} while ${operation} was in flight: the service may have accepted it, and credits may have been charged. Please check them before you send it again.`;
}

/** The fields of a job's error are not documented: without a message, all of them are shown. It may be `null`, too. */
function jobFailed({ jobId, job }: JobFailedError): string {
  if (!job.error) return `Job ${jobId} failed.`;
  const { message } = job.error as { message?: unknown };
  const why = typeof message === "string" && message !== "" ? message : JSON.stringify(job.error);
  const end = /[.!?…]$/.test(why) ? "" : ".";
  return `Job ${jobId} failed: ${why}${end} All that is known: screenshot-sets job ${jobId}.`;
}

function jobTimedOut({ jobId, job, elapsedMs, cause }: JobTimeoutError): string {
  const seen = job ? `, and was ${job.status} when last seen` : "";
  const failed = cause instanceof ScreenshotSetsError ? ` The last look failed: ${cause.message}` : "";
  const goesOn = job || failed === "" ? "It goes on" : "It may go on";
  return `Job ${jobId} did not end within ${Number((elapsedMs / 1000).toFixed(1))} s${seen}.${failed} ${goesOn}: please wait for it again.`;
}

function whatWasPaid(error: unknown, session: Session | undefined): string[] {
  if (session?.accepted) return [`${chargeText(session.accepted.credits)}.`];
  if (session?.app && !(error instanceof Interrupt)) {
    return [`App ${session.app.appId} was created: --app-id uses it again.`];
  }
  return [];
}

/** The service may answer with anything where it should say what it took. */
export function chargeText(credits: unknown): string {
  const { cost, remaining } = (credits ?? {}) as { cost?: unknown; remaining?: unknown };
  const charged = typeof cost === "number" ? `${cost} credits were charged` : "Credits were charged";
  return typeof remaining === "number" ? `${charged}, ${remaining} are left` : charged;
}

function requestIdOf(error: unknown): string[] {
  return error instanceof ApiError && error.requestId ? [`(Request id: ${error.requestId})`] : [];
}

/** The first that fits. */
const advice: [kind: abstract new (...args: never[]) => ScreenshotSetsError, text: string][] = [
  [AuthenticationError, "Please check SCREENSHOT_SETS_API_KEY: a revoked key has to be replaced."],
  [PaymentRequiredError, "Please check the credits of the account."],
  [PermissionDeniedError, "Please check what the account may do."],
  [NotFoundError, "Please check the id, and that it is of the account that the key belongs to."],
  [RateLimitError, "Please try again later."],
  [ServerError, "Please try again later."],
  [ApiError, "Please check the options."],
  [ConnectionError, "Please check SCREENSHOT_SETS_BASE_URL and the network."],
  [TimeoutError, "Please try again later."],
  [InvalidResponseError, "Please check SCREENSHOT_SETS_BASE_URL."],
];

function adviceOn(error: ScreenshotSetsError): string | undefined {
  return advice.find(([kind]) => error instanceof kind)?.[1];
}
