import type { CreateScreenshotsParams } from "../types.js";
import type { PollDelays } from "./poll-delay.js";

/**
 * The key of the pace that a client offers to code that polls its jobs itself. It is in the global symbol registry
 * because each entry point bundles its own copy of this file.
 */
export const pace: unique symbol = Symbol.for("screenshot-sets.pace");

/** When to poll a set again, based on how long others took. Times are in milliseconds since the set was accepted. */
export interface Pace {
  /** The time in milliseconds since 1970 (UTC), advancing with the client's clock. */
  now(): number;
  /** Resolves when the client does not pause after a 429, so that a create need not wait once it is recorded as begun. */
  ready(): Promise<void>;
  /** Sleeps on the client's clock; on abort it rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Writes a line to the client's log. */
  warn(message: string, fields: Record<string, unknown>): void;
  /** How long to wait before the next poll of a set created with `params`, in milliseconds, with jitter. */
  delayMs(params: CreateScreenshotsParams, elapsedMs: number, delays: PollDelays): number;
  /**
   * Learns from two polls: the last that found the set unfinished, and the one that found it finished. Do not pass
   * polls whose time was set by a `Retry-After`: they reveal the service's schedule, not how long jobs take.
   */
  learn(params: CreateScreenshotsParams, unfinishedAtMs: number, finishedAtMs: number): void;
}
