import { wrongOption } from "../../errors/wrong-option.js";
import { endOf, type JobEnd } from "../../job-end.js";
import { type Check, oneOf, optional, type Table } from "../../options/read-options.js";
import { isRecord } from "../../schema/parse.js";
import type { Lifecycle } from "../lifecycle.js";
import { lifecycle, readMockOptions } from "../read-mock-options.js";
import { plainCopy } from "./plain-copy.js";

/** How an accepted job proceeds and ends. */
export interface JobPlan {
  /** How the job ends. */
  outcome: JobEnd;
  /** @default the account's */
  lifecycle?: Lifecycle | undefined;
  /**
   * The `error` of a failed job.
   * @default what the document requires of it
   */
  error?: Record<string, unknown> | undefined;
  /**
   * The slides of a succeeded job, returned as given.
   * @default the requested number of slides, made by `undocumented.slide`
   */
  slides?: readonly unknown[] | undefined;
}

/** The `error` of a failed job: an object, if there is one. */
export const jobError: Check<Record<string, unknown> | undefined> = (given, name) => {
  if (given === undefined || isRecord(given)) return given;
  throw wrongOption(`\`${name}\``, "an object", given);
};

const end = oneOf(["succeeded", "failed"]);

const planTable = {
  outcome: (given, name) => {
    if (typeof given !== "string" || endOf({ status: given })) return end(given, name);
    const advice =
      "Please give the statuses of a job that ends otherwise as `recorded.set.states` to createMock.";
    throw new TypeError(`Expected \`${name}\` to be "succeeded" or "failed", got "${given}". ${advice}`);
  },
  lifecycle: optional(lifecycle),
  error: jobError,
  slides: (given: readonly unknown[] | undefined, name) => {
    if (given === undefined || Array.isArray(given)) return given;
    throw wrongOption(`\`${name}\``, "an array", given);
  },
} satisfies Table<JobPlan>;

/**
 * Checks a plan and returns a copy of it.
 *
 * @throws TypeError if the plan is invalid
 */
export const checkedPlan = (plan: JobPlan): JobPlan =>
  plainCopy(readMockOptions("mock.nextJob", plan, planTable));
