import { createApp, createScreenshots } from "../../generated/operations.js";
import { defaultCount } from "../../generated/values.js";
import {
  type CreateScreenshotsParams,
  InvalidResponseError,
  type Job,
  ScreenshotSets,
  type WaitOptions,
} from "../../index.js";
import { endOf } from "../../job-end.js";
import { createMock, type Recorded, type RecordedRefusal } from "../../mock/index.js";
import { jobIdOf } from "../../request/answer-body.js";
import { isSegment } from "../../request/segment.js";
import type { CreateParams } from "../create-params.js";
import { type Answer, type Ask, ask, isAccepted, isOfKey, isRefused, type Party, type Seen } from "./ask.js";
import { anyDevice, asks, createAsk, jobAsk } from "./questions.js";

interface OrderOptions extends Pick<WaitOptions, "timeoutMs" | "onUpdate"> {
  onApp?(app: object): void;
  onAccepted?(jobId: string, accepted: unknown): void;
}

/** How long a create that is to be accepted may take: it reads a listing. */
const createMs = 60_000;

/** Orders a set and follows its job to its end. What is seen is in `seen` also if this throws. */
export async function order(
  seen: Seen,
  party: Party,
  { app, set }: Pick<CreateParams, "app" | "set">,
  { onApp, onAccepted, ...wait }: OrderOptions = {},
): Promise<void> {
  let appId: unknown;
  if (app) {
    seen.app = await ask(party, createAsk("an app", createApp, app), createMs);
    appId = Object(seen.app.value).appId;
    if (!isAccepted(seen.app) || !isSegment(appId)) return;
    onApp?.(seen.app.value as object);
  }
  const body = { count: defaultCount, ...set(appId) };
  seen.set = await ask(party, createAsk("a set", createScreenshots, body), createMs);
  seen.cost = Object(Object(seen.set.value).credits).cost;
  const jobId = jobIdIn(seen.set);
  if (!isAccepted(seen.set) || jobId === undefined) return;
  onAccepted?.(jobId, seen.set.value);

  await follow(seen, party, jobId, wait);
}

async function follow(seen: Seen, party: Party, jobId: string, wait: WaitOptions): Promise<void> {
  seen.states = [];
  const see = ({ status }: Job) => seen.states.push({ status, at: party.now() });
  const { client, signal } = party;
  let failure: unknown;
  try {
    for await (const job of client.watchJob(jobId, { signal, ...wait })) see(job);
  } catch (error) {
    // A job that is not as documented may have ended all the same.
    if (!(error instanceof InvalidResponseError)) throw error;
    failure = error;
  }
  // The client completes the jobs that it hands out, so the answer itself is looked at once more.
  seen.job = await ask(party, jobAsk(jobId));
  const job = Object(seen.job.value);
  const end = endOf(job);
  if (failure && !end) throw failure;
  if (failure) see(job);
  const { slides } = Object(job.result);
  if (end === "succeeded" && Array.isArray(slides)) seen.slides = slides;
  if (end === "failed") seen.failure = { error: job.error ?? null };
}

/** The job that an answer names, even if it is malformed. */
export function jobIdIn({ value, isJson, error }: Answer): string | undefined {
  return jobIdOf({ value, isJson, text: typeof value === "string" ? value : "" }) ?? error?.jobId;
}

/** What the mock answers to the same: also of a job that failed, which a service seldom has. */
export async function seeMock(recorded: Recorded | undefined): Promise<Seen> {
  const mock = createMock({ recorded });
  const { fetch, clock } = mock.clientOptions;
  const client = new ScreenshotSets({ ...mock.clientOptions, logger: false });
  const party: Party = { client, fetch, now: () => clock.now(), until: 0, clean: (value) => value };
  const seen: Seen = { answers: new Map(), states: [] };
  for (const asked of Object.values(asks)) seen.answers.set(asked, await ask(party, asked));
  const params = {
    app: { iosUrl: "https://apps.apple.com/app/id1" },
    set: (appId: unknown) => ({ appId, device: anyDevice }) as CreateScreenshotsParams,
  };
  mock.nextJob({ outcome: "failed" });
  await order(seen, party, params);
  await order(seen, party, params);
  return seen;
}

/** What was seen of the service, in the form that the mock takes. What is undefined is not written. */
export function recordingOf({ answers, set, cost, states, job, slides, failure }: Seen): Recorded {
  const refusal = (asked: Ask, isAboutKey = false): RecordedRefusal | undefined => {
    const answer = answers.get(asked);
    if (!answer || !isRefused(answer) || (isOfKey(answer) && !isAboutKey)) return undefined;
    return { status: answer.status as number, [answer.isJson ? "body" : "text"]: answer.value };
  };
  // The key is looked at before the operation.
  const ofKey = { missingKey: refusal(asks.noKey, true), wrongKey: refusal(asks.wrongKey, true) };
  const isPrice = typeof cost === "number" && cost >= 0 && cost <= 1e9;
  const hasEnded = job !== undefined && endOf(job.value as Job) !== undefined;
  return {
    version: 1,
    refusals: {
      createApp: { ...ofKey, invalidRequest: refusal(asks.emptyApp) },
      createScreenshots: {
        ...{ ...ofKey, invalidRequest: refusal(asks.emptySet), notFound: refusal(asks.unknownApp) },
      },
      getJob: { ...ofKey, notFound: refusal(asks.unknownJob) },
    },
    set:
      set && isAccepted(set)
        ? {
            cost: isPrice ? cost : undefined,
            count: defaultCount,
            states: hasEnded ? states.map(({ status }) => status) : undefined,
            ...{ slides, ...failure },
          }
        : undefined,
  };
}
