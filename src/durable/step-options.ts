import { checkedMs, checkedOptions } from "../options/checked-options.js";
import { checkedDelays, type PollDelayOptions } from "../wait/poll-delay.js";

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

const dayMs = 86_400_000;

/** The names of all options of a step. */
export const stepOptionNames: Record<keyof StepOptions, true> = {
  minDelayMs: true,
  maxDelayMs: true,
  timeoutMs: true,
};

/**
 * @param taker the function that takes the options
 * @throws {ConfigurationError} for a value that makes no sense
 */
export function checkedStepOptions(taker: string, options: StepOptions) {
  const own: StepOptions = checkedOptions(taker, options, stepOptionNames);
  const { timeoutMs = dayMs } = own;
  return { ...checkedDelays(own), timeoutMs: checkedMs("timeoutMs", timeoutMs) };
}
