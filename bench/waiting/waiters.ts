import { ours, own, peer } from "../contestants.js";
import { fetchOf, type JobService } from "./job-service.js";

/** Waits for a job: the one with this id, or the one that the service accepts next. */
export type Wait = (jobId: string) => Promise<unknown>;
/** A client of `service`, which waits at its own pace. Its only option is a long enough time-out. */
export type Waiter = (service: JobService) => Promise<Wait>;

const key = "key_0123456789abcdef0123456789abcdef";
const hourMs = 3_600_000;

async function ourClient(service: JobService) {
  const { ScreenshotSets } = await ours();
  service.answer = (hasEnded, jobId) => ({
    jobId,
    credits: { cost: 10, remaining: 90 },
    id: jobId,
    status: hasEnded ? "succeeded" : "running",
    result: hasEnded ? { device: "iphone-69", slides: [] } : null,
    error: null,
  });
  return new ScreenshotSets({
    apiKey: key,
    baseUrl: "https://service.test/api/v1",
    fetch: fetchOf(service),
  });
}

const createAndWait: Waiter = async (service) => {
  const client = await ourClient(service);
  const params = { appId: "app_1", device: "iphone-69", count: 5 } as const;
  return () => client.screenshots.createAndWait(params, { timeoutMs: 2 * hourMs });
};

const waitForJob: Waiter = async (service) => {
  const client = await ourClient(service);
  return (jobId) => client.waitForJob(jobId);
};

const replicate: Waiter = async (service) => {
  type Client = { wait(prediction: object, options: object): Promise<unknown> };
  const { default: Replicate } = await peer<{ default: new (options: object) => Client }>("replicate");
  service.answer = (hasEnded, id) => ({ id, status: hasEnded ? "succeeded" : "processing" });
  const client = new Replicate({ auth: key, fetch: fetchOf(service) });
  return (id) => client.wait({ id, status: "starting" }, {});
};

const fal: Waiter = async (service) => {
  type Queue = { subscribeToStatus(endpoint: string, options: object): Promise<unknown> };
  const { createFalClient } = await peer<{ createFalClient(options: object): { queue: Queue } }>(
    "@fal-ai/client",
  );
  service.answer = (hasEnded, id) => ({ request_id: id, status: hasEnded ? "COMPLETED" : "IN_PROGRESS" });
  const client = createFalClient({ credentials: key, fetch: fetchOf(service) });
  return (requestId) => client.queue.subscribeToStatus("fal-ai/flux", { requestId });
};

const runway: Waiter = async (service) => {
  type Task = { waitForTaskOutput(options: object): Promise<unknown> };
  type Client = { imageToVideo: { create(body: object): Task } };
  const { default: Runway } = await peer<{ default: new (options: object) => Client }>("@runwayml/sdk");
  service.answer = (hasEnded, id) => ({ id, status: hasEnded ? "SUCCEEDED" : "RUNNING", output: [] });
  const client = new Runway({ apiKey: key, fetch: fetchOf(service) });
  const body = { model: "gen4_turbo", promptImage: "https://service.test/a.png", ratio: "1280:720" };
  return () => client.imageToVideo.create(body).waitForTaskOutput({ timeout: null });
};

/** It accepts no `fetch` and uses the global one. */
const assemblyai: Waiter = async (service) => {
  type Client = { transcripts: { waitUntilReady(id: string): Promise<unknown> } };
  const { AssemblyAI } = await peer<{ AssemblyAI: new (options: object) => Client }>("assemblyai");
  service.answer = (hasEnded, id) => ({ id, status: hasEnded ? "completed" : "processing" });
  globalThis.fetch = fetchOf(service);
  const client = new AssemblyAI({ apiKey: key });
  return (id) => client.transcripts.waitUntilReady(id);
};

const openai: Waiter = async (service) => {
  type Files = { poll(vectorStore: string, file: string): Promise<unknown> };
  type Client = { vectorStores: { files: Files } };
  const { default: OpenAi } = await peer<{ default: new (options: object) => Client }>("openai");
  service.answer = (hasEnded, id) => ({ id, status: hasEnded ? "completed" : "in_progress" });
  const client = new OpenAi({ apiKey: key, fetch: fetchOf(service) });
  return (id) => client.vectorStores.files.poll("store_1", id);
};

const azure: Waiter = async (service) => {
  type Reply = { flatResponse: object; rawResponse: { statusCode: number; headers: object; body: object } };
  type Requests = { sendInitialRequest(): Promise<Reply>; sendPollRequest(): Promise<Reply> };
  type Poller = { pollUntilDone(): Promise<unknown> };
  const { createHttpPoller } = await peer<{ createHttpPoller(requests: Requests): Poller }>(
    "@azure/core-lro",
  );
  const reply = (statusCode: number, status: string): Reply => {
    const headers = { "operation-location": "https://service.test/operations/1" };
    const request = { method: "POST", url: "https://service.test/sets" };
    const body = { status };
    return {
      flatResponse: body,
      rawResponse: { statusCode, headers, body, request } as Reply["rawResponse"],
    };
  };
  return (jobId) =>
    createHttpPoller({
      sendInitialRequest: async () => reply(202, "Running"),
      sendPollRequest: async () => reply(200, (await service.hasEnded(jobId)) ? "Succeeded" : "Running"),
    }).pollUntilDone();
};

const smithy: Waiter = async (service) => {
  type Check = () => Promise<{ state: string }>;
  type Create = (options: object, input: object, check: Check) => Promise<unknown>;
  const { createWaiter } = await peer<{ createWaiter: Create }>("@smithy/util-waiter");
  return (jobId) => {
    const check = async () => ({ state: (await service.hasEnded(jobId)) ? "SUCCESS" : "RETRY" });
    return createWaiter({ client: {}, maxWaitTime: (2 * hourMs) / 1000 }, {}, check);
  };
};

/** The waiters by the name of their package. Each waits for the job that it creates, if it can. */
export const waiters: Record<string, Waiter> = {
  [own]: createAndWait,
  replicate,
  "@fal-ai/client": fal,
  "@runwayml/sdk": runway,
  assemblyai,
  openai,
  "@azure/core-lro": azure,
  "@smithy/util-waiter": smithy,
};

/** The waiters that wait for an existing job and do little else. */
export const waitersById: Record<string, Waiter> = {
  [own]: waitForJob,
  replicate,
  "@azure/core-lro": azure,
  "@smithy/util-waiter": smithy,
};
