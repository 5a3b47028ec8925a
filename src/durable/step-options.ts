import { ConfigurationError } from "../errors/errors.js";
import { unknownOption } from "../nearest-name.js";
import { checkedMs } from "../options.js";
import { checkedDelays, type PollDelayOptions, type PollDelays } from "../wait/poll-delay.js";

/** Options of `stepSet`. */
export interface StepOptions extends PollDelayOptions {
  /**
   * How long the job may run, in milliseconds from its acceptance. A step that finds it unfinished after that rejects
   * with a `JobTimeoutError`.
   * @default 86_400_000
   */
  timeoutMs?: number | undefined;
}

/** The options of a step as they are used. */
export interface StepLimits extends PollDelays {
  timeoutMs: number;
}

const dayMs = 86_400_000;
const names = ["minDelayMs", "maxDelayMs", "timeoutMs"];

/** @throws {ConfigurationError} for what makes no sense */
export function checkedStepOptions(options: StepOptions): StepLimits {
  if (typeof options !== "object" || options === null) {
    throw new ConfigurationError("Expected the options of `stepSet` to be an object.");
  }
  const unknown = unknownOption("`stepSet`", options, names);
  if (unknown) throw new ConfigurationError(unknown);
  const { timeoutMs = dayMs } = options;
  return { ...checkedDelays(options), timeoutMs: checkedMs("timeoutMs", timeoutMs) };
}
