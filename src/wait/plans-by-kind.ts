import type { CreateScreenshotsParams } from "../types.js";
import { LearnedPlan } from "./learn/learned-plan.js";

/** How many kinds of jobs are kept apart: more than there are combinations of devices and counts. */
const mostKinds = 128;

/** The kind of job that a create with `params` plans, as a short hash: ten slides may take longer than one. */
export function kindOf(params: CreateScreenshotsParams): string {
  // A later document may drop some of these parameters, and the params of an accepted set may be lost.
  const { device, count, narrativeId }: Record<string, unknown> = Object(params);
  // The service ignores `count` beside a narrative.
  const name = `${device} ${typeof narrativeId === "string" ? JSON.stringify(narrativeId) : count}`;
  let hash = 0;
  for (let index = 0; index < name.length; index++)
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193) + 1;
  return (hash >>> 0).toString(36);
}

const [allKinds, noKind] = ["*", "-"];

/** The poll plans of a client, one for each kind of job. Rarely seen kinds fall back on what all kinds taught. */
export class PlansByKind {
  /** Also that of all kinds, and that of jobs created elsewhere, whose unknown start must not teach the others. */
  readonly #plans = new Map<string, LearnedPlan>();

  /** @param now as for `LearnedPlan` */
  constructor(now?: () => number) {
    for (const kind of [allKinds, noKind]) this.#plans.set(kind, new LearnedPlan(undefined, now));
  }

  /**
   * The plan for a job.
   *
   * @param kind undefined for a job that was created elsewhere
   */
  of(kind = noKind): LearnedPlan {
    const known = this.#plans.get(kind);
    if (known) return known;
    const [, , ...kinds] = this.#plans.keys();
    if (kinds.length === mostKinds) this.#plans.delete(kinds[0] as string);
    const plan = new LearnedPlan(this.#plans.get(allKinds));
    this.#plans.set(kind, plan);
    return plan;
  }
}
