import { randomUUID } from "node:crypto";
import { DelayedError, UnrecoverableError, Worker } from "bullmq";
import { CreateInterruptedError, JobFailedError, ScreenshotSets } from "screenshot-sets";
import { createProcessor, type ProcessorOptions, type SetData, workerOptions } from "screenshot-sets/bullmq";
import { createMock } from "screenshot-sets/mock";
import { expect, onTestFinished } from "vitest";
import { documentedCredits } from "../../helpers/documented-credits.js";
import { QueueScene, redisConnection, redisTest as test, told } from "../../helpers/queue-scene.js";

/** Those of the first set of a scene. */
const credits = documentedCredits(10, 99_990);

test("a set goes through the queue step by step, is charged once, and its job returns the planned set", async () => {
  const scene = new QueueScene();
  scene.work();
  const { end } = await scene.add();
  const { job, error } = await end;
  expect(error).toBeUndefined();
  expect(job.returnvalue).toMatchObject({ status: "succeeded", result: { slides: { length: 3 } }, credits });
  expect(scene.mock.credits.ledger()).toHaveLength(1);
  expect(scene.mock.requests({ operation: "getJob" })).toHaveLength(3);
  expect(scene.problems).toEqual([]);
});

test("what else is in the data is left alone, and nothing that is stored holds the key", async () => {
  const scene = new QueueScene();
  scene.work();
  const { end } = await scene.add({ order: { id: 7 } });
  const { job } = await end;
  const stored = await scene.stored(job.id);
  expect(Object.keys(stored.data)).toEqual(["params", "order", "state"]);
  expect(stored.data).toMatchObject({ order: { id: 7 }, state: { step: "accepted", jobId: "job_1" } });
  expect(JSON.stringify(stored.asJSON())).not.toContain(scene.mock.clientOptions.apiKey);
});

test("progress is told once per change of status, from the acceptance on", async () => {
  const scene = new QueueScene({ lifecycle: { queued: 3, running: 3, unit: "polls" } });
  const worker = scene.work();
  const told: unknown[] = [];
  worker.on("progress", (_, progress) => told.push(progress));
  await (await scene.add()).end;
  const statuses = ["queued", "running", "succeeded"];
  expect(told).toEqual(statuses.map((status) => ({ jobId: "job_1", status, credits })));
});

test("progress is told of the look that ends a set, too", async () => {
  const scene = new QueueScene({ lifecycle: { queued: 0, running: 9, unit: "polls" } });
  const { job, end } = await scene.add();
  scene.work({ timeoutMs: 0 });
  expect((await end).error).toMatchObject({ cause: { name: "JobTimeoutError" } });
  expect((await scene.stored(job.id)).progress).toEqual({ jobId: "job_1", status: "running", credits });
});

test("a set waits as a delayed job, which any other worker goes on with", async () => {
  const scene = new QueueScene({ lifecycle: "manual" });
  const first = scene.work({ minDelayMs: 60_000, maxDelayMs: 60_000 });
  const active = told(first, "active");
  const { job, end } = await scene.add();
  await active;
  await first.close();
  const waiting = await scene.stored(job.id);
  expect(await waiting.getState()).toBe("delayed");
  expect(waiting.data.state).toMatchObject({ step: "accepted", jobId: "job_1" });
  expect(waiting.progress).toEqual({ jobId: "job_1", status: "queued", credits });

  scene.mock.jobs.succeed("job_1");
  scene.work();
  await waiting.promote();
  expect((await end).job.returnvalue).toMatchObject({ id: "job_1" });
  expect(scene.mock.credits.ledger()).toHaveLength(1);
});

test("a set that was accepted goes before those that were not begun", async () => {
  const scene = new QueueScene({ lifecycle: "instant" });
  const sets = await Promise.all(Array.from({ length: 5 }, () => scene.add({}, { priority: 1 })));
  scene.work({ minDelayMs: 0, maxDelayMs: 0 });
  await Promise.all(sets.map(({ end }) => end));
  // Any look comes before the last create.
  const operations = scene.mock.requests().map(({ operation }) => operation);
  expect(operations.indexOf("getJob")).toBeLessThan(operations.lastIndexOf("createScreenshots"));
  for (const { job } of sets) expect(await scene.storedPriority(job)).toBe(0);
});

test("a failed job ends the set for good, and Redis keeps why", async () => {
  const scene = new QueueScene();
  scene.mock.nextJob({ outcome: "failed", error: { message: "no listing" } });
  const worker = scene.work();
  const progress: unknown[] = [];
  worker.on("progress", (_, told) => progress.push(told));
  const { end } = await scene.add({}, { attempts: 5 });
  const { job, error } = await end;
  expect(error).toBeInstanceOf(UnrecoverableError);
  expect(error).toMatchObject({ cause: expect.any(JobFailedError), charged: "yes", jobId: "job_1" });
  const { failedReason } = await scene.stored(job.id);
  for (const fact of ["JobFailedError", "no listing", "charged: yes", "job_1"])
    expect(failedReason).toContain(fact);
  expect(progress.at(-1)).toEqual({ jobId: "job_1", status: "failed", credits });
});

test("a job that outlives `timeoutMs` ends the set for good", async () => {
  const scene = new QueueScene({ lifecycle: "manual" });
  scene.work({ timeoutMs: 0 });
  const { error } = await (await scene.add({}, { attempts: 5 })).end;
  expect(error).toBeInstanceOf(UnrecoverableError);
  expect(error).toMatchObject({ cause: { name: "JobTimeoutError" }, charged: "yes", jobId: "job_1" });
});

test("a create that may have been charged ends the set for good, and `retry` sends none", async () => {
  const scene = new QueueScene();
  scene.mock.fault("reset", { operation: "createScreenshots", when: "after" });
  scene.work();
  const { job, end } = await scene.add({}, { attempts: 5, backoff: 1 });
  const { error } = await end;
  expect(error).toMatchObject({
    cause: expect.any(CreateInterruptedError),
    charged: "maybe",
    jobId: undefined,
  });
  expect((await scene.stored(job.id)).failedReason).toContain("charged: maybe");
  const again = scene.endOf(job.id as string);
  await (await scene.stored(job.id)).retry();
  expect((await again).error).toMatchObject({ charged: "maybe" });
  expect(scene.mock.credits.ledger()).toHaveLength(1);
});

test("a create that was refused is tried again as the job says, and charged once", async () => {
  const scene = new QueueScene();
  scene.mock.fault({ status: 402 }, { operation: "createScreenshots", times: 3 });
  const worker = scene.work();
  const refusals: unknown[] = [];
  worker.on("failed", (_, error) => refusals.push(error));
  const completed = told(worker, "completed");
  const { job } = await scene.add({}, { attempts: 5, backoff: { type: "fixed", delay: 1 } });
  expect(await completed).toMatchObject({ id: job.id, returnvalue: { id: "job_1" } });
  expect(refusals).toMatchObject(Array(3).fill({ status: 402, charged: "no" }));
  expect(scene.mock.credits.ledger()).toHaveLength(1);
});

test("a refused look leaves the set as it is, and `retry` looks again", async () => {
  const scene = new QueueScene({ lifecycle: "instant" });
  scene.mock.fault({ status: 403 }, { operation: "getJob" });
  scene.work();
  const { job, end } = await scene.add();
  const { error } = await end;
  expect(error).toMatchObject({ status: 403, charged: "yes", jobId: "job_1" });
  expect(error).not.toBeInstanceOf(UnrecoverableError);
  const again = scene.endOf(job.id as string);
  await (await scene.stored(job.id)).retry();
  expect((await again).job.returnvalue).toMatchObject({ id: "job_1" });
  expect(scene.mock.credits.ledger()).toHaveLength(1);
});

/** Has a queue finish jobs with these data, one after the other. */
async function finish(scene: QueueScene, jobs: unknown[]): Promise<void> {
  const finisher = new Worker(scene.queue.name, async () => {}, { connection: redisConnection() });
  onTestFinished(() => finisher.close());
  for (const data of jobs) {
    const finished = told(finisher, "completed");
    await scene.queue.add("set", data as SetData);
    await finished;
  }
  await finisher.close();
}

/** The data of a set that took a minute, of which it was known to be unfinished for twenty seconds. */
function finishedSet(): SetData {
  const at = Date.now() - 60_000;
  const state = {
    version: 1,
    step: "accepted",
    jobId: "job",
    polls: 1,
    at,
    unfinishedAt: at + 20_000,
  } as const;
  return { params: { appId: "app_1", device: "iphone-69", count: 3 }, state };
}

/** For how long a new set waits, with a client that would look after 200 ms if it had learned nothing. */
async function firstDelayMs(scene: QueueScene, queue: ProcessorOptions["queue"]): Promise<number> {
  const { job } = await scene.add();
  const token = randomUUID();
  const limits = { minDelayMs: 200, maxDelayMs: 30_000 };
  const step = createProcessor(scene.client, { queue, ...limits })(
    (await scene.start(token)) as never,
    token,
  );
  await expect(step).rejects.toBeInstanceOf(DelayedError);
  return (await scene.stored(job.id)).delay;
}

test("a processor learns from the sets that others finished when to look", async () => {
  const scene = new QueueScene({ lifecycle: "manual" });
  await finish(scene, Array.from({ length: 24 }, finishedSet));
  expect(await firstDelayMs(scene, scene.queue)).toBeGreaterThan(1_000);
});

test("a processor learns nothing from jobs that are no sets, or sets of which nobody knows when they were unfinished", async () => {
  const scene = new QueueScene({ lifecycle: "manual" });
  const { params, state } = finishedSet();
  const unknownSince = { ...state, unfinishedAt: undefined };
  const others = [null, {}, { params }, { params, state: unknownSince }];
  await finish(scene, Array(24).fill(others).flat());
  expect(await firstDelayMs(scene, scene.queue)).toBeLessThan(1_000);
});

test("a processor learns from the other sets where some are no sets, removed or started again", async () => {
  const scene = new QueueScene({ lifecycle: "manual" });
  await finish(scene, [null, {}, finishedSet(), ...Array.from({ length: 24 }, finishedSet)]);
  const { queue } = scene;
  const [, , startedAgain] = await queue.getRanges(["completed"], 0, -1, true);
  const getJob = async (id: string) => {
    const job = await queue.getJob(id);
    if (id === startedAgain) delete (job as { processedOn?: number }).processedOn;
    return id === "removed" ? undefined : job;
  };
  const getRanges = async (...range: Parameters<typeof queue.getRanges>) => [
    ...(await queue.getRanges(...range)),
    "removed",
  ];
  const shown = { ...scene.queueWithoutRedis, getJob, getRanges } as ProcessorOptions["queue"];
  expect(await firstDelayMs(scene, shown)).toBeGreaterThan(1_000);
});

test.each([
  ["no queue", {}],
  ["a queue by its name", { queue: "sets" }],
  ["a bad number", { queue: { getJob() {} }, maxDelayMs: -1 }],
  ["an unknown option", { queue: { getJob() {} }, timeOutMs: 1 }],
])("a processor with %s is refused at once", (_, options) => {
  const client = new ScreenshotSets(createMock().clientOptions);
  expect(() => createProcessor(client, options as never)).toThrow(/Expected|no option/);
});

test.each([undefined, {}, createMock()])("a processor without a client is refused at once", (client) => {
  const queue = { getJob() {} };
  expect(() => createProcessor(client as never, { queue } as never)).toThrow(/Expected `client` to be/);
});

test("the options of a worker limit nothing by themselves and let a set survive any number of crashes", () => {
  expect(workerOptions.limiter.max / workerOptions.limiter.duration).toBeGreaterThanOrEqual(1_000);
  expect(workerOptions.maxStalledCount).toBeGreaterThan(1_000_000);
  // PostgreSQL, on which BullMQ 6 runs too, has no larger integer.
  expect(workerOptions.maxStalledCount).toBeLessThan(2 ** 31);
});
