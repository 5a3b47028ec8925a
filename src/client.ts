import { copyOf } from "./errors/copy-of.js";
import { ScreenshotSetsError } from "./errors/errors.js";
import { createApp, createScreenshots, getJob } from "./generated/operations.js";
import { defaults } from "./generated/values.js";
import {
  type ClientOptions,
  checkedCallback,
  type RequestOptions,
  type Settings,
  settings,
} from "./options.js";
import { Api } from "./request/api.js";
import { checkedOptions, checkedSegment } from "./request/call.js";
import { passesInWait, retryAfterMs } from "./request/retry.js";
import type { MethodOf, OperationAt, RequestInitOf } from "./request/types.js";
import { createLog, type Log } from "./secrets/log.js";
import { endsWithin } from "./time/clock.js";
import { holdClock } from "./time/clock-hooks.js";
import type {
  AcceptedJob,
  AnswerOf,
  App,
  CreateAppParams,
  CreateScreenshotsParams,
  Job,
  paths,
  SucceededJob,
} from "./types.js";
import { type Pace, pace } from "./wait/pace.js";
import type { JobSource } from "./wait/poll-stream.js";
import { type CheckedWaitOptions, checkedWaitOptions, type WaitOptions, Waits } from "./wait/waits.js";

/** Options of `createAndWait`: of the create and of the wait. */
export interface CreateAndWaitOptions extends WaitOptions {
  /**
   * Called and awaited with the accepted job before the first poll: the place to save its id. If it throws,
   * `createAndWait` rejects with that error. Awaited no longer than the signal and the deadline allow. In both cases the
   * job id is logged.
   */
  onAccepted?: ((accepted: AcceptedJob) => unknown) | undefined;
}

/** For how long `onAccepted` may keep a mock's virtual time from passing, in real milliseconds: enough to write a file. */
const longestHoldMs = 1000;

/** The client of the service: one per account and process is enough. */
export class ScreenshotSets {
  readonly #settings: Settings;
  readonly #log: Log;
  readonly #api: Api;
  readonly #waits: Waits;

  /** @throws {ConfigurationError} when an option is missing or malformed */
  constructor(options: ClientOptions = {}) {
    this.#settings = settings(options);
    this.#log = createLog(this.#settings.logger);
    this.#api = new Api(this.#settings, this.#log);
    const source: JobSource = {
      poll: (jobId, signal, onSend) => this.#getJob(jobId, { signal, maxRetries: 0 }, onSend),
      passes: passesInWait,
    };
    this.#waits = new Waits(this.#settings.clock, this.#log, source, this.#settings.learned);
  }

  /** Apps of the account. */
  readonly apps = {
    /**
     * Reads a store listing and creates an app (`createApp`). What that costs is not documented.
     *
     * @throws {InvalidRequestError} for parameters that break the document's constraints, before any request
     * @throws {ApiError} for an answer that is not 2xx
     */
    create: (params: CreateAppParams, options: RequestOptions = {}): Promise<App> =>
      this.request(createApp.method, createApp.path, { body: params }, options),
  };

  /** Screenshot sets, which are planned as background jobs. */
  readonly screenshots = {
    /**
     * Plans a screenshot set as a background job (`createScreenshots`), for 10 credits that are charged when it is
     * accepted. Never sent again where it may have been accepted: `error.charged` tells.
     *
     * @throws {InvalidRequestError} for parameters that break the document's constraints, before any request
     * @throws {ApiError} for an answer that is not 2xx
     */
    create: (params: CreateScreenshotsParams, options: RequestOptions = {}): Promise<AcceptedJob> => {
      const { method, path } = createScreenshots;
      return this.request(method, path, { body: withDefaultCount(params) }, options);
    },

    /**
     * `create`, then `waitForJob`. Every error after the acceptance has the `jobId` and is `charged: "yes"`.
     *
     * @throws what `create` and `waitForJob` throw, and what `onAccepted` throws
     */
    createAndWait: async (
      params: CreateScreenshotsParams,
      options: CreateAndWaitOptions = {},
    ): Promise<SucceededJob & Pick<AcceptedJob, "credits">> => {
      const { onAccepted, signal, maxRetries } = options ?? {};
      const waitOptions = checkedWaitOptions(options);
      checkedCallback("onAccepted", onAccepted);
      const accepted = await this.screenshots.create(params, { signal, maxRetries });
      const { jobId, credits } = accepted;
      const startedAt = this.#settings.clock.now();
      await this.#announce(accepted, onAccepted, waitOptions);
      try {
        return { ...(await this.#waits.wait(jobId, waitOptions, startedAt)), credits };
      } catch (error) {
        // The reason of an abort is the caller's own, whatever it is.
        if (signal?.aborted && error === signal.reason) throw error;
        throw error instanceof ScreenshotSetsError ? copyOf(error, { jobId, charged: "yes" }) : error;
      }
    },
  };

  /** Background jobs. */
  readonly jobs = {
    /**
     * Looks at a job once (section 4.3).
     *
     * @throws {ApiError} for an answer that is not 2xx
     */
    get: async (jobId: string, options: RequestOptions = {}): Promise<Job> => {
      const { job } = await this.#getJob(jobId, options);
      return job;
    },
  };

  /**
   * Polls a job until it has succeeded. Transient failures of a poll count as "not finished yet"; several waits
   * for one job share their polls.
   *
   * @throws {JobFailedError} when the job failed
   * @throws {JobTimeoutError} when the deadline passed; the job is still running
   * @throws {ApiError} for an answer that waiting does not change, such as 401
   */
  waitForJob(jobId: string, options: WaitOptions = {}): Promise<SucceededJob> {
    try {
      return this.#waits.wait(jobId, this.#checkedWait(jobId, options));
    } catch (error) {
      // An async function would say the same, and hold as much memory again for as long as the wait lasts.
      return Promise.reject(error);
    }
  }

  /**
   * The changes of a job's status as they come, the terminal one last, `failed` too. Begins with the first `next()`;
   * leaving the loop stops the polling. Throws as `waitForJob` does, but for a job that failed.
   */
  watchJob(jobId: string, options: WaitOptions = {}): AsyncIterable<Job> {
    return this.#waits.watch(jobId, this.#checkedWait(jobId, options));
  }

  /**
   * What this client knows of how long jobs take, as a text of at most 64 kB for the option `learned` of a later one, which then polls
   * when jobs are likely to end from its first wait on. It holds how long the latest jobs of each kind took, and
   * neither keys nor ids nor anything of your apps.
   */
  learned(): string {
    return this.#waits.learned();
  }

  /** @internal */
  get [pace](): Pace {
    const { now, delayMs, learn } = this.#waits.pace;
    return {
      now,
      delayMs: (params, ...others) => delayMs(withDefaultCount(params), ...others),
      learn: (params, ...others) => learn(withDefaultCount(params), ...others),
    };
  }

  /**
   * Calls any operation of the OpenAPI document, with the client's key, retries and errors.
   *
   * @param path as the document has it, with its parameters in braces
   * @throws {InvalidRequestError} for an operation that the document does not have
   */
  async request<Path extends keyof paths, Method extends MethodOf<Path>>(
    method: Method,
    path: Path,
    ...[init, options]: RequestInitOf<OperationAt<Path, Method>>
  ): Promise<AnswerOf<OperationAt<Path, Method>>> {
    const { value, sent } = await this.#api.request(method, path, init ?? {}, options);
    if (method === createScreenshots.method && path === createScreenshots.path) {
      // Waits poll a job by when and as what it was created. What the caller handed in may have changed since.
      this.#waits.accepted((value as AcceptedJob).jobId, JSON.parse(sent as string));
    }
    return value as AnswerOf<OperationAt<Path, Method>>;
  }

  async #getJob(jobId: string, options: RequestOptions, onSend?: () => void) {
    const { method, path } = getJob;
    const { value, headers } = await this.#api.request(
      method,
      path,
      { params: { path: { id: jobId } } },
      options,
      onSend,
    );
    return { job: value as Job, retryAfterMs: retryAfterMs(headers) };
  }

  /** Refuses a bad id or option before any request. */
  #checkedWait(jobId: string, options: WaitOptions): CheckedWaitOptions {
    checkedOptions(this.#settings, options);
    checkedSegment(getJob.name, "id", jobId);
    return checkedWaitOptions(options);
  }

  /** Awaits `onAccepted`, but no longer than the wait that follows may last: that one then ends as it has to. */
  async #announce(
    accepted: AcceptedJob,
    onAccepted: CreateAndWaitOptions["onAccepted"],
    { signal, timeoutMs }: CheckedWaitOptions,
  ): Promise<void> {
    if (onAccepted === undefined) return;
    const { jobId } = accepted;
    const { clock } = this.#settings;
    const told = (async () => onAccepted(accepted))();
    told.catch((error) => this.#log.error("onAccepted threw after a job was accepted", { jobId, error }));
    clock[holdClock]?.(told, longestHoldMs);
    if (await endsWithin(clock, timeoutMs, signal, told)) return;
    this.#log.warn("Went on without waiting for onAccepted any longer", { jobId });
  }
}

/** The service requires `count`, and states a default for it; the SDK brings the two together. */
function withDefaultCount(params: CreateScreenshotsParams) {
  if (typeof params !== "object" || params === null) return params;
  try {
    return { ...params, count: params.count === undefined ? defaults.createScreenshots.count : params.count };
  } catch {
    // What cannot be read is refused with what else makes no sense.
    return params as never;
  }
}
