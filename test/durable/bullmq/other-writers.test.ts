import type { JobProgress } from "bullmq";
import { ConfigurationError } from "screenshot-sets";
import type { SetData } from "screenshot-sets/bullmq";
import { expect } from "vitest";
import { QueueScene, redisTest as test, told } from "../../helpers/queue-scene.js";

test("a job whose progress names a paid job, and nothing else does, goes on with that", async () => {
  const scene = new QueueScene({ lifecycle: "instant" });
  const { job, end } = await scene.add();
  const credits = { cost: 10, remaining: 90 };
  const { jobId } = await scene.client.screenshots.create(job.data.params);
  await job.updateProgress({ jobId, status: "queued", credits } as JobProgress);
  scene.work();
  const { error } = await end;
  expect(error).toBeUndefined();
  expect((await scene.stored(job.id)).returnvalue).toMatchObject({ id: jobId, credits });
  expect(scene.mock.credits.ledger()).toHaveLength(1);
});

test.each<[string, unknown]>([
  ["nothing but a note", { note: "urgent" }],
  ["a state that is none", { state: { step: "paid" } }],
  ["null", null],
])("a paid set whose data becomes %s ends with its result", async (_, data) => {
  const scene = new QueueScene({ lifecycle: "manual" });
  const worker = scene.work();
  const accepted = told(worker, "progress");
  const { job, end } = await scene.add();
  await accepted;
  await job.updateData(data as SetData);
  scene.mock.jobs.succeed("job_1");
  expect((await end).job.returnvalue).toMatchObject({ id: "job_1" });
  expect(scene.mock.credits.ledger()).toHaveLength(1);
});

test.each([{ ttl: 60_000, extend: true }, {}])(
  "a job that deduplication would remove while its set waits is refused before anything is sent (%j)",
  async (others) => {
    const scene = new QueueScene();
    scene.work();
    const deduplication = { id: "order-7", replace: true, ...others };
    const { error } = await (await scene.add({}, { deduplication })).end;
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ charged: "no", message: expect.stringContaining("deduplication: { id }") });
    expect(scene.mock.requests({ operation: "createScreenshots" })).toEqual([]);
  },
);

test("an order that is deduplicated while its set waits is paid once", async () => {
  const scene = new QueueScene({ lifecycle: "manual" });
  const worker = scene.work();
  const accepted = told(worker, "progress");
  const deduplication = { id: "order-7" };
  const { job, end } = await scene.add({}, { deduplication });
  await accepted;
  await expect.poll(async () => (await scene.stored(job.id)).getState()).toBe("delayed");
  const again = await scene.queue.add("set", job.data, { deduplication });
  expect(again.id).toBe(job.id);
  scene.mock.jobs.succeed("job_1");
  await end;
  expect(scene.mock.credits.ledger()).toHaveLength(1);
});
