import { milliseconds, readOptions, type Table } from "../options/read-options.js";
import { checkedDelays, delayTable, type PollDelayOptions } from "../wait/poll-delay.js";

/** Options of `stepSet`. */
export interface StepOptions extends PollDelayOptions {
  /**
   * How long the job may run, in milliseconds from its acceptance. A step that finds it unfinished after that rejects
   * with a `JobTimeoutError`, once the delays before its polls add up to about that, too: a clock alone does not end it.
   * @default 86_400_000
   */
  timeoutMs?: number | undefined;
}

/** The options of a step after their checks, with defaults. */
export type StepLimits = ReturnType<typeof checkedStepOptions>;

/** The options of a step. */
export const stepTable = {
  ...delayTable,
  timeoutMs: milliseconds(86_400_000),
} satisfies Table<StepOptions>;

/**
 * @param taker the function that takes the options
 * @throws {ConfigurationError} for a value that makes no sense
 */
export function checkedStepOptions(taker: string, options: StepOptions) {
  const own = readOptions(taker, options, stepTable);
  return { ...checkedDelays(own), timeoutMs: own.timeoutMs };
}
