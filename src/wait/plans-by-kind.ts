import type { CreateScreenshotsParams } from "../types.js";
import { LearnedPlan } from "./learn/learned-plan.js";

/** Kinds of jobs that are told apart; one that was not asked for longest makes room. */
const mostKinds = 16;

/** What jobs are told apart by; a later document may have it no longer. */
interface SetKind {
  device?: unknown;
  count?: unknown;
  narrativeId?: unknown;
}

/** What kind of job a create with `params` plans: ten slides may take longer than one. */
export function kindOf(params: CreateScreenshotsParams): string {
  const { device, count, narrativeId }: SetKind = params;
  // The service ignores `count` beside a narrative (section 4.2 of its document).
  return `${device} ${typeof narrativeId === "string" ? JSON.stringify(narrativeId) : count}`;
}

/** The poll plans of a client: one for each kind of job. Kinds that were seen little share what all of them taught. */
export class PlansByKind {
  readonly #all = new LearnedPlan();
  readonly #kinds = new Map<string, LearnedPlan>();
  /** For jobs that were created elsewhere: since when they run is not known, so they teach the others nothing. */
  readonly #others = new LearnedPlan();

  /**
   * The plan for a job. Its kind is the last to make room from here on.
   *
   * @param kind undefined for a job that was created elsewhere
   */
  of(kind: string | undefined): LearnedPlan {
    if (kind === undefined) return this.#others;
    const plan = this.#kinds.get(kind) ?? new LearnedPlan(this.#all);
    this.#kinds.delete(kind);
    this.#kinds.set(kind, plan);
    if (this.#kinds.size > mostKinds) {
      const [oldest] = this.#kinds.keys();
      this.#kinds.delete(oldest as string);
    }
    return plan;
  }
}
