import type { Clock } from "../time/clock.js";
import { type ClockHooks, clockResets } from "../time/clock-hooks.js";
import type { CreateScreenshotsParams } from "../types.js";
import type { LearnedPlan } from "./learn/learned-plan.js";
import { kindOf, PlansByKind } from "./plans-by-kind.js";

/** How many jobs this client remembers as its own. */
const rememberedJobs = 10_000;

/** Remembers when this client created its jobs, and how long jobs take. Clients of the same service can share it. */
export class JobMemory {
  readonly #accepted = new Map<string, { at: number; kind: string | undefined }>();
  readonly #clock: Clock & ClockHooks;
  /** Everything learned about how long jobs take since the mock was last reset. */
  plans: PlansByKind;
  #resets: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.plans = this.#newPlans();
    this.#resets = this.#clock[clockResets];
  }

  /** Remembers when a job was created and, if `params` are given, its kind. */
  accepted(jobId: string, params?: CreateScreenshotsParams): void {
    this.forgetIfReset();
    this.#accepted.set(jobId, { at: this.#clock.now(), kind: params && kindOf(params) });
    const [oldest] = this.#accepted.keys();
    if (this.#accepted.size > rememberedJobs) this.#accepted.delete(oldest as string);
  }

  /** When this client created the job, on its clock; `undefined` if it did not, or if the clock was set back since. */
  acceptedAt(jobId: string): number | undefined {
    const at = this.#accepted.get(jobId)?.at;
    return at !== undefined && at <= this.#clock.now() ? at : undefined;
  }

  /** The poll plan learned from jobs of the same kind. */
  planFor(jobId: string): LearnedPlan {
    return this.plans.of(this.#accepted.get(jobId)?.kind);
  }

  /** The poll plan for jobs of a kind, also for those that are not waited for by this client. */
  planOf(params: CreateScreenshotsParams): LearnedPlan {
    return this.plans.of(kindOf(params));
  }

  /** Forgets what was learned before the mock was last reset, for example between two tests. */
  forgetIfReset(): void {
    if (this.#resets === this.#clock[clockResets]) return;
    this.#resets = this.#clock[clockResets];
    this.#accepted.clear();
    this.plans = this.#newPlans();
  }

  #newPlans(): PlansByKind {
    return new PlansByKind(() => this.#clock.now());
  }
}
