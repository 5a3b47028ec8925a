import { type Checked, milliseconds, type Table } from "../options/read-options.js";
import { checkedDelays, delayTable, type PollDelayOptions } from "../wait/poll-delay.js";

/** Options of a step, whoever takes it. */
export interface StepLimitOptions extends PollDelayOptions {
  /**
   * How long the job may run, in milliseconds from its acceptance. A step that finds it unfinished after that waits ten
   * minutes with a `JobTimeoutError`, once the delays before its polls add up to about that, too: a clock alone makes no
   * job overdue.
   * @default 86_400_000
   */
  timeoutMs?: number | undefined;
}

/** Options of `stepSet`. */
export interface StepOptions extends StepLimitOptions {
  /**
   * Ends every pause, and nothing is sent after it; the step then rejects with its reason. A create that was sent goes on
   * to its end, which is saved.
   */
  signal?: AbortSignal | undefined;
}

/** The options of a step. */
export const stepTable = {
  ...delayTable,
  timeoutMs: milliseconds(86_400_000),
} satisfies Table<StepLimitOptions>;

/** The options of a step after their checks, with defaults. */
export type StepLimits = ReturnType<typeof limitsOf>;

/** @throws {ConfigurationError} if the shortest delay is longer than the longest */
export function limitsOf(own: Checked<typeof stepTable>) {
  return { ...checkedDelays(own), timeoutMs: own.timeoutMs };
}
