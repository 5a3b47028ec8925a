import type { CreateScreenshotsParams } from "../types.js";
import type { PollDelays } from "./poll-delay.js";

/**
 * What a client offers those who wait for its sets by themselves. In the global registry, as each entry point has a
 * copy of this file.
 */
export const pace: unique symbol = Symbol.for("screenshot-sets.pace");

/** When to look at a set again, by how long others took. Times are in milliseconds since a set was accepted. */
export interface Pace {
  /** The time in milliseconds since 1970 (UTC), which passes as on the client's clock. */
  now(): number;
  /** How long to wait before the next look at a set that was created with `params`, with jitter. */
  delayMs(params: CreateScreenshotsParams, elapsedMs: number, delays: PollDelays): number;
  /**
   * Takes in that a look found a set unfinished at one time, and the next one found it finished. For looks that came
   * when the service asked for them there is nothing to take in: they tell when that was, not how long jobs take.
   */
  learn(params: CreateScreenshotsParams, unfinishedAtMs: number, finishedAtMs: number): void;
}
