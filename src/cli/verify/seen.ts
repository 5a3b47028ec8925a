import { createApp, createScreenshots } from "../../generated/operations.js";
import { defaultCount } from "../../generated/values.js";
import {
  type AcceptedJob,
  InvalidResponseError,
  type Job,
  ScreenshotSets,
  type WaitOptions,
} from "../../index.js";
import { endOf } from "../../job-end.js";
import { createMock, type Recorded, type RecordedRefusal } from "../../mock/index.js";
import { misplaced } from "../../request/answer.js";
import { jobIdOf } from "../../request/answer-body.js";
import { isSegment } from "../../request/segment.js";
import { setAccess } from "../../set-access.js";
import type { CreateParams } from "../create-params.js";
import type { Session } from "../session.js";
import {
  type Answer,
  type Ask,
  anyDevice,
  ask,
  asks,
  createAsk,
  isAccepted,
  isOfKey,
  isRefused,
  jobAsk,
  type Party,
  takesKey,
} from "./ask.js";

/** How long a create that is to be accepted may take: it reads a listing. */
const createMs = 60_000;

/** What was seen of the service, or of the mock. */
export class Seen {
  readonly answers = new Map<Ask, Answer>();
  /** What came of the creation of an app, of that of a set, and of the last look at its job. */
  app?: Answer;
  set?: Answer;
  job?: Answer;
  /** The statuses of the job, each with the time at which it was first seen. */
  states: { status: string; at: number }[] = [];
  /** The slides of a job that succeeded. */
  slides?: unknown[];
  /** The error of a job that failed; null if it has none. */
  failure?: { error: unknown };

  constructor(private readonly party: Party) {}

  async ask(asked: Ask): Promise<Answer> {
    const answer = await ask(this.party, asked);
    this.answers.set(asked, answer);
    return answer;
  }

  /**
   * Orders a set and follows it to its end. What is seen is there also if this throws.
   *
   * @param session is told of what was created and accepted
   */
  async order({ app, sets }: CreateParams, session?: Session, timeoutMs?: number): Promise<void> {
    const { party } = this;
    const body: Record<string, unknown> = { count: defaultCount, ...sets[0] };
    if (app) {
      this.app = await ask(party, createAsk("an app", createApp, app), createMs);
      body.appId = Object(this.app.value).appId;
      if (!isAccepted(this.app) || !isSegment(body.appId)) return;
      session?.created(this.app.value as object);
    }
    this.set = await ask(party, createAsk("a set", createScreenshots, body), createMs);
    const jobId = jobIdIn(this.set);
    if (!isAccepted(this.set) || jobId === undefined) return;
    session?.paid({ ...(this.set.value as AcceptedJob), jobId });
    await this.#follow(jobId, { onUpdate: session?.onUpdate, timeoutMs });
  }

  async #follow(jobId: string, wait: WaitOptions): Promise<void> {
    const { client, signal, now } = this.party;
    this.states = [];
    const see = ({ status }: Job) => this.states.push({ status, at: now() });
    let failure: unknown;
    try {
      for await (const job of client.watchJob(jobId, { signal, ...wait })) see(job);
    } catch (error) {
      // A job that is not as documented may have ended all the same.
      if (!(error instanceof InvalidResponseError)) throw error;
      failure = error;
    }
    // The client completes the jobs that it hands out, so the answer itself is looked at once more.
    this.job = await ask(this.party, jobAsk(jobId));
    const job = Object(this.job.value);
    const end = endOf(job);
    if (failure && !end) throw failure;
    if (failure) see(job);
    const { slides } = Object(job.result);
    if (end === "succeeded" && Array.isArray(slides)) this.slides = slides;
    if (end === "failed") this.failure = { error: job.error ?? null };
  }

  /** The price that the acceptance names. */
  get cost(): unknown {
    return Object(Object(this.set?.value).credits).cost;
  }

  /** Whether the answers are those of a service that takes the key. */
  get isService(): boolean {
    return this.#takesKey(asks.unknownJob);
  }

  /** Whether one of the headers is taken. Then another that is not is a difference, and else nothing was asked. */
  get isKeyTaken(): boolean {
    return this.#takesKey(asks.unknownJob) || this.#takesKey(asks.otherHeader);
  }

  #takesKey(asked: Ask): boolean {
    const answer = this.answers.get(asked);
    return answer !== undefined && takesKey(answer);
  }

  /** Why the address is not the service's, as a sentence; undefined if it may be. */
  get elsewhere(): string | undefined {
    const { status, error } = this.answers.get(asks.document) ?? {};
    const { baseUrl = "" } = this.party.client[setAccess];
    if (status !== 404 || !error || !misplaced(baseUrl)) return undefined;
    return `The service is not at this address: ${error.message}`;
  }
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
  const seen = new Seen({ client, fetch, now: () => clock.now(), until: 0, clean: (value) => value });
  for (const asked of Object.values(asks)) await seen.ask(asked);
  const sets = [{ device: anyDevice }] as CreateParams["sets"];
  const params = { app: { iosUrl: "https://apps.apple.com/app/id1" }, sets };
  mock.nextJob({ outcome: "failed" });
  await seen.order(params);
  await seen.order(params);
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
