import type { JobService } from "./job-service.js";
import type { VirtualTime } from "./virtual-time.js";

const halfTripMs = 50;

/** Runs one job at a time and counts how often it is polled. */
export class SimulatedService implements JobService {
  readonly #time: VirtualTime;
  #endsAt = 0;
  #looks = 0;
  #jobs = 0;

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  /** Waits for a job of this duration with `wait`. Returns how often it polled, and how late it saw the end. */
  async measure(
    durationMs: number,
    wait: (jobId: string) => Promise<unknown>,
  ): Promise<{ looks: number; lateMs: number }> {
    this.#jobs++;
    this.#looks = 0;
    this.#endsAt = this.#time.now() + durationMs;
    await this.#time.passUntil(wait(this.accept()));
    return { looks: this.#looks, lateMs: this.#time.now() - this.#endsAt };
  }

  accept(): string {
    return `job_${this.#jobs}`;
  }

  async hasEnded(): Promise<boolean> {
    this.#looks++;
    await this.#time.sleep(halfTripMs);
    const hasEnded = this.#time.now() >= this.#endsAt;
    await this.#time.sleep(halfTripMs);
    return hasEnded;
  }

  answer: JobService["answer"] = () => ({});
}
