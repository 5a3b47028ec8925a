import type { Job } from "bullmq";
import { createProcessor, type SetData } from "screenshot-sets/bullmq";
import { describe, expect } from "vitest";
import { QueueScene, stores, redisTest as test } from "../../helpers/queue-scene.js";
import { shortenRecordAge } from "../../helpers/short-times.js";

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

test.each(stores)(
  "a worker that lost its lock after it wrote the record sends nothing, on %s",
  async (_, queueOf) => {
    const scene = new QueueScene();
    const { job, step } = await scene.taken();
    meanwhile(job, "before 2", () => scene.expire(job));
    await expect(step({ queue: queueOf(scene) })).rejects.toThrow(/Lost the lock/);
    expect(scene.mock.requests({ operation: "createScreenshots" })).toEqual([]);
    expect((await scene.stored(job.id)).data.state).toBeUndefined();
  },
);

test("a worker that lost its lock before it wrote the record leaves what another one stored", async () => {
  const scene = new QueueScene({ lifecycle: "manual" });
  const { job, end, step } = await scene.taken();
  meanwhile(job, "after 1", async () => {
    await scene.expire(job);
    scene.work({ stalledInterval: 10 });
    await expect.poll(async () => (await scene.stored(job.id)).progress).toMatchObject({ jobId: "job_1" });
  });
  await expect(step()).rejects.toThrow(/Lost the lock/);
  scene.mock.jobs.succeed("job_1");
  expect((await end).job.returnvalue).toMatchObject({ id: "job_1" });
  expect(scene.mock.credits.ledger()).toHaveLength(1);
});

/** Runs a step whose worker is blocked, while its create is answered, until another worker has met its record. */
async function blockedStep(isOver: (scene: QueueScene, jobId: string) => Promise<void>) {
  const scene = new QueueScene({ lifecycle: "instant" });
  const { job, end, step } = await scene.taken();
  const client = scene.clientThrough(async (...request) => {
    const answer = await scene.mock.fetch(...request);
    await scene.expire(job);
    scene.work({ stalledInterval: 10 });
    await isOver(scene, job.id as string);
    return answer;
  });
  await expect(step({ client })).rejects.toThrow(/lock|delayed/i);
  return { scene, job, end };
}

test("a worker that was blocked past its lock does not lose its set, for which another one waits", async () => {
  const { scene, job, end } = await blockedStep(async (scene, jobId) => {
    await expect.poll(async () => (await scene.stored(jobId)).getState()).toBe("delayed");
  });
  await (await scene.stored(job.id)).promote();
  expect((await end).job.returnvalue).toMatchObject({ id: "job_1" });
  expect(scene.mock.credits.ledger()).toHaveLength(1);
});

describe("where a create counts as in flight for a moment only,", () => {
  shortenRecordAge(200);

  test("a worker that was blocked for longer keeps the acceptance of a set that another one ended", async () => {
    let ended: { error?: { charged?: string } } | undefined;
    const { scene, job } = await blockedStep(async (scene, jobId) => {
      ended = await scene.endOf(jobId);
    });
    expect(ended?.error).toMatchObject({ charged: "maybe" });
    const { state } = (await scene.stored(job.id)).data;
    expect(state).toMatchObject({ step: "accepted", jobId: "job_1" });
    expect((await scene.retried(job.id)).job.returnvalue).toMatchObject({ id: "job_1" });
    expect(scene.mock.credits.ledger()).toHaveLength(1);
  });
});
