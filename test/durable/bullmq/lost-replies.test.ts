import { DelayedError, Queue } from "bullmq";
import type { SetData } from "screenshot-sets/bullmq";
import { expect, onTestFinished } from "vitest";
import { losingProxy } from "../../helpers/losing-proxy.js";
import { QueueScene, redisConnection, redisTest as test } from "../../helpers/queue-scene.js";

test.each([1, 4])(
  "a set completes, charged once, whichever reply of Redis about it is lost, with %i workers",
  async (workers) => {
    const scene = new QueueScene({ lifecycle: { queued: 1, running: 1, unit: "polls" } });
    const proxy = await losingProxy(redisConnection());
    const connection = { ...redisConnection(), host: "127.0.0.1", port: proxy.port, retryStrategy: () => 5 };
    const queue = new Queue<SetData>(scene.queue.name, { connection });
    queue.on("error", () => {});
    onTestFinished(() => queue.close());
    for (let index = 0; index < workers; index++) scene.work({ connection, queue });

    let lost = 0;
    do {
      const jobId = `set-${lost}.`;
      proxy.lose(lost + 1, jobId);
      await scene.add({}, { priority: 1, jobId });
      await expect.poll(() => scene.queue.getJobCountByTypes("completed", "failed")).toBe(lost + 1);
      expect((await scene.stored(jobId)).failedReason).toBeUndefined();
      lost++;
    } while (proxy.hasLost);
    // Three steps: four writes of the create at least, and two of each poll.
    expect(lost).toBeGreaterThan(12);
    expect(scene.mock.credits.ledger()).toHaveLength(lost);
  },
);

test("a job that was delayed counts as delayed, though BullMQ was not told so", async () => {
  const { job, step } = await new QueueScene().taken();
  const move = job.moveToDelayed.bind(job);
  job.moveToDelayed = async (...args) => {
    await move(...args);
    throw new Error("Missing lock");
  };
  await expect(step()).rejects.toBeInstanceOf(DelayedError);
});
