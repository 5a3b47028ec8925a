import { copyOf, ScreenshotSetsError } from "./errors/errors.js";
import { createApp, createScreenshots, getJob, operations } from "./generated/operations.js";
import { defaults } from "./generated/values.js";
import {
  type ClientOptions,
  checkedCallback,
  type RequestOptions,
  type Settings,
  settings,
} from "./options.js";
import {
  buildCall,
  checkedOptions,
  checkedSegment,
  type Input,
  type Operation,
  refused,
  wellFormed,
} from "./request/call.js";
import { passesInWait, retryAfterMs } from "./request/retry.js";
import { type Answer, send } from "./request/send.js";
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
  readonly #waits: Waits;

  /** @throws {ConfigurationError} when an option is missing or malformed */
  constructor(options: ClientOptions = {}) {
    this.#settings = settings(options);
    this.#log = createLog(this.#settings.logger);
    this.#waits = new Waits(this.#settings.clock, this.#log, {
      poll: (jobId, signal, onSend) => this.#getJob(jobId, { signal, maxRetries: 0 }, onSend),
      passes: passesInWait,
    });
  }

  /** Apps of the account. */
  readonly apps = {
    /**
     * Reads a store listing and creates an app (section 4.1 of the service's document). What that costs is not documented.
     *
     * @throws {InvalidRequestError} for parameters that break the document's constraints, before any request
     * @throws {ApiError} for an answer that is not 2xx
     */
    create: async (params: CreateAppParams, options: RequestOptions = {}): Promise<App> => {
      const { value } = await this.#call(createApp, { body: params }, options);
      return value as App;
    },
  };

  /** Screenshot sets, which are planned as background jobs. */
  readonly screenshots = {
    /**
     * Plans a screenshot set as a background job, for 10 credits that are charged when it is accepted (section 4.2).
     * Never sent again where it may have been accepted: `error.charged` tells.
     *
     * @throws {InvalidRequestError} for parameters that break the document's constraints, before any request
     * @throws {ApiError} for an answer that is not 2xx
     */
    create: async (params: CreateScreenshotsParams, options: RequestOptions = {}): Promise<AcceptedJob> => {
      const body = withDefaultCount(params);
      const { value } = await this.#call(createScreenshots, { body }, options);
      return this.#remembered(value as AcceptedJob, body);
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
   * @throws {JobTimeoutError} when the deadline passed; the job goes on
   * @throws {ApiError} for an answer that no waiting mends, such as 401
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
    const operation = (operations as readonly Operation[]).find(
      (one) => one.method === method && one.path === path,
    );
    if (operation === undefined) {
      throw refused("request", [{ path: "path", message: "Expected an operation of the OpenAPI document" }]);
    }
    const { params, body } = (init ?? {}) as { params?: Input; body?: unknown };
    const input = { path: params?.path, query: params?.query, body };
    const { value } = await this.#call(operation, input, options ?? {});
    if (operation === createScreenshots) this.#remembered(value as AcceptedJob, body);
    return value as AnswerOf<OperationAt<Path, Method>>;
  }

  async #getJob(
    jobId: string,
    options: RequestOptions,
    onSend?: () => void,
  ): Promise<{ job: Job; retryAfterMs: number | undefined }> {
    const { value, headers } = await this.#call(getJob, { path: { id: jobId } }, options, onSend);
    return { job: value as Job, retryAfterMs: retryAfterMs(headers) };
  }

  #call(operation: Operation, input: Input, options: RequestOptions, onSend?: () => void): Promise<Answer> {
    const jobId = operation === getJob ? wellFormed(String(input.path?.id)) : undefined;
    const call = buildCall(this.#settings, operation, input, options, jobId);
    call.onSend = onSend;
    return send(this.#settings, this.#log, call);
  }

  /** Waits look at a job by when and as what it was created. */
  #remembered(accepted: AcceptedJob, body: unknown): AcceptedJob {
    this.#waits.accepted(accepted.jobId, body as CreateScreenshotsParams);
    return accepted;
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
function withDefaultCount(params: CreateScreenshotsParams): unknown {
  if (typeof params !== "object" || params === null) return params;
  return { ...params, count: params.count === undefined ? defaults.createScreenshots.count : params.count };
}
