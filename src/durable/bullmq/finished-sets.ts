import type { Queue } from "bullmq";
import type { Pace } from "../../wait/pace.js";
import type { SetJob } from "./set-job.js";

/** How many of the sets that finished last are looked at. */
const mostJobs = 100;

/** How often, at the most. */
const pauseMs = 5_000;

/** What finished sets of the whole queue teach this process about how long jobs take. */
export class FinishedSets {
  readonly #queue: Pick<Queue, "getRanges" | "getJob">;
  readonly #pace: Pace;
  /** Those that have taught it, by the ids of their jobs. */
  #known = new Set<string>();
  #nextAt = Number.NEGATIVE_INFINITY;

  constructor(queue: Pick<Queue, "getRanges" | "getJob">, pace: Pace) {
    this.#queue = queue;
    this.#pace = pace;
  }

  /** Takes in that this process saw a set finish, which has taught it. */
  add(jobId: string): void {
    this.#known.add(jobId);
  }

  /** Learns from the sets that finished since the last time, some seconds after it. */
  async learn(): Promise<void> {
    const now = performance.now();
    if (now < this.#nextAt) return;
    this.#nextAt = now + pauseMs;
    const newest = await this.#queue.getRanges(["completed"], 0, mostJobs - 1);
    const unknown = newest.filter((id) => !this.#known.has(id));
    this.#known = new Set(newest);
    // The oldest first, as they happened.
    for (const job of await Promise.all(unknown.reverse().map((id) => this.#queue.getJob(id)))) {
      if (job) this.#learnFrom(job);
    }
  }

  #learnFrom({ data, processedOn }: SetJob): void {
    const { params, state } = data ?? {};
    if (state?.step !== "accepted" || state.unfinishedAt === undefined || processedOn === undefined) return;
    this.#pace.learn(params, state.unfinishedAt - state.at, processedOn - state.at);
  }
}
