import { DelayedError } from "bullmq";
import { ConfigurationError } from "screenshot-sets";
import type { SetData } from "screenshot-sets/bullmq";
import { expect } from "vitest";
import { QueueScene, stores, redisTest as test } from "../../helpers/queue-scene.js";
import { rejection } from "../../helpers/rejection.js";

test.each(stores)(
  "a set that was ordered from another service is refused and nothing is sent, on %s",
  async (_, queueOf) => {
    const scene = new QueueScene({ lifecycle: "manual" });
    const { baseUrl } = scene.mock.clientOptions;
    const [moved, sent]: [string, string[]] = ["https://moved.example/api/v1", []];
    const fetch: typeof globalThis.fetch = async (url, init) => {
      sent.push(String(url));
      return scene.mock.fetch(String(url).replace(moved, baseUrl), init);
    };
    const elsewhere = scene.client.withOptions({ baseUrl: moved, fetch });
    const { job, step } = await scene.taken();
    const queue = queueOf(scene);
    await expect(step({ queue })).rejects.toBeInstanceOf(DelayedError);

    const error = await rejection(step({ queue, client: elsewhere }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain(
      `job "${job.id}" was ordered from ${baseUrl}, and the client's address is ${moved}`,
    );
    expect(error.message).toContain("change `state.baseUrl` in the job's data");
    expect(sent).toEqual([]);

    const { data } = await scene.stored(job.id);
    const state = { ...data.state, baseUrl: moved } as unknown as SetData["state"];
    await job.updateData({ ...data, state } as SetData);
    await expect(step({ queue, client: elsewhere })).rejects.toBeInstanceOf(DelayedError);
    expect(sent).toEqual([`${moved}/public/v1/jobs/job_1`]);
  },
);

test("a set whose data was written anew is known by its record to be ordered from another service", async () => {
  const scene = new QueueScene({ lifecycle: "manual" });
  const { job, step } = await scene.taken();
  await expect(step()).rejects.toBeInstanceOf(DelayedError);
  await job.updateData({ params: job.data.params });
  const client = scene.client.withOptions({ baseUrl: "https://moved.example/api/v1" });
  expect(await rejection(step({ client }))).toBeInstanceOf(ConfigurationError);
  expect(scene.mock.credits.used).toBe(10);
});
