import type { Clock } from "../time/clock.js";
import { resetWatch } from "../time/clock-hooks.js";
import { LearnedPlan } from "./learned-plan.js";

/** How many jobs a client remembers as its own. */
const rememberedJobs = 10_000;

/** When a client created its jobs, and what it learned about how long jobs take. Clients of one service can share it. */
export class JobMemory {
  readonly #clock: Clock;
  readonly #accepted = new Map<string, number>();
  /** Learned from jobs of this client. */
  plan = new LearnedPlan();
  /** Learned from jobs that were created elsewhere: how long they had run before is unknown. */
  #planForOthers = new LearnedPlan();
  readonly #isReset: () => boolean;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#isReset = resetWatch(clock);
  }

  /** Remembers that a job was created just now. */
  accepted(jobId: string): void {
    this.forgetIfReset();
    this.#accepted.set(jobId, this.#clock.now());
    const [oldest] = this.#accepted.keys();
    if (this.#accepted.size > rememberedJobs) this.#accepted.delete(oldest as string);
  }

  /** When this client created the job, on its clock; `undefined` if it did not. */
  acceptedAt(jobId: string): number | undefined {
    return this.#accepted.get(jobId);
  }

  planFor(jobId: string): LearnedPlan {
    return this.#accepted.has(jobId) ? this.plan : this.#planForOthers;
  }

  /** Forgets what happened before the mock was last reset. */
  forgetIfReset(): void {
    if (!this.#isReset()) return;
    this.#accepted.clear();
    this.plan = new LearnedPlan();
    this.#planForOthers = new LearnedPlan();
  }
}
