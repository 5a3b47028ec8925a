import { type RequestOptions, requestTable } from "../options/options.js";
import { type Checked, callback, milliseconds, type Table } from "../options/read-options.js";
import type { Job } from "../types.js";
import { checkedDelays, delayTable, type PollDelayOptions } from "./poll-delay.js";

/** Options of `waitForJob`, `watchJob` and `createAndWait`. */
export interface WaitOptions extends RequestOptions, PollDelayOptions {
  /**
   * The wait's deadline, in milliseconds from its start; in `createAndWait`, from the acceptance.
   * @default 600_000
   */
  timeoutMs?: number | undefined;
  /**
   * How often `createAndWait` retries its create; as in `create`, never where it may have been charged. A wait ignores it:
   * each poll is one request, and after a transient failure the job is polled again until the deadline.
   * @default the client's
   */
  maxRetries?: number | undefined;
  /** Called once per status change. An error that it throws is logged and ignored. */
  onUpdate?: ((job: Job) => void) | undefined;
}

/** The options of a wait. */
export const waitTable = {
  ...requestTable,
  ...delayTable,
  timeoutMs: milliseconds(600_000),
  onUpdate: callback<(job: Job) => void>(),
} satisfies Table<WaitOptions>;

/** The options of a wait after their checks, with defaults. */
export type CheckedWaitOptions = ReturnType<typeof checkedWaitOptions>;

/** What a wait needs of its options. */
export function checkedWaitOptions(own: Checked<typeof waitTable>) {
  const { timeoutMs, signal, headers: given, onResponse, onUpdate } = own;
  const headers = Object.keys(given).length > 0 ? given : undefined;
  return { delays: checkedDelays(own), timeoutMs, signal, headers, onResponse, onUpdate };
}
