import type { Log } from "./secrets/log.js";
import type { Clock } from "./time/clock.js";
import type { ClockHooks } from "./time/clock-hooks.js";
import type { AcceptedJob, App, CreateAppParams, CreateScreenshotsParams, Job } from "./types.js";
import type { PollDelays } from "./wait/poll-delay.js";

/**
 * The key of what a client offers to code that takes the steps of a set by itself: `stepSet`, batches and queues. It is in
 * the global symbol registry because each entry point bundles its own copy of this file.
 */
export const setAccess: unique symbol = Symbol.for("screenshot-sets.set-access");

/** What the steps of a set need of their client. */
export interface SetAccess {
  /** The service's base address; `undefined` for what only stands for a client. */
  readonly baseUrl: string | undefined;
  /** How long one attempt may take, in milliseconds. */
  readonly timeoutMs: number;
  readonly log: Pick<Log, "warn" | "error">;
  /** The time in milliseconds since 1970 (UTC), advancing with the client's clock. */
  now(): number;
  /** The client's clock, on which its delays run. */
  readonly clock: Clock & ClockHooks;
  /** Sends one create of a set, once. */
  createSet(params: CreateScreenshotsParams, manner: RecordedCall): Promise<AcceptedJob>;
  /** Asks for a job once. Resolves to it, and to how long the answer asks to wait, in milliseconds, if it does. */
  getJob(
    jobId: string,
    signal: AbortSignal | undefined,
  ): Promise<{ job: Job; retryAfterMs?: number | undefined }>;
  /**
   * How long to wait before the next poll of a set that was accepted `elapsedMs` ago, in milliseconds, with jitter, by
   * how long other sets took.
   */
  delayMs(elapsedMs: number, delays: PollDelays): number;
  /**
   * Learns from two polls, in milliseconds since the set was accepted: the last that found it unfinished, and the one that
   * found it finished. A poll at a time that a `Retry-After` set teaches nothing, so do not pass it.
   */
  learn(unfinishedAtMs: number, finishedAtMs: number): void;
}

/** What a client offers besides, which the command line uses. */
export interface ClientAccess extends SetAccess {
  /** Sends one create of an app, once. */
  createApp(params: CreateAppParams, manner: RecordedCall): Promise<App>;
}

/** How a create is sent that leaves a record. */
export interface RecordedCall {
  /** Ends each pause and rejects with its reason, but ends nothing that was sent: its end tells what was charged. */
  signal: AbortSignal | undefined;
  /**
   * Called when the key is there and the client does not pause, immediately before each request is handed to `fetch`. What
   * it rejects with ends the create, and nothing more is sent.
   */
  record(): Promise<void>;
}
