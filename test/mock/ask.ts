import type { ScreenshotSets } from "screenshot-sets";
import { createMock, type MockAccount, type MockOptions } from "screenshot-sets/mock";

/** Requests to a mock as someone without the SDK would send them. */
export function asking({ clientOptions }: MockAccount) {
  const { apiKey, baseUrl, fetch } = clientOptions;
  const listing = { iosUrl: "https://apps.apple.com/us/app/example/id1234567890" };

  /** Sends a body as POST, and nothing as GET. */
  function send(path: string, body?: unknown, init: RequestInit = {}) {
    return fetch(baseUrl + path, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${apiKey}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...init,
    });
  }

  /** What is answered: its status, and its body from JSON. */
  async function ask(path: string, body?: unknown, init?: RequestInit) {
    const response = await send(path, body, init);
    return { status: response.status, body: await response.json() };
  }

  const createApp = async (): Promise<string> => (await ask("/public/v1/apps", listing)).body.appId;
  const createSet = async (appId: string, more: object = {}, init?: RequestInit) =>
    ask("/public/v1/screenshots", { appId, device: "iphone-69", count: 3, ...more }, init);

  return {
    send,
    ask,
    createApp,
    createSet,
    /** The id of a job that was accepted. */
    async createJob(more?: object): Promise<string> {
      return (await createSet(await createApp(), more)).body.jobId;
    },
    look: (jobId: string, init?: RequestInit) => ask(`/public/v1/jobs/${jobId}`, undefined, init),
    listing,
  };
}

/** A mock, and requests to it. */
export function openMock(options?: MockOptions) {
  const mock = createMock(options);
  return { mock, ...asking(mock) };
}

/** The main job of a client: a set of a new app. */
export async function planSet(client: ScreenshotSets) {
  const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/app/id1" });
  return client.screenshots.createAndWait({ appId, device: "iphone-69" });
}

/** When the mock's clock begins. */
export const start = Date.UTC(2026, 0, 1);

export const second = 1_000;
export const minute = 60_000;
export const day = 86_400_000;
