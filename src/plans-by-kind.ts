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
  #latest: { kind: string; plan: LearnedPlan } | undefined;
  /** For jobs that were created elsewhere: since when they run is not known, so they teach the others nothing. */
  readonly others = new LearnedPlan();

  /** The plan for a job that this client created with `params`. */
  of(params: CreateScreenshotsParams): LearnedPlan {
    const { device, count, narrativeId }: SetKind = params;
    // The service ignores `count` beside a narrative (section 4.2 of its document).
    const kind = `${device} ${typeof narrativeId === "string" ? JSON.stringify(narrativeId) : count}`;
    // Most callers ask for one kind again and again.
    if (this.#latest?.kind !== kind) this.#latest = { kind, plan: this.#find(kind) };
    return this.#latest.plan;
  }

  /** The plan for a kind, which is the last to make room from here on. */
  #find(kind: string): LearnedPlan {
    const plan = this.#kinds.get(kind) ?? new LearnedPlan(this.#all);
    this.#kinds.delete(kind);
    this.#kinds.set(kind, plan);
    const [oldest] = this.#kinds.keys();
    if (oldest !== undefined && this.#kinds.size > mostKinds) this.#kinds.delete(oldest);
    return plan;
  }
}
