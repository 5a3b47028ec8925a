import { randomUUID } from "node:crypto";
import { DelayedError, type Job } from "bullmq";
import { createProcessor, type SetData } from "screenshot-sets/bullmq";
import { expect } from "vitest";
import { QueueScene, redisTest as test } from "../../helpers/queue-scene.js";

const accepted = { version: 1, step: "accepted", jobId: "job_of_another", at: 1, polls: 0 } as const;

/** Runs a step whose create is answered only after `meanwhile` has happened to its job. */
async function stepWith(
  scene: QueueScene,
  answer: (...request: Parameters<typeof fetch>) => Promise<Response>,
  meanwhile: (job: Job<SetData>) => Promise<unknown>,
): Promise<{ outcome: unknown; data: SetData }> {
  const token = randomUUID();
  const { job } = await scene.add({ note: "old" });
  const started = await scene.start(token);
  const client = scene.clientWith({
    // No time-out comes meanwhile.
    clock: { now: () => 0, sleep: () => new Promise<never>(() => {}) },
    fetch: async (...request) => {
      await meanwhile(await scene.stored(job.id));
      return answer(...request);
    },
  });
  const step = createProcessor(client, { queue: scene.queue })(started as never, token);
  const outcome = await Promise.resolve(step).catch((error: unknown) => error);
  return { outcome, data: (await scene.stored(job.id)).data };
}

test.each([402, 429])(
  "a %d that comes late does not take back what another worker was charged for",
  async (status) => {
    const scene = new QueueScene();
    const refuse = async () => new Response("{}", { status });
    const { outcome, data } = await stepWith(scene, refuse, (job) =>
      job.updateData({ ...job.data, state: accepted }),
    );
    expect(outcome).toMatchObject({ charged: "no" });
    expect(String((outcome as Error & { cause: Error }).cause.cause)).toContain("another worker");
    expect(data.state).toEqual(accepted);
  },
);

test("an acceptance that comes late does not replace that of another worker, and is named", async () => {
  const scene = new QueueScene();
  const { outcome, data } = await stepWith(scene, scene.mock.fetch, (job) =>
    job.updateData({ ...job.data, state: accepted }),
  );
  expect(outcome).toMatchObject({ charged: "yes", jobId: "job_1" });
  expect(data.state).toEqual(accepted);
});

test("an acceptance that comes late is not that of a new order under the same id", async () => {
  const scene = new QueueScene();
  const { outcome, data } = await stepWith(scene, scene.mock.fetch, async (job) => {
    await scene.expire(job);
    await job.remove();
    const { params } = job.data;
    await scene.queue.add("set", { params: { ...params, count: 7 } }, { jobId: job.id as string });
  });
  expect(outcome).toMatchObject({ charged: "yes", jobId: "job_1" });
  expect(data).toEqual({ params: expect.objectContaining({ count: 7 }) });
});

test("an acceptance that comes late counts where nobody else was charged meanwhile", async () => {
  const scene = new QueueScene();
  const { outcome, data } = await stepWith(scene, scene.mock.fetch, (job) => {
    const { state: _, ...others } = job.data;
    return job.updateData(others);
  });
  expect(outcome).toBeInstanceOf(DelayedError);
  expect(data.state).toMatchObject({ step: "accepted", jobId: "job_1" });
});

test("what a user changes in the data while a step runs is kept", async () => {
  const scene = new QueueScene();
  const { data } = await stepWith(scene, scene.mock.fetch, (job) =>
    job.updateData({ ...job.data, note: "new" } as SetData),
  );
  expect(data).toMatchObject({ note: "new", state: { step: "accepted" } });
});

test("an acceptance is stored though Redis refuses writes for a moment", async () => {
  const scene = new QueueScene();
  const changes: string[] = [];
  const queue = scene.queueThrough(
    (redis) =>
      new Proxy(redis, {
        get(target, name: string) {
          const value = Reflect.get(target, name) as () => unknown;
          if (name !== "screenshotSets:replace") return value;
          return async (...args: unknown[]) => {
            changes.push(String(args[3]));
            if (changes.length === 2 || changes.length === 3)
              throw new Error("READONLY You can't write now.");
            return Reflect.apply(value, target, args);
          };
        },
      }),
  );
  const token = randomUUID();
  const { job } = await scene.add();
  const started = await scene.start(token);
  const step = createProcessor(scene.client, { queue })(started as never, token);
  await expect(step).rejects.toBeInstanceOf(DelayedError);
  expect(changes).toHaveLength(4);
  expect((await scene.stored(job.id)).data.state).toMatchObject({ step: "accepted", jobId: "job_1" });
  expect(scene.mock.credits.ledger()).toHaveLength(1);
});

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
