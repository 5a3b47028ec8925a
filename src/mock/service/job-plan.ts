import { isRecord } from "../../schema/parse.js";
import { checkLifecycle, checkOptions } from "../checks.js";
import type { Lifecycle } from "./lifecycle.js";

/** How an accepted job proceeds and ends. */
export interface JobPlan {
  /** How the job ends. */
  outcome: "succeeded" | "failed";
  /** @default the account's */
  lifecycle?: Lifecycle | undefined;
  /**
   * The `error` of a failed job.
   * @default {}, because the service does not document its fields
   */
  error?: Record<string, unknown> | undefined;
  /**
   * The slides of a succeeded job, returned as given.
   * @default the requested number of slides, made by `undocumented.slide`
   */
  slides?: readonly unknown[] | undefined;
}

const planFields = { outcome: 0, lifecycle: 0, error: 0, slides: 0 } satisfies Record<keyof JobPlan, 0>;

/** @throws TypeError if the plan is invalid */
export function checkPlan(plan: JobPlan): void {
  checkOptions("`mock.nextJob`", plan, planFields);
  const { outcome, lifecycle, error, slides } = plan;
  if (outcome !== "succeeded" && outcome !== "failed") {
    throw new TypeError('Expected `outcome` to be "succeeded" or "failed"');
  }
  if (lifecycle !== undefined) checkLifecycle(lifecycle);
  checkJobError(error);
  if (slides !== undefined && !Array.isArray(slides)) throw new TypeError("Expected `slides` to be an array");
}

/** @throws TypeError if the `error` for a job is given but not an object */
export function checkJobError(error: unknown): void {
  if (error !== undefined && !isRecord(error)) throw new TypeError("Expected `error` to be an object");
}
