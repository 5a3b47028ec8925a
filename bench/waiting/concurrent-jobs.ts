import { setTimeout as sleep } from "node:timers/promises";
import type { JobService } from "./job-service.js";

const tripMs = 20;

/** Many concurrent jobs. Each ends between two times after it was accepted, in no order. */
export class ConcurrentJobs implements JobService {
  readonly #endsAt: Float64Array;
  readonly #fromMs: number;
  readonly #toMs: number;
  #accepted = 0;
  #lateMs = 0;
  looks = 0;

  constructor(count: number, { fromMs, toMs }: { fromMs: number; toMs: number }) {
    this.#endsAt = new Float64Array(count);
    this.#fromMs = fromMs;
    this.#toMs = toMs;
  }

  /** The mean lateness at which ends were seen. It is valid while no ended job is polled again. */
  get meanLateMs(): number {
    return this.#lateMs / this.#accepted;
  }

  accept(): string {
    const job = this.#accepted++;
    const count = this.#endsAt.length;
    const share = ((job * 7919) % count) / count;
    this.#endsAt[job] = performance.now() + this.#fromMs + share * (this.#toMs - this.#fromMs);
    return `job_${job}`;
  }

  async hasEnded(jobId: string): Promise<boolean> {
    const endsAt = this.#endsAt[Number(jobId.slice("job_".length))] as number;
    this.looks++;
    const hasEnded = performance.now() + tripMs / 2 >= endsAt;
    await sleep(tripMs);
    if (hasEnded) this.#lateMs += performance.now() - endsAt;
    return hasEnded;
  }

  answer: JobService["answer"] = () => ({});
}
