import { systemReason } from "../../batch/system-reason.js";
import {
  type CreateAppParams,
  type CreateScreenshotsParams,
  ScreenshotSets,
  ScreenshotSetsError,
  setCost,
} from "../../index.js";
import { createMock } from "../../mock/index.js";
import { jobIdOf } from "../../request/answer-body.js";
import { platformFetch } from "../../request/platform-fetch.js";
import { environment } from "../../secrets/key.js";
import type { CreateParams } from "../create-params.js";
import { failureLine, printResume, resumeCommand } from "../failure.js";
import { Interrupt } from "../interrupt.js";
import type { Destination } from "../out-file.js";
import { plural, printableJson, printableLine } from "../output.js";
import type { Result } from "../result.js";
import type { Session, SessionFlags } from "../session.js";
import { type Answer, type Ask, ask, type Party } from "./ask.js";
import { anyDevice, asks, isAccepted, isRefused, questions } from "./questions.js";
import { recordingOf } from "./recording.js";
import { compare, type Row, tableOf } from "./rows.js";
import { order, type Seen } from "./seen.js";
import { gaveOf } from "./words.js";

interface VerifyOptions {
  flags: SessionFlags;
  /** What to order; undefined for free. */
  params: CreateParams | undefined;
  timeoutMs: number | undefined;
  recording: Destination | undefined;
}

/** Something that kept the service from being seen as a whole, or that should not have been accepted. */
interface Trouble {
  line: string;
  isCharged: boolean;
  /** The job that can be waited for. */
  jobId?: string | undefined;
}

/** How long the creates that are to be accepted may take: they read a listing. */
const [leastCreateMs, mostCreateMs] = [10_000, 60_000];

/** Asks the service, compares it with its document and the mock, and tells the difference. */
export async function verifyService(session: Session, options: VerifyOptions): Promise<Result> {
  const { flags, params, recording } = options;
  const { client, live, progress, signal } = session;
  const seen: Seen = { answers: new Map() };
  const apiKey = environment("SCREENSHOT_SETS_API_KEY") ?? "";
  const service: Party = { client, fetch: platformFetch, now: () => performance.now(), apiKey, signal };
  progress.begin("Asking the service");
  const troubles: Trouble[] = [];
  const tell = (trouble: Trouble) => {
    troubles.push(trouble);
    live.say(trouble.line);
  };
  const end = await askAll(seen, service, params !== undefined, session, tell);
  if (end === "all refused" && params) await orderOne(seen, service, { ...options, params }, session, tell);
  const { rows, isBroken } = compare(seen, await askMock());
  try {
    // An earlier recording is worth more than what was not the service's.
    if (end !== "no service") await recording?.write(`${printableJson(recordingOf(seen))}\n`, signal);
    await recording?.close();
  } catch (error) {
    if (error instanceof Interrupt) throw error;
    const line = `What was seen cannot be written to --out: ${printableLine(systemReason(error))}.`;
    tell({ line, isCharged: session.accepted !== undefined, jobId: session.accepted?.jobId });
  }

  live.close();
  const jobId = troubles.find((trouble) => trouble.jobId !== undefined)?.jobId;
  if (jobId !== undefined) printResume("To get the result, run:", resumeCommand(jobId, flags), flags);
  const isCharged = troubles.some((trouble) => trouble.isCharged);
  return {
    value: rows,
    text: `${tableOf(rows)}\n${summaryOf(rows, params === undefined && troubles.length === 0)}\n`,
    exitCode: isCharged ? 3 : troubles.length > 0 || isBroken ? 1 : 0,
  };
}

/**
 * Asks what is to be refused: first what only reads, then the creates, one after another. None is sent to what is not the
 * service, nor after one that may have been accepted.
 *
 * @returns "all refused" if a set may be ordered
 */
async function askAll(
  seen: Seen,
  service: Party,
  isSpent: boolean,
  session: Session,
  tell: (trouble: Trouble) => void,
): Promise<"no service" | "not all refused" | "all refused"> {
  const wanted = [...asks].filter(({ needsSpend }) => isSpent || !needsSpend);
  const askOne = async (asked: Ask) => {
    const answer = await ask(service, asked);
    seen.answers.set(asked, answer);
    return answer;
  };
  const reads = await Promise.all(wanted.filter(({ method }) => method === "GET").map(askOne));
  if (!reads.some((answer) => isRefused(answer) || (isAccepted(answer) && answer.body.isJson))) {
    const { error } = reads.find(({ error }) => error !== undefined) ?? {};
    const line = "No answer is one of the service's. Check SCREENSHOT_SETS_BASE_URL.";
    tell({ line: error ? failureLine(error, session) : line, isCharged: false });
    return "no service";
  }
  const refused = [...seen.answers].find(
    ([{ key }, { status }]) => key === "authorization" && status === 401,
  );
  if (refused) tell({ line: failureLine(refused[1].error, session), isCharged: false });
  for (const asked of wanted.filter(({ method }) => method !== "GET")) {
    const answer = await askOne(asked);
    const trouble = troubleIn(answer, asked);
    if (trouble) tell(trouble);
    if (!isRefused(answer)) return "not all refused";
  }
  return "all refused";
}

/**
 * What is wrong with the answer to a create that is to be refused. An error of the server proves no refusal, and so is told
 * as a possible charge; but unlike a lost answer, it does not make an acceptance of what is no set likely.
 */
function troubleIn(answer: Answer, asked: Ask): Trouble | undefined {
  const { body, error } = answer;
  const { what } = questions.find(({ asks }) => asks === asked) ?? {};
  const jobId = error?.jobId ?? jobIdOf(body);
  const gave = gaveOf(answer);
  const isCharged = isAccepted(answer) || (error !== undefined && error.charged !== "no");
  if (isAccepted(answer))
    return { line: `Against the rules, ${what} was accepted: ${gave}`, isCharged, jobId };
  if (!isRefused(answer)) return { line: error?.message ?? `Got ${gave}`, isCharged, jobId };
  const line = `It is not certain that ${what} was refused, so check the credits: ${gave}`;
  return isCharged ? { line, isCharged, jobId } : undefined;
}

/** Orders one set, and follows it to its end. */
async function orderOne(
  seen: Seen,
  service: Party,
  { params, timeoutMs }: VerifyOptions & { params: CreateParams },
  session: Session,
  tell: (trouble: Trouble) => void,
): Promise<void> {
  const { client, progress, signal, onUpdate, live } = session;
  const createMs = Math.min(Math.max(timeoutMs ?? mostCreateMs, leastCreateMs), mostCreateMs);
  try {
    if (params.app) {
      session.app = (await client.apps.create(params.app, { signal, timeoutMs: createMs })) as object;
      live.say(`App ${session.app.appId} was created`);
    }
    progress.begin("Ordering a set");
    await order(seen, service, params.set(session.app?.appId), {
      ...{ createMs, timeoutMs, onUpdate },
      onAccepted(accepted) {
        session.accepted = accepted;
        live.say(`Job ${accepted.jobId} was accepted`);
        progress.begin(`Job ${accepted.jobId} is accepted`);
      },
    });
  } catch (error) {
    if (!(error instanceof ScreenshotSetsError)) throw error;
    const jobId = session.accepted?.jobId ?? error.jobId;
    const isCharged = session.accepted !== undefined || error.charged !== "no";
    tell({ line: failureLine(error, session), isCharged, jobId });
  }
}

/** The answers of the mock to the same questions: also those about a job that failed, which a service seldom answers. */
async function askMock(): Promise<Seen> {
  const mock = createMock();
  const { fetch, clock, apiKey } = mock.clientOptions;
  const client = new ScreenshotSets({ ...mock.clientOptions, logger: false });
  const party: Party = { client, fetch, now: () => clock.now(), apiKey };
  const seen: Seen = { answers: new Map() };
  for (const asked of asks) seen.answers.set(asked, await ask(party, asked));
  const { appId } = await client.apps.create({
    iosUrl: "https://apps.apple.com/app/id1",
  } as object as CreateAppParams);
  const params = { appId, device: anyDevice } as object as CreateScreenshotsParams;
  const failed: Seen = { answers: new Map() };
  mock.nextJob({ outcome: "failed" });
  await order(failed, party, params);
  await order(seen, party, params);
  if (seen.set && failed.set?.failure) seen.set.failure = failed.set.failure;
  return seen;
}

function summaryOf(rows: readonly Row[], hasMore: boolean): string {
  const differing = rows.filter(({ verdict }) => verdict === "differs from the document").length;
  const differs = `${plural(differing, "row")} ${differing === 1 ? "differs" : "differ"} from the document.`;
  const hint = hasMore ? ` To try the rest, order a set with --spend ${setCost}.` : "";
  return (differing > 0 ? differs : "Nothing differs from the document.") + hint;
}
