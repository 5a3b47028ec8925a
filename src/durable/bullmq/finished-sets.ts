import type { Pace } from "../../wait/pace.js";
import type { SetJob, SetQueue } from "./set-queue.js";

/** How many of the latest finished sets are read. */
const mostJobs = 100;

/** The shortest time between two reads, in milliseconds. */
const pauseMs = 5_000;

/** Learns how long jobs take from the finished sets of the whole queue, including those of other processes. */
export class FinishedSets {
  /** The ids of the queue's jobs that this process has already learned from. */
  #known = new Set<string>();
  #nextAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly queue: SetQueue) {}

  /** Records a set that this process saw finish, and has already learned from. */
  add(jobId: string): void {
    this.#known.add(jobId);
  }

  /** Learns from the sets that finished since the last time, at most once in `pauseMs`. */
  async learn(pace: Pace): Promise<void> {
    const now = performance.now();
    if (now < this.#nextAt) return;
    this.#nextAt = now + pauseMs;
    const newest = await this.queue.getRanges(["completed"], 0, mostJobs - 1);
    const unknown = newest.filter((id) => !this.#known.has(id));
    this.#known = new Set(newest);
    // Oldest first, in the order in which they finished.
    for (const job of await Promise.all(unknown.reverse().map((id) => this.queue.getJob(id)))) {
      if (job) learnFrom(pace, job);
    }
  }
}

function learnFrom(pace: Pace, { data, processedOn }: SetJob): void {
  const { params, state } = data ?? {};
  if (state?.step !== "accepted" || state.unfinishedAt === undefined || processedOn === undefined) return;
  pace.learn(params, state.unfinishedAt - state.at, processedOn - state.at);
}
