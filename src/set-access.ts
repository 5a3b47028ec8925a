import type { Log } from "./secrets/log.js";
import type { AcceptedJob, App, CreateAppParams, CreateScreenshotsParams } from "./types.js";
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
  /** Sleeps on the client's clock; on abort it rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Resolves when the client does not pause after a 429, so that a create need not wait once it is recorded as begun; on
   * abort it rejects with the signal's reason.
   */
  ready(signal?: AbortSignal): Promise<void>;
  /**
   * Sends one create of a set, once. An abort ends it only as long as it is not sent, and then rejects with the signal's
   * reason: once it is sent, its end tells what was charged.
   */
  createSet(params: CreateScreenshotsParams, signal: AbortSignal): Promise<AcceptedJob>;
  /** Creates an app, as `apps.create` does, with an abort as in `createSet`. */
  createApp(params: CreateAppParams, signal: AbortSignal): Promise<App>;
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
