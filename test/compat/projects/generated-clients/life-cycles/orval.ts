import { createApp, createScreenshots, getJob } from "../clients/orval";

/** From a store URL to the slides, as with any client that orval makes. Its base URL is generated into it. */
export async function planSet(_baseUrl: string, apiKey: string): Promise<unknown[]> {
  const init = { headers: { "x-api-key": apiKey } };
  const app = await createApp({ iosUrl: "https://apps.apple.com/us/app/example/id1234567890" }, init);
  if (app.status !== 200) throw new Error(`createApp was answered with ${app.status}`);
  const accepted = await createScreenshots({ appId: app.data.appId, device: "iphone-69", count: 3 }, init);
  if (accepted.status !== 201) throw new Error(`createScreenshots was answered with ${accepted.status}`);
  for (;;) {
    const job = await getJob(accepted.data.jobId, init);
    if (job.status !== 200) throw new Error(`getJob was answered with ${job.status}`);
    if (job.data.status === "succeeded") return job.data.result?.slides ?? [];
  }
}

/** What a request with this key is answered. */
export async function statusWith(_baseUrl: string, apiKey: string): Promise<number | undefined> {
  const { status } = await getJob("job_1", { headers: { "x-api-key": apiKey } });
  return status;
}
