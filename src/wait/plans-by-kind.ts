import type { CreateScreenshotsParams } from "../types.js";
import { LearnedPlan } from "./learn/learned-plan.js";

/** Kinds of jobs that are told apart: more than there are devices and counts. */
const mostKinds = 128;

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

  #forgotten = 0;

  /**
   * The plan for a job.
   *
   * @param kind undefined for a job that was created elsewhere
   */
  of(kind: string | undefined): LearnedPlan {
    if (kind === undefined) return this.#others;
    const plan = this.#kinds.get(kind) ?? new LearnedPlan(this.#all);
    if (this.#kinds.size === mostKinds && !this.#kinds.has(kind)) this.#forgetOne();
    this.#kinds.set(kind, plan);
    return plan;
  }

  /** Forgets any kind: were it the oldest, then of some kinds too many, in turn, none would ever be known. */
  #forgetOne(): void {
    const kind = [...this.#kinds.keys()][(this.#forgotten++ * 53) % mostKinds];
    this.#kinds.delete(kind as string);
  }
}
