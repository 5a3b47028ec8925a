import { RateLimitError, UnrecoverableError, Worker } from "bullmq";
import { CreateInterruptedError, JobFailedError, ScreenshotSets } from "screenshot-sets";
import { createProcessor, workerOptions } from "screenshot-sets/bullmq";
import { createMock } from "screenshot-sets/mock";
import { expect, onTestFinished, vi } from "vitest";
import { QueueScene, redisConnection, redisTest as test, told } from "../helpers/queue-scene.js";

test("a set goes through the queue step by step, is charged once, and its job returns the slides", async () => {
  const scene = new QueueScene();
  scene.work();
  const { end } = await scene.add();
  const { job, error } = await end;
  expect(error).toBeUndefined();
  expect(job.returnvalue).toMatchObject({ status: "succeeded", result: { slides: { length: 3 } } });
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
  expect(told).toEqual(statuses.map((status) => ({ jobId: "job_1", status })));
});

test("progress is told of the look that ends a set, too", async () => {
  const scene = new QueueScene({ lifecycle: { queued: 0, running: 9, unit: "polls" } });
  const { job, end } = await scene.add();
  scene.work({ timeoutMs: 0 });
  expect((await end).error).toMatchObject({ cause: { name: "JobTimeoutError" } });
  expect((await scene.stored(job.id)).progress).toEqual({ jobId: "job_1", status: "running" });
});

test("a set waits as a delayed job, which any other worker goes on with", async () => {
  const scene = new QueueScene({ lifecycle: "manual" });
  const first = scene.work({ minDelayMs: 60_000, maxDelayMs: 60_000 });
  const { job, end } = await scene.add();
  await told(first, "active");
  await first.close();
  const waiting = await scene.stored(job.id);
  expect(await waiting.getState()).toBe("delayed");
  expect(waiting.data.state).toMatchObject({ step: "accepted", jobId: "job_1" });
  expect(waiting.progress).toEqual({ jobId: "job_1", status: "queued" });

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
  const stored = await scene.stored(sets[0]?.job.id);
  expect(stored.priority).toBe(0);
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
  expect(progress.at(-1)).toEqual({ jobId: "job_1", status: "failed" });
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

test("a 429 stops the whole queue for as long as it says", async () => {
  const scene = new QueueScene({ lifecycle: "instant" });
  scene.mock.fault({ status: 429, retryAfter: 3_600 }, { operation: "createScreenshots" });
  const worker = scene.work();
  const first = await scene.add();
  await told(worker, "active");
  await worker.close();
  const others = await Promise.all([scene.add(), scene.add()]);
  expect((await scene.stored(first.job.id)).data).toEqual({ params: first.job.data.params });
  expect(await scene.queue.getRateLimitTtl()).toBeGreaterThan(3_500_000);
  const asked = await scene.asked();
  expect(await asked.getNextJob("token", { block: false })).toBeUndefined();

  await scene.queue.removeRateLimitKey();
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
  await vi.waitFor(() => {
    expect(scene.mock.requests({ operation: "createScreenshots" })).toHaveLength(3);
  });
  await worker.close();
  expect(await scene.queue.getRateLimitTtl()).toBeGreaterThan(3_500_000);
});

test("a 429 does not shorten the stop that another process asked for", async () => {
  const scene = new QueueScene();
  scene.mock.fault({ status: 429, retryAfter: 1 }, { operation: "createScreenshots" });
  await scene.add();
  const asked = await scene.asked();
  const job = await asked.getNextJob("token");
  await scene.queue.rateLimit(3_600_000);
  const step = createProcessor(scene.client, { queue: scene.queue })(job as never, "token");
  await expect(step).rejects.toBeInstanceOf(RateLimitError);
  expect(await scene.queue.getRateLimitTtl()).toBeGreaterThan(3_500_000);
});

test("a 429 for a look keeps the acceptance", async () => {
  const scene = new QueueScene({ lifecycle: "instant" });
  scene.mock.fault({ status: 429, retryAfter: 0 }, { operation: "getJob" });
  scene.work();
  const { job } = await (await scene.add()).end;
  expect(job.returnvalue).toMatchObject({ id: "job_1" });
  expect(scene.mock.credits.ledger()).toHaveLength(1);
});

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

test("a processor learns from the sets that others finished when to look", async () => {
  const scene = new QueueScene({ lifecycle: "manual" });
  const finisher = new Worker(scene.queue.name, async () => {}, { connection: redisConnection() });
  onTestFinished(() => finisher.close());
  const now = Date.now();
  const state = {
    version: 1,
    step: "accepted",
    jobId: "job",
    polls: 1,
    at: now - 60_000,
    unfinishedAt: now - 40_000,
  };
  for (let sets = 0; sets < 24; sets++) {
    const finished = told(finisher, "completed");
    await scene.add({ state });
    await finished;
  }
  await finisher.close();

  const worker = scene.work({ minDelayMs: 200, maxDelayMs: 30_000 });
  const { job } = await scene.add();
  await told(worker, "active");
  await worker.close();
  // A client that has learned nothing would look after 200 ms.
  expect((await scene.stored(job.id)).delay).toBeGreaterThan(1_000);
});

test.each([
  ["no queue", {}],
  ["a queue by its name", { queue: "sets" }],
  ["a bad number", { queue: { rateLimit() {} }, maxDelayMs: -1 }],
  ["an unknown option", { queue: { rateLimit() {} }, timeOutMs: 1 }],
])("a processor with %s is refused at once", (_, options) => {
  const client = new ScreenshotSets(createMock().clientOptions);
  expect(() => createProcessor(client, options as never)).toThrow(/Expected|no option/);
});

test("the options of a worker limit nothing by themselves and let a set survive any number of crashes", () => {
  expect(workerOptions.limiter.max / workerOptions.limiter.duration).toBeGreaterThanOrEqual(1_000);
  expect(workerOptions.maxStalledCount).toBeGreaterThan(1_000_000);
});
