import { LearnedPlan } from "./learned-plan.js";
import type { CreateScreenshotsParams } from "./types.js";

/** Kinds of jobs that are told apart; one that was not asked for longest makes room. */
const mostKinds = 16;

/** What jobs are told apart by; a later document may have it no longer. */
interface SetKind {
  device?: unknown;
  count?: unknown;
  narrativeId?: unknown;
}

/**
 * The poll plans of a client. Jobs that it created are told apart by what they plan, because ten slides may take
 * longer than one; kinds that were seen little share what all of them taught.
 */
export class PlansByKind {
  readonly #all = new LearnedPlan();
  readonly #kinds = new Map<string, LearnedPlan>();
  /** For jobs that were created elsewhere: since when they run is not known, so they teach the others nothing. */
  readonly others = new LearnedPlan();

  /** The plan for a job that this client created with `params`. Its kind is the last to make room from here on. */
  of(params: CreateScreenshotsParams): LearnedPlan {
    const { device, count, narrativeId }: SetKind = params;
    // The service ignores `count` beside a narrative (section 4.2 of its document).
    const kind = `${device} ${typeof narrativeId === "string" ? JSON.stringify(narrativeId) : count}`;
    const plan = this.#kinds.get(kind) ?? new LearnedPlan(this.#all);
    this.#kinds.delete(kind);
    this.#kinds.set(kind, plan);
    const [oldest] = this.#kinds.keys();
    if (oldest !== undefined && this.#kinds.size > mostKinds) this.#kinds.delete(oldest);
    return plan;
  }
}
