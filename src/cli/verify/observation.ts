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
import { isSegment } from "../../request/segment.js";
import { setAccess } from "../../set-access.js";
import type { CreateParams } from "../create-params.js";
import type { Session } from "../session.js";
import { type Answer, jobIdIn, takesKey } from "./answer.js";
import {
  anyDevice,
  createRequest,
  jobRequest,
  longestHoldMs,
  requests,
  send,
  type Target,
  type TestRequest,
} from "./request.js";

/** How long a create that is to be accepted may take: it reads a listing. */
const createMs = 60_000;

/** What is observed of the service, or of the mock. */
export class Observation {
  readonly answers = new Map<TestRequest, Answer>();
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

  constructor(private readonly target: Target) {}

  async send(request: TestRequest): Promise<Answer> {
    const answer = await send(this.target, request);
    this.answers.set(request, answer);
    return answer;
  }

  /**
   * Orders a set and follows it to its end. What is observed is there also if this throws.
   *
   * @param session is told of what was created and accepted
   */
  async order({ app, sets }: CreateParams, session?: Session, timeoutMs?: number): Promise<void> {
    const { target } = this;
    const body: Record<string, unknown> = { count: defaultCount, ...sets[0] };
    if (app) {
      this.app = await send(target, createRequest("an app", createApp, app), createMs);
      body.appId = Object(this.app.value).appId;
      if (this.app.meaning !== "accepted" || !isSegment(body.appId)) return;
      session?.created(this.app.value as object);
    }
    this.set = await send(target, createRequest("a set", createScreenshots, body), createMs);
    const jobId = jobIdIn(this.set);
    if (this.set.meaning !== "accepted" || jobId === undefined) return;
    session?.paid({ ...(this.set.value as AcceptedJob), jobId });
    await this.#follow(jobId, { onUpdate: session?.onUpdate, timeoutMs });
  }

  async #follow(jobId: string, wait: WaitOptions): Promise<void> {
    const { client, signal, now } = this.target;
    this.states = [];
    const add = ({ status }: Job) => this.states.push({ status, at: now() });
    let failure: unknown;
    try {
      for await (const job of client.watchJob(jobId, { signal, ...wait })) add(job);
    } catch (error) {
      // A job that is not as documented may have ended all the same.
      if (!(error instanceof InvalidResponseError)) throw error;
      failure = error;
    }
    // The client completes the jobs that it hands out, so the answer itself is looked at once more. It was paid for.
    this.target.until = now() + longestHoldMs;
    this.job = await send(this.target, jobRequest(jobId));
    const job = Object(this.job.value);
    const end = endOf(job);
    if (failure && !end) throw failure;
    if (failure) add(job);
    if (this.job.isTooDeep) return;
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
    return this.#takesKey(requests.unknownJob);
  }

  /** Whether one of the headers is taken. Then another that is not is a difference, and else nothing was asked. */
  get isKeyTaken(): boolean {
    return this.isService || this.#takesKey(requests.otherHeader);
  }

  #takesKey(request: TestRequest): boolean {
    const answer = this.answers.get(request);
    return answer !== undefined && takesKey(answer);
  }

  /** Why the address is not the service's, as a sentence; undefined if it may be. */
  get elsewhere(): string | undefined {
    const { status, error } = this.answers.get(requests.document) ?? {};
    const { baseUrl = "" } = this.target.client[setAccess];
    if (status !== 404 || !error || !misplaced(baseUrl)) return undefined;
    return `The service is not at this address: ${error.message}`;
  }
}

/** What the mock answers to the same: also of a job that failed, which a service seldom has. */
export async function observeMock(recorded: Recorded | undefined): Promise<Observation> {
  const mock = createMock({ recorded });
  const { fetch, clock } = mock.clientOptions;
  const client = new ScreenshotSets({ ...mock.clientOptions, logger: false });
  const observation = new Observation({
    client,
    fetch,
    now: () => clock.now(),
    until: 0,
    clean: (text) => text,
  });
  for (const request of Object.values(requests)) await observation.send(request);
  const sets = [{ device: anyDevice }] as CreateParams["sets"];
  const params = { app: { iosUrl: "https://apps.apple.com/app/id1" }, sets };
  mock.nextJob({ outcome: "failed" });
  await observation.order(params);
  await observation.order(params);
  return observation;
}

/** What was observed of the service, in the form that the mock takes. What is undefined is not written. */
export function recordingOf({ answers, set, cost, states, job, slides, failure }: Observation): Recorded {
  const refusal = (request: TestRequest, isAboutKey = false): RecordedRefusal | undefined => {
    const answer = answers.get(request);
    if (answer?.meaning !== "refused" && !(isAboutKey && answer?.meaning === "about the key"))
      return undefined;
    const { status, isJson, value, isTooDeep } = answer;
    return { status: status as number, ...(!isTooDeep && { [isJson ? "body" : "text"]: value }) };
  };
  // The key is looked at before the operation.
  const ofKey = { missingKey: refusal(requests.noKey, true), wrongKey: refusal(requests.wrongKey, true) };
  const isPrice = typeof cost === "number" && cost >= 0 && cost <= 1e9;
  const hasEnded = job !== undefined && endOf(job.value as Job) !== undefined;
  const invalidSet = refusal(requests.emptySet);
  const recordedSet = {
    cost: isPrice ? cost : undefined,
    count: defaultCount,
    states: hasEnded ? states.map(({ status }) => status) : undefined,
    slides,
    ...failure,
  };
  return {
    version: 1,
    refusals: {
      createApp: { ...ofKey, invalidRequest: refusal(requests.emptyApp) },
      createScreenshots: { ...ofKey, invalidRequest: invalidSet, notFound: refusal(requests.unknownApp) },
      getJob: { ...ofKey, notFound: refusal(requests.unknownJob) },
    },
    set: set?.meaning === "accepted" ? recordedSet : undefined,
  };
}
