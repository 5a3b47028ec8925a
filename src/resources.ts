import type { RequestOptions } from "./options/options.js";
import type { AcceptedJob, App, CreateAppParams, CreateScreenshotsParams, Job, PlannedSet } from "./types.js";
import type { CreateAndWaitOptions } from "./wait/await-on-accepted.js";

// Methods and not functions in properties: editors show the text of a method also while its arguments are typed.

/** The calls of `client.apps`. */
export interface Apps {
  /**
   * Reads a store listing and resolves to the app that it creates (`POST /public/v1/apps`); what that costs is not
   * documented. Options: `signal`, `timeoutMs` for one attempt, `maxRetries`, `headers`, `onResponse`.
   *
   * @throws {InvalidRequestError} for parameters that break the document's constraints, before any request
   * @throws {ApiError} for an answer that is not 2xx
   */
  create(params: CreateAppParams, options?: RequestOptions): Promise<App>;
}

/** The calls of `client.screenshots`. */
export interface Screenshots {
  /**
   * Orders a screenshot set (`POST /public/v1/screenshots`), which costs `setCost` credits, and resolves to its `jobId`
   * and `credits` once it is accepted, or rejects with an error whose `charged` says what happened to the credits.
   * Options: `signal`, `timeoutMs` for one attempt, `maxRetries`, `headers`, `onResponse`.
   *
   * @remarks Where it may have been charged, it is retried only with an idempotency key, if the service documents one. Retry
   *   it yourself only if `error.charged` is `"no"`.
   * @throws {InvalidRequestError} for parameters that break the document's constraints, before any request
   * @throws {ApiError} for an answer that is not 2xx
   * @throws {ConnectionError | TimeoutError | InvalidResponseError} when no valid answer arrived
   */
  create(params: CreateScreenshotsParams, options?: RequestOptions): Promise<AcceptedJob>;

  /**
   * Plans a screenshot set, which costs `setCost` credits, and resolves to the succeeded job, or rejects when the job
   * fails, the deadline passes or `signal` aborts; once the set is accepted, an error of the SDK has its `jobId` and
   * `charged: "yes"`. Options: `onAccepted` to save the job's id, `onUpdate` for each change of status, `timeoutMs` for
   * the wait (10 minutes), `minDelayMs`, `maxDelayMs`, `signal`, `maxRetries`, `headers`, `onResponse`.
   *
   * @example
   * ```ts
   * import { ScreenshotSets } from "screenshot-sets";
   *
   * const client = new ScreenshotSets();
   * const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1234567890" });
   * const { result, credits } = await client.screenshots.createAndWait({ appId, device: "iphone-69", count: 3 });
   * console.log(result.slides.length, credits.remaining);
   * ```
   * @throws {JobFailedError} when the job failed
   * @throws {JobTimeoutError} when the deadline passed; `waitForJob(error.jobId)` resumes the wait
   * @throws {CreateInterruptedError} when `onAccepted` throws, with that as its `cause`
   * @throws what `create` throws
   */
  createAndWait(params: CreateScreenshotsParams, options?: CreateAndWaitOptions): Promise<PlannedSet>;
}

/** The calls of `client.jobs`. */
export interface Jobs {
  /**
   * Fetches a job once (`getJob`, `GET /public/v1/jobs/{id}`).
   *
   * @throws {ApiError} for an answer that is not 2xx
   */
  get(jobId: string, options?: RequestOptions): Promise<Job>;
}
