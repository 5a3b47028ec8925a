import type { ScreenshotSets } from "../client.js";
import { wrongOption } from "../errors/wrong-option.js";
import type { CreateScreenshotsParams, SucceededJob } from "../types.js";
import type { SetState } from "./set-state.js";
import { checkClient, takeStep } from "./step.js";
import { checkedStepOptions, type StepOptions } from "./step-options.js";

/** What a step that did not fail comes to. */
export type StepResult =
  | {
      /** Take the next step after `delayMs`. */
      status: "waiting";
      /** The state to take it with; `undefined` where the set is a new one again. */
      state: SetState | undefined;
      /** In milliseconds. */
      delayMs: number;
    }
  | {
      /** The set is planned. */
      status: "succeeded";
      /** Its job. */
      job: SucceededJob;
    };

/**
 * Takes one step of one set and sends one request at most: creates the set, or looks at its job once.
 *
 * The service has no idempotency key and no list of jobs. So a record is written before the create is sent; who finds
 * that record after a crash sends nothing, and the set ends with a `CreateInterruptedError`.
 *
 * @param set its parameters, and its state as it was saved last; nothing for a new set
 * @param save stores the state durably before it resolves; `undefined` where the set is a new one again. It should
 *   reject where the stored state is not the one handed in: then only one of two steps at once sends. The state that a
 *   look resolves to need not be stored, but the delays are better where it is.
 * @throws what `save` rejects with before the create is sent; nothing is sent then
 * @throws {CreateInterruptedError} when the set may have been charged, or was and that could not be saved
 * @throws {JobFailedError} when the job failed
 * @throws {JobTimeoutError} when the job is unfinished `timeoutMs` after it was accepted
 * @throws {ConfigurationError} for a malformed argument, and for a state that `stepSet` has not written; nothing is sent
 *   or saved then
 * @throws {ScreenshotSetsError} any other that does not pass by itself. With `charged: "no"` the set is a new one
 *   again; with `charged: "yes"` the next step looks again
 */
export async function stepSet(
  client: Pick<ScreenshotSets, "screenshots" | "jobs">,
  set: { params: CreateScreenshotsParams; state?: SetState | null | undefined },
  save: (state: SetState | undefined) => unknown,
  options: StepOptions = {},
): Promise<StepResult> {
  checkClient(client);
  if (typeof set !== "object" || set === null) {
    throw wrongOption("the set", "an object such as `{ params, state }`", set);
  }
  if (typeof save !== "function") throw wrongOption("`save`", "a function", save);
  const limits = checkedStepOptions("stepSet", options);
  const { params, state } = set;
  const stepped = await takeStep({ client, params, state, save, limits });
  if (stepped.status === "succeeded") return stepped;
  const { isRateLimited, ...waiting } = stepped;
  return waiting;
}
