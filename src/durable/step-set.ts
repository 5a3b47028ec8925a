import type { ScreenshotSets } from "../client.js";
import { wrongOption } from "../errors/wrong-option.js";
import { readOptions } from "../options/read-options.js";
import type { CreateScreenshotsParams } from "../types.js";
import type { SetState } from "./set-state.js";
import { checkClient, type StepResult, takeStep } from "./step.js";
import { limitsOf, type StepOptions, stepTable } from "./step-options.js";

/**
 * Takes one step of one set: creates it or polls its job once, in at most one request (two if the key was rotated).
 *
 * The service has no idempotency key and no list of jobs, so a record is saved before the create is sent. A step that
 * finds a young record waits, since another step may be at it; one that finds an older record, as a crash leaves it, sends
 * nothing and ends the set with a `CreateInterruptedError`. Young is what is not older than the client's `timeoutMs` (of
 * at most ten minutes) and two minutes.
 *
 * @param set its parameters, and its state as last saved; no state for a new set
 * @param save stores each new state durably before it resolves; `undefined` if the set counts as new again. It should
 *   reject if the stored state is not the one passed in: then only one of two concurrent steps sends.
 * @throws what `save` rejects with before the create is sent; nothing is sent then
 * @throws {CreateInterruptedError} when the set may have been charged, or an outcome of the create could not be saved
 * @throws {JobFailedError} when the job failed
 * @throws {JobTimeoutError} when the job is unfinished `timeoutMs` after it was accepted, and was waited for that long
 * @throws {ConfigurationError} for a malformed argument, or a state that `stepSet` did not write; nothing is sent or
 *   saved
 * @throws {ScreenshotSetsError} any other error that is not transient. With `charged: "no"`, the set counts as new
 *   again; with `charged: "yes"`, the next step polls again
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
  const limits = limitsOf(readOptions("stepSet", options, stepTable));
  const { params, state } = set;
  const stepped = await takeStep({ client, params, state, save, limits });
  if (stepped.status === "succeeded") return stepped;
  return { status: stepped.status, state: stepped.state, delayMs: stepped.delayMs };
}
