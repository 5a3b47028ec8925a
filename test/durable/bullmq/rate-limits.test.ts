import { DelayedError, RateLimitError } from "bullmq";
import { expect } from "vitest";
import { QueueScene, redisTest as test, told } from "../../helpers/queue-scene.js";

test("a 429 stops the whole queue for as long as it says", async () => {
  const scene = new QueueScene({ lifecycle: "instant" });
  scene.mock.fault({ status: 429, retryAfter: 3_600 }, { operation: "createScreenshots" });
  const worker = scene.work();
  const active = told(worker, "active");
  const first = await scene.add();
  await active;
  await worker.close();
  const second = await scene.add();
  expect((await scene.stored(first.job.id)).data).toEqual({ params: first.job.data.params });
  expect(await scene.queue.getRateLimitTtl()).toBeGreaterThan(3_500_000);
  const taker = await scene.taker();
  expect(await taker.getNextJob("token", { block: false })).toBeUndefined();

  await scene.queue.removeRateLimitKey();
  scene.work();
  const ends = await Promise.all([first.end, second.end]);
  expect(ends.map(({ error }) => error)).toEqual([undefined, undefined]);
  expect(scene.mock.credits.ledger()).toHaveLength(2);
});

test("the longest of several 429s counts, also without a `limiter`", async () => {
  const scene = new QueueScene();
  for (const retryAfter of [30, 3_600, 1]) {
    scene.mock.fault({ status: 429, retryAfter }, { operation: "createScreenshots" });
    const { step } = await scene.taken({}, { limiter: undefined as never });
    await expect(step()).rejects.toBeInstanceOf(RateLimitError);
  }
  expect(await scene.queue.getRateLimitTtl()).toBeGreaterThan(3_500_000);
});

test.each([
  { max: 1, what: "is used up counts on", least: 50_000, most: 60_000 },
  { max: 100, what: "has room gives way to the 429", least: 1, most: 5_000 },
])("the window of a limiter that $what", async ({ max, least, most }) => {
  const scene = new QueueScene();
  scene.mock.fault({ status: 429, retryAfter: 5 }, { operation: "createScreenshots" });
  await scene.add();
  const worker = scene.work({ limiter: { max, duration: 60_000 } });
  let left = 0;
  const leftMs = async () => (left = await scene.queue.getRateLimitTtl(Number.MAX_SAFE_INTEGER));
  await expect.poll(leftMs).toBeGreaterThan(0);
  expect(left).toBeGreaterThanOrEqual(least);
  expect(left).toBeLessThanOrEqual(most);
  await worker.close();
});

test("a set on a queue that is not on Redis is charged once, and stops it after a 429", async () => {
  const scene = new QueueScene();
  scene.mock.fault({ status: 429, retryAfter: 3_600 }, { operation: "createScreenshots" });
  const { job, step } = await scene.taken();
  const queue = scene.queueWithoutRedis;
  await expect(step({ queue })).rejects.toBeInstanceOf(RateLimitError);
  expect(await scene.queue.getRateLimitTtl()).toBeGreaterThan(3_500_000);
  await expect(step({ queue })).rejects.toBeInstanceOf(DelayedError);
  expect((await scene.stored(job.id)).data.state).toMatchObject({ step: "accepted", jobId: "job_1" });
  expect(scene.mock.credits.ledger()).toHaveLength(1);
});
