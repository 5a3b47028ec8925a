import { createApp, createScreenshots, getJob } from "../clients/hey-api";
import { client } from "../clients/hey-api/client.gen";

/** From a store URL to the slides, as with any client that @hey-api/openapi-ts makes. */
export async function planSet(baseUrl: string, apiKey: string): Promise<unknown[]> {
  client.setConfig({ baseUrl, auth: apiKey });
  const body = { iosUrl: "https://apps.apple.com/us/app/example/id1234567890" };
  const { data: app } = await createApp({ body, throwOnError: true });
  const set = { appId: app.appId, device: "iphone-69", count: 3 } as const;
  const { data: accepted } = await createScreenshots({ body: set, throwOnError: true });
  for (;;) {
    const { data: job } = await getJob({ path: { id: accepted.jobId }, throwOnError: true });
    if (job.status === "succeeded") return job.result?.slides ?? [];
  }
}

/** What a request with this key is answered. */
export async function statusWith(baseUrl: string, apiKey: string): Promise<number | undefined> {
  client.setConfig({ baseUrl, auth: apiKey });
  const { response } = await getJob({ path: { id: "job_1" } });
  return response?.status;
}
