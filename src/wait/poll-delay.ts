import { ConfigurationError } from "../errors/base.js";
import { wrongOption } from "../errors/wrong-option.js";
import { type Checked, milliseconds, optional, readOptions, type Table } from "../options/read-options.js";

/** The shortest and the longest pause between two polls. */
export interface PollDelayOptions {
  /**
   * The shortest delay between two polls, in milliseconds.
   * @default 200, or `maxDelayMs` where that is lower
   */
  minDelayMs?: number | undefined;
  /**
   * The longest delay between two polls, in milliseconds.
   * @default 30_000
   */
  maxDelayMs?: number | undefined;
}

/** The delays of a wait that does not set any. */
export const usualDelays: PollDelays = { minDelayMs: 200, maxDelayMs: 30_000 };

/** `PollDelayOptions` with their defaults. */
export type PollDelays = Record<keyof PollDelayOptions, number>;

/** The delays among the options of a wait or a step. */
export const delayTable = {
  minDelayMs: optional(milliseconds()),
  maxDelayMs: milliseconds(usualDelays.maxDelayMs),
} satisfies Table<PollDelayOptions>;

/** @throws {ConfigurationError} if the shortest delay is longer than the longest */
export function checkedDelays(options: Checked<typeof delayTable>): PollDelays {
  const { maxDelayMs, minDelayMs = Math.min(usualDelays.minDelayMs, maxDelayMs) } = options;
  if (minDelayMs > maxDelayMs) {
    throw new ConfigurationError(
      `Expected \`minDelayMs\` to be at most \`maxDelayMs\`, got ${minDelayMs} and ${maxDelayMs}.`,
    );
  }
  return { minDelayMs, maxDelayMs };
}

/** The shortest pause for a `Retry-After`, in milliseconds, since one of 0 would make polls spin. */
export const shortestRetryAfterMs = 20;

/** The shortest pause otherwise. With a pause of 0, a virtual clock would never advance. */
export const shortestPauseMs = 1;

/** A random factor from 0.9 to 1.1, which spreads the polls of jobs that were created together. */
export const drawJitter = () => 0.9 + 0.2 * Math.random();

/** The pause after the first second of a job, in milliseconds. */
const pauseAfterSecondMs = 600;

/**
 * How long to wait before the next poll of a job that has run for `elapsedMs`. The pause grows with the square root of
 * that time, which keeps polls few and delays short for short and long jobs alike. This is a pure function, so a queue
 * or a durable engine can schedule with it.
 *
 * @param elapsedMs a negative value counts as 0, since the clocks of two machines may differ
 * @returns milliseconds, without jitter
 * @throws {ConfigurationError} for a number that is NaN, and for an unknown option
 */
export function pollDelayMs(elapsedMs: number, options: PollDelayOptions = {}): number {
  const own = readOptions("pollDelayMs", options, delayTable);
  if (typeof elapsedMs !== "number" || Number.isNaN(elapsedMs)) {
    throw wrongOption("`elapsedMs`", "a number of milliseconds, 0 or more", elapsedMs);
  }
  return unlearnedDelayMs(Math.max(elapsedMs, 0), checkedDelays(own));
}

/** `pollDelayMs` for numbers that were checked already: the delay without learning. */
export function unlearnedDelayMs(elapsedMs: number, { minDelayMs, maxDelayMs }: PollDelays): number {
  const pause = pauseAfterSecondMs * Math.sqrt(elapsedMs / 1000);
  return Math.min(Math.max(pause, minDelayMs), maxDelayMs);
}
