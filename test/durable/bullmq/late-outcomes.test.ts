import { DelayedError, type Job } from "bullmq";
import type { ProcessorOptions, SetData } from "screenshot-sets/bullmq";
import { describe, expect } from "vitest";
import { QueueScene, stores, redisTest as test } from "../../helpers/queue-scene.js";
import { rejection } from "../../helpers/rejection.js";
import { shortenStoreRetries } from "../../helpers/short-times.js";

const accepted = { version: 2, step: "accepted", jobId: "job_of_another", at: 1, polls: 0 } as const;

/** How a step ends whose create is answered only after `meanwhile` has happened to its job, and what is stored then. */
async function stepWith(
  scene: QueueScene,
  meanwhile: (job: Job<SetData>) => Promise<unknown>,
  answer = scene.mock.fetch,
  queue: ProcessorOptions["queue"] = scene.queue,
) {
  const { job, step } = await scene.taken({ note: "old" });
  const client = scene.clientThrough(async (...request) => {
    await meanwhile(await scene.stored(job.id));
    return answer(...request);
  });
  const outcome = await rejection(step({ client, queue }));
  return { outcome, data: (await scene.stored(job.id)).data };
}

test("a 402 that comes late does not remove the record of what another worker was charged for, also without Redis", async () => {
  const scene = new QueueScene();
  const refuse = async () => new Response("{}", { status: 402 });
  const payElsewhere = (job: Job<SetData>) => job.updateData({ ...job.data, state: accepted });
  const { outcome, data } = await stepWith(scene, payElsewhere, refuse, scene.queueWithoutRedis);
  expect(outcome).toMatchObject({ status: 402, charged: "no" });
  expect(data.state).toEqual(accepted);
});

test("an acceptance that comes late is not that of a new order under the same id", async () => {
  const scene = new QueueScene();
  const { outcome, data } = await stepWith(scene, async (job) => {
    await scene.expire(job);
    await job.remove();
    const { params } = job.data;
    await scene.queue.add("set", { params: { ...params, count: 7 } }, { jobId: job.id as string });
  });
  expect(outcome).toMatchObject({ charged: "yes", jobId: "job_1" });
  expect(data).toEqual({ params: expect.objectContaining({ count: 7 }) });
});

test.each(stores)(
  "an acceptance that comes late counts where a user has written other data, on %s",
  async (_, queueOf) => {
    const scene = new QueueScene();
    const change = (job: Job<SetData>) => job.updateData({ params: job.data.params, note: "new" } as SetData);
    const { outcome, data } = await stepWith(scene, change, scene.mock.fetch, queueOf(scene));
    expect(outcome).toBeInstanceOf(DelayedError);
    expect(data).toMatchObject({ note: "new", state: { step: "accepted", jobId: "job_1" } });
  },
);

describe("where Redis refuses writes,", () => {
  shortenStoreRetries();

  test("what follows a create is stored once it can be, and a look is tried to be stored once", async () => {
    const scene = new QueueScene({ lifecycle: "manual" });
    const { job, step } = await scene.taken();
    const writes: string[] = [];
    const queue = scene.queueThrough((redis) =>
      scene.aroundWrites(redis, (next, write) => {
        writes.push(next?.step ?? "new");
        const isRefused = next?.step === "accepted" && writes.length < 4;
        if (isRefused || writes.length > 4) throw new Error("READONLY You can't write now.");
        return write();
      }),
    );
    await expect(step({ queue })).rejects.toBeInstanceOf(DelayedError);
    expect(writes).toEqual(["sending", "accepted", "accepted", "accepted"]);
    expect((await scene.stored(job.id)).data.state).toMatchObject({ step: "accepted", jobId: "job_1" });
    await expect(step({ queue })).rejects.toThrow("READONLY");
    expect(writes).toHaveLength(5);
  });

  test("the record of a create that is not sent is removed once it can be", async () => {
    const scene = new QueueScene();
    const { job, step } = await scene.taken();
    let writes = 0;
    const queue = scene.queueThrough((redis) =>
      scene.aroundWrites(redis, async (_, write) => {
        // The first one is stored, and its reply is lost.
        if (++writes === 1) await write();
        if (writes < 4) throw new Error("READONLY You can't write now.");
        return write();
      }),
    );
    await expect(step({ queue })).rejects.toThrow("READONLY");
    expect((await scene.stored(job.id)).data).not.toHaveProperty("state");
    expect(scene.mock.credits.used).toBe(0);
  });
});
