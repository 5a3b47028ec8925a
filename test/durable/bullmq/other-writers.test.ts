import type { JobProgress } from "bullmq";
import { ConfigurationError } from "screenshot-sets";
import type { SetData } from "screenshot-sets/bullmq";
import { expect } from "vitest";
import { QueueScene, redisTest as test } from "../../helpers/queue-scene.js";

test("a job whose progress names a paid job, and nothing else does, goes on with that", async () => {
  const scene = new QueueScene({ lifecycle: { queued: 1, running: 0, unit: "polls" } });
  const { job, end } = await scene.add();
  const credits = { cost: 10, remaining: 90 };
  const { jobId } = await scene.client.screenshots.create(job.data.params);
  await job.updateProgress({ jobId, status: "queued", credits } as JobProgress);
  scene.work();
  expect((await end).job.returnvalue).toMatchObject({ id: jobId, credits });
  expect((await scene.stored(job.id)).data.state).toMatchObject({ step: "accepted", jobId });
  expect(scene.mock.credits.ledger()).toHaveLength(1);
});

test.each([{ state: { step: "paid" } }, null])(
  "a paid set whose data becomes %j ends with its result",
  async (data) => {
    const scene = new QueueScene({ lifecycle: "manual" });
    const { job, end } = await scene.accepted();
    await job.updateData(data as unknown as SetData);
    const polls = () => scene.mock.requests({ operation: "getJob" }).length;
    const pollsBefore = polls();
    await expect.poll(polls).toBeGreaterThan(pollsBefore + 2);
    scene.mock.jobs.succeed("job_1");
    expect((await end).job.returnvalue).toMatchObject({ id: "job_1" });
    expect(scene.mock.credits.ledger()).toHaveLength(1);
  },
);

test.each([{}, { state: null }])(
  "a job that deduplication would remove while its set waits is refused before anything is sent, with %j",
  async (data) => {
    const scene = new QueueScene();
    scene.work();
    const { end } = await scene.add(data, { deduplication: { id: "order-7", replace: true } });
    const { error } = await end;
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ charged: "no", message: expect.stringContaining("deduplication: { id }") });
    expect(scene.mock.requests({ operation: "createScreenshots" })).toEqual([]);
  },
);

test("an order that is deduplicated while its set waits is paid once", async () => {
  const scene = new QueueScene({ lifecycle: "manual" });
  const deduplication = { id: "order-7" };
  const { job, end } = await scene.accepted({ deduplication });
  await expect.poll(async () => (await scene.stored(job.id)).getState()).toBe("delayed");
  const again = await scene.queue.add("set", job.data, { deduplication });
  expect(again.id).toBe(job.id);
  scene.mock.jobs.succeed("job_1");
  await end;
  expect(scene.mock.credits.ledger()).toHaveLength(1);
});
