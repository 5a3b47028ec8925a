import { isTerminal, type Job } from "../index.js";
import type { Progress } from "./progress.js";

/** Options of the commands that wait for a job. */
export const waitOptions = { timeout: { type: "string" } } as const;

/** How `--help` explains them. */
export const waitHelp =
  "  --timeout SECONDS    how long to wait for the job, 600 if not given; it goes on anyway";

/** What the fields of a request about a job are called on the command line. */
export const jobNames = { id: "JOB_ID" };

/** Tells of every change of a job's status. */
export function reportChange(progress: Progress): (job: Job) => void {
  return (job) => {
    if (isTerminal(job)) progress.end(`Job ${job.id} has ${job.status}`);
    else progress.change(`Job ${job.id} is ${(job as Job).status}`);
  };
}
