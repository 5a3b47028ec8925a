import { randomUUID } from "node:crypto";
import { DelayedError, Queue, RateLimitError } from "bullmq";
import { createProcessor } from "screenshot-sets/bullmq";
import { expect, onTestFinished } from "vitest";
import { QueueScene, redisConnection, redisTest as test, told } from "../../helpers/queue-scene.js";

test("a 429 stops the whole queue for as long as it says", async () => {
  const scene = new QueueScene({ lifecycle: "instant" });
  scene.mock.fault({ status: 429, retryAfter: 3_600 }, { operation: "createScreenshots" });
  const worker = scene.work();
  const active = told(worker, "active");
  const first = await scene.add();
  await active;
  await worker.close();
  const others = await Promise.all([scene.add(), scene.add()]);
  expect((await scene.stored(first.job.id)).data).toEqual({ params: first.job.data.params });
  expect(await scene.queue.getRateLimitTtl()).toBeGreaterThan(3_500_000);
  const asked = await scene.asked();
  expect(await asked.getNextJob("token", { block: false })).toBeUndefined();

  await scene.resume();
  scene.work({ concurrency: 3 });
  const ends = await Promise.all([first, ...others].map(({ end }) => end));
  expect(ends.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
  expect(scene.mock.credits.ledger()).toHaveLength(3);
});

test.each([[[3_600, 1, 30]], [[1, 3_600, 30]], [[1, 30, 3_600]]])(
  "of 429s that say %j in several processes, the longest counts, also without a `limiter`",
  async (seconds) => {
    const scene = new QueueScene();
    for (const retryAfter of seconds) {
      scene.mock.fault({ status: 429, retryAfter }, { operation: "createScreenshots" });
    }
    const asked = await scene.asked({ limiter: undefined as never });
    const steps = seconds.map(async (_, index) => {
      await scene.add();
      const token = `token-${index}`;
      const job = await asked.getNextJob(token);
      const queue = new Queue(scene.queue.name, { connection: redisConnection() });
      onTestFinished(() => queue.close());
      await queue.waitUntilReady();
      return () => createProcessor(scene.client, { queue })(job as never, token);
    });
    for (const step of await Promise.all(steps)) await expect(step()).rejects.toBeInstanceOf(RateLimitError);
    expect(await scene.queue.getRateLimitTtl()).toBeGreaterThan(3_500_000);
  },
);

test.each([
  { max: 1, what: "is used up counts on", least: 50_000, most: 60_000 },
  { max: 100, what: "has room gives way to the 429", least: 1, most: 1_000 },
])("the window of a limiter that $what", async ({ max, least, most }) => {
  const scene = new QueueScene();
  scene.mock.fault({ status: 429, retryAfter: 1 }, { operation: "createScreenshots" });
  await scene.add();
  const worker = scene.work({ limiter: { max, duration: 60_000 } });
  await expect.poll(() => scene.queue.getRateLimitTtl(Number.MAX_SAFE_INTEGER)).toBeGreaterThan(0);
  const left = await scene.queue.getRateLimitTtl(Number.MAX_SAFE_INTEGER);
  expect(left).toBeGreaterThanOrEqual(least);
  expect(left).toBeLessThanOrEqual(most);
  await worker.close();
});

test("a 429 for a look keeps the acceptance", async () => {
  const scene = new QueueScene({ lifecycle: "instant" });
  scene.mock.fault({ status: 429, retryAfter: 0 }, { operation: "getJob" });
  scene.work();
  const { job } = await (await scene.add()).end;
  expect(job.returnvalue).toMatchObject({ id: "job_1" });
  expect(scene.mock.credits.ledger()).toHaveLength(1);
});

test("a set on a queue that is not on Redis is charged once, and stops it after a 429", async () => {
  const scene = new QueueScene();
  const token = randomUUID();
  const processor = createProcessor(scene.client, { queue: scene.queueWithoutRedis });
  scene.mock.fault({ status: 429, retryAfter: 3_600 }, { operation: "createScreenshots" });
  await scene.add();
  const job = await scene.start(token);
  await expect(processor(job as never, token)).rejects.toBeInstanceOf(RateLimitError);
  expect(await scene.queue.getRateLimitTtl()).toBeGreaterThan(3_500_000);
  await expect(processor(job as never, token)).rejects.toBeInstanceOf(DelayedError);
  expect((await scene.stored(job.id)).data.state).toMatchObject({ step: "accepted", jobId: "job_1" });
  expect(scene.mock.credits.ledger()).toHaveLength(1);
});
