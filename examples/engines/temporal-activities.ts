/** The two calls of a set as activities of Temporal. */
import { ApplicationFailure } from "@temporalio/common";
import { type CreateScreenshotsParams, ScreenshotSets, ScreenshotSetsError } from "screenshot-sets";

const client = new ScreenshotSets();

/** Creates the set. Only what certainly charged nothing may be tried again. */
export async function create(params: CreateScreenshotsParams) {
  try {
    return await client.screenshots.create(params);
  } catch (error) {
    if (error instanceof ScreenshotSetsError && error.charged === "no") throw error;
    throw ApplicationFailure.nonRetryable(String(error));
  }
}

export const look = (jobId: string) => client.jobs.get(jobId);
