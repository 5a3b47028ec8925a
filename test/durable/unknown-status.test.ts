import { type Job, ScreenshotSets } from "screenshot-sets";
import { stepSet } from "screenshot-sets/durable";
import { createMock } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { rejection } from "../helpers/rejection.js";
import { job } from "../helpers/wait-scene.js";

const error = { message: "no listing" };
const result = { device: "iphone-69", slides: [] };

test("a set whose job has an unknown status fails with an error, succeeds with a result, and else waits", async () => {
  expect(await rejection(lookAt({ error }))).toMatchObject({ name: "JobFailedError", charged: "yes" });
  expect(await lookAt({ result })).toMatchObject({
    status: "succeeded",
    job: { status: "archived", result },
  });
  expect(await lookAt({})).toMatchObject({ status: "waiting" });
});

/** The second step of a set, which finds a job of an unknown status. */
async function lookAt(more: object) {
  const found = { ...job("job_1", "archived"), ...more } as unknown as Job;
  const mock = createMock();
  const fetch: typeof globalThis.fetch = async (url, init) =>
    init?.method === "POST" ? mock.fetch(url, init) : Response.json(found);
  const client = new ScreenshotSets({ ...mock.clientOptions, fetch });
  const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
  const params = { appId, device: "iphone-69" } as const;
  const first = await stepSet(client, { params, state: undefined }, () => {});
  return stepSet(client, { params, state: (first as { state: unknown }).state as never }, () => {});
}
