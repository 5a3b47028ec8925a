import type { Log } from "../secrets/log.js";
import type { Clock } from "../time/clock.js";
import { type ClockHooks, clockLead, clockResets } from "../time/clock-hooks.js";
import type { CreateScreenshotsParams } from "../types.js";
import type { LearnedPlan } from "./learn/learned-plan.js";
import type { Pace } from "./pace.js";
import { kindOf, PlansByKind } from "./plans-by-kind.js";
import { drawJitter } from "./poll-times.js";

/** Jobs that are remembered as this client's own. */
const rememberedJobs = 10_000;

/** What is known of jobs: when which ones were created, and how long they take. Clients of one service can share it. */
export class JobMemory {
  readonly #accepted = new Map<string, { at: number; kind: string | undefined }>();
  readonly #clock: Clock & ClockHooks;
  readonly #log: Log;
  readonly #learned: unknown;
  #plans: PlansByKind;
  #resets: number | undefined;

  /** @param learned what a client's `learned()` gave */
  constructor(clock: Clock, log: Log, learned: unknown = "") {
    this.#clock = clock;
    this.#log = log;
    this.#learned = learned;
    this.#plans = this.#newPlans();
    this.#resets = this.#clock[clockResets];
  }

  /** Remembers when a job was created, and what kind of job that is, where it is known. */
  accepted(jobId: string, params?: CreateScreenshotsParams): void {
    this.forgetIfReset();
    this.#accepted.set(jobId, { at: this.#clock.now(), kind: params && kindOf(params) });
    if (this.#accepted.size > rememberedJobs) {
      const [oldest] = this.#accepted.keys();
      this.#accepted.delete(oldest as string);
    }
  }

  /** When the job was created, on the clock's time; `undefined` for another's. */
  acceptedAt(jobId: string): number | undefined {
    return this.#accepted.get(jobId)?.at;
  }

  /** What was learned of jobs like this one. */
  planFor(jobId: string): LearnedPlan {
    return this.#plans.of(this.#accepted.get(jobId)?.kind);
  }

  /** What was learned of how long jobs take, as text. */
  learned(): string {
    return this.#plans.keep();
  }

  /** When to look at jobs that are waited for elsewhere. */
  readonly pace: Pace = {
    now: () => Date.now() + (this.#clock[clockLead] ?? 0),
    delayMs: (params, elapsedMs, delays) =>
      this.#plans.of(kindOf(params)).delayMs(elapsedMs, drawJitter(), delays),
    learn: (params, ...times) => this.#plans.of(kindOf(params)).learn(...times),
  };

  /** When a mock is reset, as between two tests, what was learned since is gone. */
  forgetIfReset(): void {
    const resets = this.#clock[clockResets];
    if (resets === this.#resets) return;
    this.#resets = resets;
    this.#accepted.clear();
    this.#plans = this.#newPlans();
  }

  #newPlans(): PlansByKind {
    const plans = new PlansByKind(() => this.#clock.now());
    if (!plans.takeBack(this.#learned))
      this.#log.warn("Ignored what makes no sense in the option learned", {});
    return plans;
  }
}
