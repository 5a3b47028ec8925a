import { createApp, createScreenshots } from "../../generated/operations.js";
import { defaultCount } from "../../generated/values.js";
import {
  type AcceptedJob,
  ApiError,
  ConnectionError,
  InvalidResponseError,
  type Job,
  ScreenshotSets,
  ScreenshotSetsError,
  type WaitOptions,
} from "../../index.js";
import { endOf } from "../../job-end.js";
import { createMock, type Recorded } from "../../mock/index.js";
import { misplaced } from "../../request/answer.js";
import { isSegment } from "../../request/segment.js";
import { setAccess } from "../../set-access.js";
import { systemClock } from "../../time/clock.js";
import type { CreateParams } from "../create-params.js";
import type { Session } from "../session.js";
import { type Answer, answerOf, jobIdIn } from "./answer.js";
import { anyDevice, createRequest, jobRequest, requests, type TestRequest } from "./request.js";

/** How long a create that is to be accepted may take: it reads a listing. */
const createMs = 60_000;

/** How long a 429 or an outage may hold requests back. What is held back then is not tried. */
const longestHoldMs = 30_000;

/** Longer than any service takes to refuse a request. */
const refusalMs = 10_000;

/** How often a read that fails is sent, and the shortest pause before a request is sent again. */
const [mostReads, pauseMs] = [3, 1_000];

/** What the requests go to, the service or the mock, and what is observed of it. */
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

  /** Until when, by `performance.now`, a request is sent again. */
  #until = performance.now() + longestHoldMs;

  /** @param clean removes the key from a text of an answer */
  constructor(
    private readonly client: ScreenshotSets,
    private readonly fetch: typeof globalThis.fetch,
    private readonly clean: (text: string) => string = (text) => text,
    private readonly signal?: AbortSignal,
  ) {}

  async send(request: TestRequest): Promise<Answer> {
    const answer = await this.#send(request);
    this.answers.set(request, answer);
    return answer;
  }

  /** Sends a request. Retries only what was certainly not accepted (a 429), and a read that failed. */
  async #send(request: TestRequest, timeoutMs = refusalMs): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      const answer = await this.#sendOnce(request, timeoutMs);
      const { meaning, error } = answer;
      const isBroken = error instanceof ConnectionError && request.method === "GET";
      if (!isBroken && !(error instanceof ApiError && error.isRetryable)) return answer;
      const askedMs = (error instanceof ApiError && error.retryAfterMs) || 0;
      const delayMs = Math.max(askedMs, pauseMs);
      const isLast = meaning !== "limited" && tries === mostReads;
      if (isLast || performance.now() + delayMs > this.#until) return answer;
      await systemClock.sleep(delayMs, this.signal);
    }
  }

  async #sendOnce(request: TestRequest, timeoutMs: number): Promise<Answer> {
    const { method, path, init, client: own, isKeyless } = request;
    const { clean, signal } = this;
    let head: { status: number; headers: Headers } | undefined;
    const onResponse = (response: typeof head) => {
      head = response;
    };
    const keyless = isKeyless && { fetch: withoutKeyHeader(this.fetch) };
    const options = { maxRetries: 0, timeoutMs, onResponse() {}, ...own, ...keyless };
    const client = this.client.withOptions(options);
    try {
      const value = await client.request(method as "GET", path as string, init, { signal, onResponse });
      return answerOf(head, clean, value);
    } catch (error) {
      if (!(error instanceof ScreenshotSetsError)) throw error;
      return answerOf(head, clean, (error as Partial<ApiError>).body, error);
    }
  }

  /**
   * Orders a set and follows it to its end. What is observed is there also if this throws.
   *
   * @param session is told of what was created and accepted
   */
  async order({ app, sets }: CreateParams, session?: Session, timeoutMs?: number): Promise<void> {
    const body: Record<string, unknown> = { count: defaultCount, ...sets[0] };
    if (app) {
      this.app = await this.#send(createRequest(createApp, app), createMs);
      body.appId = Object(this.app.value).appId;
      if (this.app.meaning !== "accepted" || !isSegment(body.appId)) return;
      session?.created(this.app.value as object);
    }
    this.set = await this.#send(createRequest(createScreenshots, body), createMs);
    const jobId = jobIdIn(this.set);
    if (this.set.meaning !== "accepted" || jobId === undefined) return;
    session?.paid({ ...(this.set.value as AcceptedJob), jobId });
    await this.#follow(jobId, { onUpdate: session?.onUpdate, timeoutMs });
  }

  async #follow(jobId: string, wait: WaitOptions): Promise<void> {
    const { client, signal } = this;
    this.states = [];
    const add = ({ status }: Job) => this.states.push({ status, at: client[setAccess].clock.now() });
    let failure: unknown;
    try {
      for await (const job of client.watchJob(jobId, { signal, ...wait })) add(job);
    } catch (error) {
      // A job that is not as documented may have ended all the same.
      if (!(error instanceof InvalidResponseError)) throw error;
      failure = error;
    }
    // The client completes the jobs that it hands out, so the answer itself is looked at once more. It was paid for.
    this.#until = performance.now() + longestHoldMs;
    this.job = await this.#send(jobRequest(jobId));
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

  /** Whether an answer to one of these requests is that of a service which takes the key. */
  takesKey(...keyed: TestRequest[]): boolean {
    return keyed.some((request) => {
      const { meaning, isJson }: Partial<Answer> = this.answers.get(request) ?? {};
      return meaning === "refused" || (meaning === "accepted" && isJson);
    });
  }

  /** Why the address is not the service's, as a sentence; undefined if it may be. */
  get elsewhere(): string | undefined {
    const { status, error } = this.answers.get(requests.document) ?? {};
    const { baseUrl = "" } = this.client[setAccess];
    if (status !== 404 || !error || !misplaced(baseUrl)) return undefined;
    return `The service is not at this address: ${error.message}`;
  }
}

/** The client sends no request without a key, so that is taken away behind it. */
function withoutKeyHeader(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (url, init) => {
    const headers = new Headers(init?.headers);
    headers.delete("authorization");
    return fetch(url, { ...init, headers });
  };
}

/** What the mock answers to the same: also of a job that failed, which a service seldom has. */
export async function observeMock(recorded: Recorded | undefined): Promise<Observation> {
  const mock = createMock({ recorded, allowance: Number.MAX_SAFE_INTEGER });
  const client = new ScreenshotSets({ ...mock.clientOptions, logger: false });
  const observation = new Observation(client, mock.fetch);
  for (const request of Object.values(requests)) await observation.send(request);
  const sets = [{ device: anyDevice }] as CreateParams["sets"];
  const params = { app: { iosUrl: "https://apps.apple.com/app/id1" }, sets };
  mock.nextJob({ outcome: "failed" });
  await observation.order(params);
  await observation.order(params);
  return observation;
}
