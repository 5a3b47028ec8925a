import { ApiError, isTerminal, type Job, ScreenshotSets, type SucceededJob } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";

// What the types are to allow and to refuse, wherever they are checked.

export async function main(): Promise<number> {
  const mock = createMock({ allowance: 20 });
  const client = new ScreenshotSets(mock.clientOptions);
  const app = await client.apps.create({
    androidUrl: "https://play.google.com/store/apps/details?id=example",
  });
  const accepted = await client.screenshots.create({ appId: app.appId, device: "ipad-pro" });
  const job: SucceededJob = await client.waitForJob(accepted.jobId);
  const seen: Job = await client.jobs.get(job.id);
  const same = await client.request("GET", "/public/v1/jobs/{id}", { params: { path: { id: job.id } } });
  // @ts-expect-error an app needs a store URL
  await client.apps.create({ extraContext: "none" });
  // @ts-expect-error a job that was just looked at may have no result
  seen.result.slides;
  return isTerminal(seen) && same.id === job.id ? job.result.slides.length : 0;
}

export const statusOf = (error: unknown): number | undefined =>
  error instanceof ApiError ? error.status : undefined;
