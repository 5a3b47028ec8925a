import { randomUUID } from "node:crypto";
import type { Job } from "bullmq";
import { createProcessor, type SetData } from "screenshot-sets/bullmq";
import { expect } from "vitest";
import { QueueScene, redisTest as test } from "../../helpers/queue-scene.js";

test("a worker that lost the lock before its create sends nothing", async () => {
  const scene = new QueueScene();
  const processor = createProcessor(scene.client, { queue: scene.queue });
  const { job } = await scene.add();
  for (const token of ["another's", undefined]) {
    await expect(processor(job as never, token)).rejects.toThrow(/Lost the lock/);
  }
  expect(scene.mock.requests({ operation: "createScreenshots" })).toEqual([]);
  expect((await scene.stored(job.id)).data.state).toBeUndefined();
});

/** Has something happen when the worker of a job has made sure of its lock, which it does twice, or is about to. */
function meanwhile(job: Job<SetData>, at: "after 1" | "before 2", happen: () => Promise<unknown>): void {
  const extend = job.extendLock.bind(job);
  let calls = 0;
  job.extendLock = async (...args) => {
    if (`before ${++calls}` === at) await happen();
    const held = await extend(...args);
    if (`after ${calls}` === at) await happen();
    return held;
  };
}

test.each([
  ["", (scene: QueueScene) => scene.queue],
  [" on a queue that is not on Redis", (scene: QueueScene) => scene.queueWithoutRedis],
])("a worker that lost its lock after it wrote the record sends nothing%s", async (_, queueOf) => {
  const scene = new QueueScene();
  const token = randomUUID();
  await scene.add();
  const job = await scene.start(token);
  meanwhile(job, "before 2", () => scene.expire(job));
  const step = createProcessor(scene.client, { queue: queueOf(scene) })(job as never, token);
  await expect(step).rejects.toThrow(/Lost the lock/);
  expect(scene.mock.requests({ operation: "createScreenshots" })).toEqual([]);
  expect((await scene.stored(job.id)).data.state).toBeUndefined();
});

test("a worker that lost its lock before it wrote the record leaves what another one stored", async () => {
  const scene = new QueueScene({ lifecycle: "manual" });
  const token = randomUUID();
  const { end } = await scene.add();
  const job = await scene.start(token);
  meanwhile(job, "after 1", async () => {
    await scene.expire(job);
    const other = scene.work({ stalledInterval: 10, minDelayMs: 60_000, maxDelayMs: 60_000 });
    await expect.poll(async () => (await scene.stored(job.id)).getState()).toBe("delayed");
    await other.close();
  });
  const step = createProcessor(scene.client, { queue: scene.queue })(job as never, token);
  await expect(step).rejects.toThrow(/Lost the lock/);
  const waiting = await scene.stored(job.id);
  expect(waiting.data.state).toMatchObject({ step: "accepted", jobId: "job_1" });

  scene.mock.jobs.succeed("job_1");
  scene.work();
  await waiting.promote();
  expect((await end).job.returnvalue).toMatchObject({ id: "job_1" });
  expect(scene.mock.credits.ledger()).toHaveLength(1);
});

test("a worker that was blocked past its lock keeps the acceptance of a set that another one ended", async () => {
  const scene = new QueueScene({ lifecycle: "instant" });
  const token = randomUUID();
  const { job, end } = await scene.add();
  const blocked = await scene.start(token);
  let wake = () => {};
  const { fetch } = scene.mock;
  const client = scene.clientWith({
    // No time-out comes while it is blocked.
    clock: { now: () => 0, sleep: () => new Promise<never>(() => {}) },
    fetch: async (...request: Parameters<typeof fetch>) => {
      const answer = await fetch(...request);
      await new Promise<void>((resolve) => {
        wake = resolve;
        scene.expire(blocked).then(() => scene.work({ stalledInterval: 10 }));
      });
      return answer;
    },
  });
  const step = createProcessor(client, { queue: scene.queue })(blocked as never, token);
  const { error } = await end;
  expect(error).toMatchObject({ charged: "maybe" });
  wake();
  await expect(step).rejects.toThrow(/lock/i);
  const failed = await scene.stored(job.id);
  expect(failed.data.state).toMatchObject({ step: "accepted", jobId: "job_1" });

  const again = scene.endOf(job.id as string);
  await failed.retry();
  expect((await again).job.returnvalue).toMatchObject({ id: "job_1" });
  expect(scene.mock.credits.ledger()).toHaveLength(1);
});
