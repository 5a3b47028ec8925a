import { copyOf } from "./errors/copy-of.js";
import { ScreenshotSetsError } from "./errors/errors.js";
import { createApp, createScreenshots, getJob } from "./generated/operations.js";
import {
  type CallObserver,
  type ClientOptions,
  givenOptions,
  type RequestOptions,
  type Settings,
  settings,
} from "./options/options.js";
import { readOptions } from "./options/read-options.js";
import type { Answer } from "./request/answer.js";
import { Api, type CallManner } from "./request/api.js";
import { checkedSegment, type Input, withDefaultCount } from "./request/call.js";
import { passesInWait, retryAfterMs } from "./request/retry.js";
import { isSegment } from "./request/segment.js";
import type { AnswerAt, HttpMethod, InitAt, MethodOf, OtherPath } from "./request/types.js";
import type { Apps, Jobs, Screenshots } from "./resources.js";
import { environment } from "./secrets/key.js";
import { createLog, type Log } from "./secrets/log.js";
import { type ClientAccess, setAccess } from "./set-access.js";
import { isReasonOf } from "./time/abortable.js";
import { clockLead } from "./time/clock-hooks.js";
import type {
  AcceptedJob,
  App,
  CreateAppParams,
  CreateScreenshotsParams,
  Job,
  Marked,
  paths,
  SucceededJob,
} from "./types.js";
import { awaitOnAccepted, createAndWaitTable } from "./wait/await-on-accepted.js";
import { JobMemory } from "./wait/job-memory.js";
import { drawJitter } from "./wait/poll-delay.js";
import type { JobSource } from "./wait/poller.js";
import {
  type CheckedWaitOptions,
  checkedWaitOptions,
  type WaitOptions,
  waitTable,
} from "./wait/wait-options.js";
import { Waits } from "./wait/waits.js";

/** The client of the service: one per account and process is enough. */
export class ScreenshotSets {
  /** The options as given, with `apiKey` and `baseUrl` from the environment if they were not. */
  readonly #options: ClientOptions;
  readonly #settings: Settings;
  readonly #log: Log;
  readonly #api: Api;
  readonly #waits: Waits;

  /**
   * Reads the key and the base URL from `SCREENSHOT_SETS_API_KEY` and `SCREENSHOT_SETS_BASE_URL` unless they are given.
   *
   * @throws {ConfigurationError} when an option is missing, malformed or unknown
   */
  constructor(options: ClientOptions = {}) {
    const given = givenOptions("ScreenshotSets", options);
    this.#settings = settings(given);
    const { clock, logger, baseUrl } = this.#settings;
    this.#options = { ...given, apiKey: given.apiKey ?? environment("SCREENSHOT_SETS_API_KEY"), baseUrl };
    this.#log = createLog(logger, this.#settings.apiKey.recent);
    this.#api = new Api(this.#settings, this.#log);
    const source: JobSource = {
      poll: (jobId, own, observer) => this.#getJob(jobId, { ...own, maxRetries: 0 }, observer),
      passes: passesInWait,
    };
    this.#waits = new Waits(this.#settings, this.#log, new JobMemory(clock), source);
    // Bound, so that they can be destructured from the client.
    for (const name of ["waitForJob", "watchJob", "withOptions", "request"] as const) {
      Object.defineProperty(this, name, { value: this[name].bind(this), writable: true, configurable: true });
    }
  }

  /** Apps of the account. */
  readonly apps: Marked<
    "apps.create",
    Apps,
    {
      /** @deprecated by the OpenAPI document. */
      create: Apps["create"];
    }
  > = {
    create: (params, options = {}) => this.#createApp(params, options),
  };

  /** Screenshot sets, which are planned as background jobs. */
  readonly screenshots: Marked<
    "screenshots.create",
    Screenshots,
    {
      /** @deprecated by the OpenAPI document. */
      create: Screenshots["create"];
      /** @deprecated by the OpenAPI document. */
      createAndWait: Screenshots["createAndWait"];
    }
  > = {
    create: (params, options = {}) => this.#createSet(params, options),

    createAndWait: async (params, options = {}) => {
      const own = readOptions("createAndWait", options, createAndWaitTable);
      const wait = checkedWaitOptions(own);
      const { onAccepted, signal, maxRetries, headers, onResponse } = own;
      const accepted = await this.screenshots.create(params, { signal, maxRetries, headers, onResponse });
      const { jobId, credits } = accepted;
      const { clock } = this.#settings;
      const startedAt = clock.now();
      if (onAccepted) await awaitOnAccepted(onAccepted, accepted, wait, clock, this.#log);
      try {
        return { ...(await this.#waits.wait(jobId, wait, { acceptedAt: startedAt })), credits };
      } catch (error) {
        // The reason of an abort belongs to the caller and stays unchanged, whatever it is.
        if (isReasonOf(signal, error)) throw error;
        throw error instanceof ScreenshotSetsError ? copyOf(error, { jobId, charged: "yes" }) : error;
      }
    },
  };

  /** Background jobs. */
  readonly jobs: Marked<
    "jobs.get",
    Jobs,
    {
      /** @deprecated by the OpenAPI document. */
      get: Jobs["get"];
    }
  > = {
    get: async (jobId, options = {}) => {
      const { job } = await this.#getJob(jobId, options);
      return job;
    },
  };

  /**
   * Polls a job until it has succeeded. A transient failure of a poll counts as "not finished yet". Each wait polls by
   * itself: to show one job to many people, watch it once and hand on what you see, as `examples/live` does.
   *
   * @throws {JobFailedError} when the job failed
   * @throws {JobTimeoutError} when the deadline passed; the job may still end
   * @throws {ApiError} for an answer that does not change by waiting, such as 401
   */
  async waitForJob(jobId: string, options: WaitOptions = {}): Promise<SucceededJob> {
    return this.#waits.wait(jobId, this.#checkedWait("waitForJob", jobId, options));
  }

  /**
   * Iterates over the status changes of a job. The last one is terminal and may be `failed`. Polling starts with the
   * first `next()` and stops when the loop is left. Each loop polls by itself: to show one job to many people, watch it
   * once and hand on what you see, as `examples/live` does. Throws as `waitForJob` does, except for a failed job.
   */
  watchJob(jobId: string, options: WaitOptions = {}): AsyncIterable<Job> {
    return this.#waits.watch(jobId, this.#checkedWait("watchJob", jobId, options));
  }

  /**
   * Returns a client with the same settings, except those given. Unless these include `baseUrl` or `clock`, both
   * share what they learn about how long jobs take.
   *
   * @throws {ConfigurationError} as the constructor does
   */
  withOptions(options: ClientOptions): ScreenshotSets {
    const own = givenOptions("withOptions", options);
    const client = new ScreenshotSets({ ...this.#options, ...own });
    client.#log.said = this.#log.said;
    const isSame = (name: "apiKey" | "baseUrl" | "clock") => client.#options[name] === this.#options[name];
    if (!isSame("baseUrl") || !isSame("clock")) return client;
    client.#waits.memory = this.#waits.memory;
    if (isSame("apiKey")) client.#api.shareRateLimit(this.#api);
    return client;
  }

  /** @internal */
  get [setAccess](): ClientAccess {
    const { clock, baseUrl, timeoutMs } = this.#settings;
    const { memory } = this.#waits;
    return {
      baseUrl,
      timeoutMs,
      clock,
      log: this.#log,
      now: () => Date.now() + (clock[clockLead] ?? 0),
      createSet: (params, { signal, record }) =>
        this.#createSet(params, { signal, maxRetries: 0 }, { record }),
      getJob: (jobId, signal) => this.#getJob(jobId, { signal, maxRetries: 0 }),
      createApp: (params, { signal, record }) =>
        this.#createApp(params, { signal, maxRetries: 0 }, { record }),
      delayMs: (elapsedMs, delays) => memory.plan.delayMs(elapsedMs, drawJitter(), delays),
      learn: (...times) => memory.plan.learn(...times),
    };
  }

  /**
   * Sends a request to any path below the base URL: the way to a device, a limit or an endpoint that this version does not
   * know. Neither the request nor its answer is checked. It costs what the service charges for it, and only a `GET` or a
   * `HEAD` is retried freely; an error's `charged` says what happened to the credits. Options: `signal`, `timeoutMs`
   * for one attempt, `maxRetries`, `headers`, `onResponse`.
   *
   * @param method the method, in upper case
   * @param path the path as in the OpenAPI document, with its parameters in braces
   * @param init `{ params: { path?, query? }, body? }`
   * @returns the parsed JSON of the answer, or else its text; `undefined` if it is empty
   * @throws {InvalidRequestError} for what no request can hold, before any request
   * @throws {ApiError} for an answer that is not 2xx
   */
  request<Path extends keyof paths, Method extends MethodOf<Path>>(
    method: Method,
    path: Path,
    ...[init, options]: InitAt<Path, Method>
  ): Promise<AnswerAt<Path, Method>>;
  /** As above, for a path that the document does not have: name the type of its answer, as in `request<Answer>(…)`. */
  request<Answer = unknown, Path extends string = string, Method extends HttpMethod = HttpMethod>(
    method: Method,
    path: OtherPath<Path, Method>,
    init?: Input,
    options?: RequestOptions,
  ): Promise<Answer>;
  async request(method: string, path: string, init?: Input, options?: RequestOptions): Promise<unknown> {
    const send = () => this.#api.request(method, path, init, options);
    const isSet = method === createScreenshots.method && path === createScreenshots.path;
    return isSet ? this.#remembered(send) : (await send()).value;
  }

  async #createApp(params: CreateAppParams, options: RequestOptions, how?: CallManner): Promise<App> {
    const { value } = await this.#api.call(createApp, { body: params }, options, how);
    return value as App;
  }

  #createSet(params: CreateScreenshotsParams, options: RequestOptions, how?: CallManner) {
    const body = withDefaultCount(params);
    const create = () => this.#api.call(createScreenshots, { body }, options, how);
    return this.#remembered(create) as Promise<AcceptedJob>;
  }

  /** Remembers when the job of a create was accepted. */
  async #remembered(create: () => Promise<Answer>): Promise<unknown> {
    try {
      const { value } = await create();
      const { jobId } = Object(value) as { jobId?: unknown };
      if (isSegment(jobId)) this.#waits.memory.accepted(jobId);
      return value;
    } catch (error) {
      // An invalid answer may still name a job, which the caller can wait for.
      if (error instanceof ScreenshotSetsError && error.jobId !== undefined && error.charged !== "no") {
        this.#waits.memory.accepted(error.jobId);
      }
      throw error;
    }
  }

  async #getJob(jobId: string, options: RequestOptions, observer?: CallObserver) {
    const input = { params: { path: { id: jobId } } };
    const { value, headers } = await this.#api.call(getJob, input, options, { observer });
    // A document may allow the service to leave them out of unfinished jobs.
    const { result = null, error = null } = value as { result?: unknown; error?: unknown };
    return { job: { ...(value as Job), result, error } as Job, retryAfterMs: retryAfterMs(headers) };
  }

  /** Refuses a bad id or option before any request. */
  #checkedWait(taker: string, jobId: string, options: WaitOptions): CheckedWaitOptions {
    const checked = checkedWaitOptions(readOptions(taker, options, waitTable));
    checkedSegment(getJob.name, "id", jobId);
    return checked;
  }
}

// Bundlers and minifiers rename classes, and this one is shown wherever a client is printed.
Object.defineProperty(ScreenshotSets, "name", { value: "ScreenshotSets" });
