import type { Clock } from "../time/clock.js";
import { type ClockHooks, clockLead, clockResets } from "../time/clock-hooks.js";
import type { CreateScreenshotsParams } from "../types.js";
import type { LearnedPlan } from "./learn/learned-plan.js";
import type { Pace } from "./pace.js";
import { kindOf, PlansByKind } from "./plans-by-kind.js";
import { drawJitter } from "./poll-delay.js";

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

  /** When to poll jobs that are not waited for by this client. */
  readonly pace: Omit<Pace, "ready" | "sleep" | "warn"> = {
    now: () => Date.now() + (this.#clock[clockLead] ?? 0),
    delayMs: (params, elapsedMs, delays) =>
      this.plans.of(kindOf(params)).delayMs(elapsedMs, drawJitter(), delays),
    learn: (params, ...times) => this.plans.of(kindOf(params)).learn(...times),
  };

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
