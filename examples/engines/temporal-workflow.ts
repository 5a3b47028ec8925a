/**
 * A workflow of Temporal, which keeps the record itself. Tests check its types and bundle it, as Temporal does, but have no
 * server to run it.
 */
import { proxyActivities, sleep } from "@temporalio/workflow";
import { type CreateScreenshotsParams, isTerminal, type Job, pollDelayMs } from "screenshot-sets";
import type * as activities from "./temporal-activities.js";

// One attempt: a create whose worker died may have been charged.
const { create } = proxyActivities<typeof activities>({
  retry: { maximumAttempts: 1 },
  startToCloseTimeout: "2m",
});
const { look } = proxyActivities<typeof activities>({ startToCloseTimeout: "2m" });

export async function planSet(params: CreateScreenshotsParams): Promise<Job> {
  const { jobId } = await create(params);
  for (const startedAt = Date.now(); ; ) {
    const job = await look(jobId);
    if (isTerminal(job)) return job;
    await sleep(pollDelayMs(Date.now() - startedAt));
  }
}
