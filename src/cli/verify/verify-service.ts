import { systemReason } from "../../batch/system-reason.js";
import { type AcceptedJob, ScreenshotSetsError } from "../../index.js";
import type { Recorded } from "../../mock/index.js";
import { platformFetch } from "../../request/platform-fetch.js";
import { environment } from "../../secrets/key.js";
import type { CreateParams } from "../create-params.js";
import { failureLine, printResume, resumeCommand } from "../failure.js";
import { Interrupt } from "../interrupt.js";
import type { Destination } from "../out-file.js";
import { printableJson, printableLine } from "../output.js";
import type { Result } from "../result.js";
import type { Session, SessionFlags } from "../session.js";
import {
  type Answer,
  type Ask,
  ask,
  elsewhere,
  isAccepted,
  isRefused,
  type Party,
  type Seen,
  takesKey,
} from "./ask.js";
import { asks } from "./questions.js";
import { compare, exitCodeOf, summaryOf, tableOf } from "./rows.js";
import { jobIdIn, order, recordingOf, seeMock } from "./seen.js";
import { gaveOf, withoutKey } from "./words.js";

interface VerifyOptions {
  flags: SessionFlags;
  /** What to order; undefined for free. */
  params: CreateParams | undefined;
  timeoutMs: number | undefined;
  /** What the service is compared with in place of the mock's guesses. */
  recorded: Recorded | undefined;
  out: Destination | undefined;
}

/** Tells of a create that was accepted against the rules or may have been, or of a set that was not seen to its end. */
type Tell = (line: string, jobId?: string) => void;

/** How long a 429 may hold requests back. What it holds back then is not tried. */
const longestHoldMs = 30_000;

/** How long an interrupted command may take to write to a file that perhaps nobody reads. */
const lastWriteMs = 1000;

/** Asks the service, compares it with its document and the mock, and tells the difference. */
export async function verifyService(session: Session, options: VerifyOptions): Promise<Result> {
  const { flags, params, recorded, out } = options;
  const { live, signal } = session;
  const clean = withoutKey(environment("SCREENSHOT_SETS_API_KEY") ?? "");
  const say = (line: string) => live.say(String(clean(line)));
  const charged: { jobId: string | undefined }[] = [];
  const tell: Tell = (line, jobId) => {
    say(line);
    charged.push({ jobId });
  };

  const seen = await seeService(session, options, clean, tell);
  const comparison = compare(seen, await seeMock(recorded), recorded);
  const { rows, silence } = comparison;
  // What may have been charged was told with the same reason.
  if (silence && charged.length === 0) say(silence);
  // An earlier recording is worth more than what was not the service's.
  const lost = isService(seen) ? await record(seen, out, signal) : undefined;
  if (lost) (session.accepted ? tell : say)(lost);

  live.close();
  const jobId = session.accepted?.jobId ?? charged[0]?.jobId;
  if (jobId !== undefined) printResume("To get the result, run:", resumeCommand(jobId, flags), flags);
  const exitCode = charged.length > 0 ? 3 : lost ? 1 : exitCodeOf(comparison);
  const summary = summaryOf(comparison, params === undefined);
  return { value: rows, text: `${tableOf(rows)}\n${summary}\n`, exitCode };
}

/** Asks the service, and orders a set if that is allowed. */
async function seeService(
  session: Session,
  { params, timeoutMs, out }: VerifyOptions,
  clean: Party["clean"],
  tell: Tell,
): Promise<Seen> {
  const { client, progress, signal } = session;
  const now = () => performance.now();
  const service: Party = { client, fetch: platformFetch, now, until: now() + longestHoldMs, clean, signal };
  const seen: Seen = { answers: new Map(), states: [] };
  progress.begin("Asking the service");
  try {
    const areAllRefused = await askAll(seen, service, params !== undefined, tell);
    if (areAllRefused && params) await orderOne(seen, service, params, { timeoutMs }, session, tell);
  } catch (error) {
    // What was paid for is recorded also if the wait for it was interrupted.
    if (seen.set) await record(seen, out, AbortSignal.timeout(lastWriteMs));
    throw error;
  }
  return seen;
}

/** Writes the recording. Resolves to why it cannot be written, if it cannot. */
async function record(seen: Seen, out: Destination | undefined, until: AbortSignal) {
  try {
    await out?.write(`${printableJson(recordingOf(seen))}\n`, until);
    await out?.close();
  } catch (error) {
    if (error instanceof Interrupt) throw error;
    return `What was seen cannot be written to --out: ${printableLine(systemReason(error))}.`;
  }
  return undefined;
}

/**
 * Asks what is to be refused, one after another: first what only reads, then the creates. None is sent to what is not the
 * service or refuses the key, nor after one that was not certainly refused.
 *
 * @returns whether a set may be ordered
 */
async function askAll(seen: Seen, service: Party, isSpent: boolean, tell: Tell): Promise<boolean> {
  const { emptySet, emptyApp, unknownApp } = asks;
  const askOne = async (asked: Ask) => {
    const answer = await ask(service, asked);
    seen.answers.set(asked, answer);
    return answer;
  };
  if (!(await read(askOne, seen, service)) || !isService(seen)) return false;

  for (const asked of [emptySet, emptyApp, ...(isSpent ? [unknownApp] : [])]) {
    const answer = await askOne(asked);
    const trouble = troubleIn(asked, answer);
    if (trouble) tell(trouble, jobIdIn(answer));
    if (!isRefused(answer)) return false;
  }
  return true;
}

/** Asks what only reads. Resolves to false where the rest would not be answered either. */
async function read(askOne: (asked: Ask) => Promise<Answer>, seen: Seen, service: Party): Promise<boolean> {
  const { document, unknownJob, otherHeader, noKey, wrongKey } = asks;
  let unanswered = 0;
  for (const asked of [document, unknownJob, otherHeader, noKey, wrongKey]) {
    const answer = await askOne(asked);
    if (asked === document) seen.elsewhere = elsewhere(answer, service);
    if (seen.elsewhere !== undefined) return false;
    unanswered = answer.status === undefined ? unanswered + 1 : 0;
    // The others would take as long again, or be held back as this one is.
    if (unanswered === 2 || answer.status === 429) return false;
  }
  return true;
}

/** What is wrong with the answer to a create that is to be refused. */
function troubleIn({ what }: Ask, answer: Answer): string | undefined {
  if (isAccepted(answer)) return `Against the rules, ${what} was accepted: ${gaveOf(answer)}`;
  const { charged = "no", message } = answer.error ?? {};
  return charged === "no" ? undefined : `It is not certain that ${what} was refused: ${message}`;
}

/** Whether the answers are those of a service that takes the key. */
function isService({ answers }: Seen): boolean {
  const answer = answers.get(asks.unknownJob);
  return answer !== undefined && takesKey(answer);
}

/** Orders one set, and follows it to its end. */
async function orderOne(
  seen: Seen,
  service: Party,
  params: CreateParams,
  wait: Pick<VerifyOptions, "timeoutMs">,
  session: Session,
  tell: Tell,
): Promise<void> {
  const { progress, onUpdate, live } = session;
  const onApp = (app: object) => {
    session.app = app;
    live.say(`App ${session.app.appId} was created`);
    progress.begin("Ordering a set");
  };
  const onAccepted = (jobId: string, accepted: unknown) => {
    session.accepted = { ...(accepted as AcceptedJob), jobId };
    live.say(`Job ${jobId} was accepted`);
    progress.begin(`Job ${jobId} is accepted`);
  };
  try {
    await order(seen, service, params, { ...wait, onUpdate, onApp, onAccepted });
  } catch (error) {
    if (!(error instanceof ScreenshotSetsError)) throw error;
    return tell(failureLine(error, session));
  }
  for (const answer of [seen.app, seen.set]) {
    const { error } = answer ?? {};
    if (answer && error && error.charged !== "no") tell(failureLine(error, session), jobIdIn(answer));
  }
  if (seen.set && isAccepted(seen.set) && !session.accepted)
    tell(`A set was accepted, and its job is not named: ${gaveOf(seen.set)}`);
}
