import { systemReason } from "../../batch/system-reason.js";
import { ScreenshotSetsError, setCost } from "../../index.js";
import { platformFetch } from "../../request/platform-fetch.js";
import { environment } from "../../secrets/key.js";
import type { CreateParams } from "../create-params.js";
import { failureLine, printResume, resumeCommand } from "../failure.js";
import { Interrupt } from "../interrupt.js";
import type { Destination } from "../out-file.js";
import { plural, printableJson, printableLine } from "../output.js";
import type { Result } from "../result.js";
import type { Session, SessionFlags } from "../session.js";
import type { Party } from "./ask.js";
import { askAll, type Trouble } from "./ask-all.js";
import { askMock } from "./ask-mock.js";
import { recordingOf } from "./recording.js";
import { compare, type Row, tableOf } from "./rows.js";
import { order, type Seen } from "./seen.js";

interface VerifyOptions {
  flags: SessionFlags;
  /** What to order; undefined for free. */
  params: CreateParams | undefined;
  timeoutMs: number | undefined;
  recording: Destination | undefined;
}

/** How long the creates that are to be accepted may take: they read a listing. */
const [leastCreateMs, mostCreateMs] = [10_000, 60_000];

/** How long an interrupted command may take to write to a file that perhaps nobody reads. */
const lastWriteMs = 1000;

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
  const record = async (until: AbortSignal) => {
    await recording?.write(`${printableJson(recordingOf(seen))}\n`, until);
    await recording?.close();
  };
  let end: Awaited<ReturnType<typeof askAll>>;
  try {
    end = await askAll(seen, service, params !== undefined, session, tell);
    if (end === "all refused" && params) await orderOne(seen, service, { ...options, params }, session, tell);
  } catch (error) {
    // What was paid for is recorded also if the wait for it was interrupted.
    if (seen.set) await record(AbortSignal.timeout(lastWriteMs)).catch(() => {});
    throw error;
  }
  const { rows, isBroken } = compare(seen, await askMock());
  try {
    // An earlier recording is worth more than what was not the service's.
    if (end !== "no service") await record(signal);
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
    text: `${tableOf(rows)}\n${summaryOf(rows, troubles, params === undefined)}\n`,
    exitCode: isCharged ? 3 : troubles.length > 0 || isBroken ? 1 : 0,
  };
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

function summaryOf(rows: readonly Row[], [trouble]: readonly Trouble[], isFree: boolean): string {
  const differing = rows.filter(({ verdict }) => verdict === "differs from the document").length;
  if (differing > 0)
    return `${plural(differing, "row")} ${differing === 1 ? "differs" : "differ"} from the document.`;
  if (trouble) return `No difference was seen, but: ${trouble.line}`;
  const hint = isFree ? ` To try the rest, order a set with --spend ${setCost}.` : "";
  return `Nothing differs from the document.${hint}`;
}
