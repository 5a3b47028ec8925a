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

test("of several 429s at once, the one that says the longest counts", async () => {
  const scene = new QueueScene({ lifecycle: "instant" });
  for (const retryAfter of [30, 3_600, 1]) {
    scene.mock.fault({ status: 429, retryAfter }, { operation: "createScreenshots" });
  }
  await Promise.all([scene.add(), scene.add(), scene.add()]);
  const worker = scene.work({ concurrency: 3 });
  await expect.poll(() => scene.mock.requests({ operation: "createScreenshots" })).toHaveLength(3);
  await worker.close();
  expect(await scene.queue.getRateLimitTtl()).toBeGreaterThan(3_500_000);
});

test("a 429 does not shorten the stop that another process asked for", async () => {
  const scene = new QueueScene();
  scene.mock.fault({ status: 429, retryAfter: 1 }, { operation: "createScreenshots" });
  await scene.add();
  const asked = await scene.asked();
  const job = await asked.getNextJob("token");
  await scene.stop(3_600_000);
  const step = createProcessor(scene.client, { queue: scene.queue })(job as never, "token");
  await expect(step).rejects.toBeInstanceOf(RateLimitError);
  expect(await scene.queue.getRateLimitTtl()).toBeGreaterThan(3_500_000);
});

test.each([[[3_600, 1, 30]], [[1, 3_600, 30]], [[1, 30, 3_600]]])(
  "of 429s that say %j at once in several processes, the longest counts",
  async (seconds) => {
    const scene = new QueueScene();
    for (const retryAfter of seconds) {
      scene.mock.fault({ status: 429, retryAfter }, { operation: "createScreenshots" });
    }
    const asked = await scene.asked();
    const steps = seconds.map(async (_, index) => {
      await scene.add();
      const token = `token-${index}`;
      const job = await asked.getNextJob(token);
      const queue = new Queue(scene.queue.name, { connection: redisConnection() });
      onTestFinished(() => queue.close());
      await queue.waitUntilReady();
      return () => createProcessor(scene.client, { queue })(job as never, token);
    });
    const ready = await Promise.all(steps);
    await Promise.allSettled(ready.map((step) => step()));
    expect(await scene.queue.getRateLimitTtl()).toBeGreaterThan(3_500_000);
  },
);

test("a 429 stops a queue that a `limiter` counts for longer", async () => {
  const scene = new QueueScene();
  scene.mock.fault({ status: 429, retryAfter: 60 }, { operation: "createScreenshots" });
  const worker = scene.work({ limiter: { max: 100, duration: 3_600_000 } });
  const active = told(worker, "active");
  await scene.add();
  await active;
  await worker.close();
  const stoppedMs = await scene.queue.getRateLimitTtl(Number.MAX_SAFE_INTEGER);
  expect(stoppedMs).toBeGreaterThan(1_000);
  expect(stoppedMs).toBeLessThanOrEqual(60_000);
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
