import type { ScreenshotSets } from "../client.js";
import { checkClient } from "../durable/step.js";
import { Batch } from "./batch.js";
import { type BatchOptions, checkedBatchOptions } from "./batch-options.js";
import type { SetOutcome } from "./set-outcome.js";

/**
 * Plans many sets, each charged at most once, within a budget. Run it again with the same store after a crash, an abort
 * or a failure: it goes on where it was. The work begins with the first `next()`.
 *
 * The iteration has one outcome for each set, in the order of their ends. Leaving it starts nothing more; what was
 * accepted is in the store, and the next run goes on with it.
 *
 * @throws {ConfigurationError} for a wrong option, at once; for a set that was ordered with other parameters before,
 *   from the iteration, before anything is sent
 * @throws {AuthenticationError} from the iteration, for a 401
 * @throws what the store rejects with, from the iteration. A set whose acceptance could not be stored is in the outcomes
 *   as `waiting`, with its `jobId`, and the iteration then ends with its `CreateInterruptedError`
 */
export function runBatch(
  client: Pick<ScreenshotSets, "screenshots" | "jobs">,
  options: BatchOptions,
): AsyncGenerator<SetOutcome, void, void> {
  checkClient(client);
  return new Batch(client, checkedBatchOptions(options)).outcomes();
}
