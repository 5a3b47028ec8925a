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

test("a job that outlives `timeoutMs` ends the set for good, and its progress is told", async () => {
  const scene = new QueueScene({ lifecycle: { queued: 0, running: 9, unit: "polls" } });
  scene.work({ timeoutMs: 0 });
  const { job, end } = await scene.add({}, { attempts: 5 });
  const { error } = await end;
  expect(error).toBeInstanceOf(UnrecoverableError);
  expect(error).toMatchObject({ cause: { name: "JobTimeoutError" }, charged: "yes", jobId: "job_1" });
  expect((await scene.stored(job.id)).progress).toEqual({ jobId: "job_1", status: "running", credits });
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

/** The data of a set that took a minute, of which it was known to be unfinished for twenty seconds. */
function finishedSet(): SetData {
  const at = Date.now() - 60_000;
  const known = { version: 1, step: "accepted", jobId: "job", polls: 1 } as const;
  const params = { appId: "app_1", device: "iphone-69", count: 3 } as const;
  return { params, state: { ...known, at, unfinishedAt: at + 20_000 } };
}

test("a processor learns when to look from the sets that others finished, among jobs that teach nothing", async () => {
  const scene = new QueueScene({ lifecycle: "manual" });
  const { params, state } = finishedSet();
  const others = [null, {}, { params }, { params, state: { ...state, unfinishedAt: undefined } }];
  const finisher = new Worker(scene.queue.name, async () => {}, { connection: redisConnection() });
  onTestFinished(() => finisher.close());
  const { queue } = scene;
  for (const data of [finishedSet(), ...others, ...Array.from({ length: 24 }, finishedSet)]) {
    const finished = told(finisher, "completed");
    await queue.add("set", data as never);
    await finished;
  }
  await finisher.close();
  const [startedAgain] = await queue.getRanges(["completed"], 0, -1, true);
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

  const { job } = await scene.add();
  const token = randomUUID();
  // A client that learned nothing would look after 200 ms.
  const processor = createProcessor(scene.client, { queue: shown, minDelayMs: 200, maxDelayMs: 30_000 });
  const step = processor((await scene.start(token)) as never, token);
  await expect(step).rejects.toBeInstanceOf(DelayedError);
  expect((await scene.stored(job.id)).delay).toBeGreaterThan(1_000);
});

const aClient = new ScreenshotSets(createMock().clientOptions);
const queue = { getJob() {} };

test.each<[string, unknown, object, string]>([
  ["no queue", aClient, {}, "Expected `queue` to be the BullMQ queue"],
  ["a queue by its name", aClient, { queue: "sets" }, "Expected `queue` to be the BullMQ queue"],
  ["a bad number", aClient, { queue, maxDelayMs: -1 }, "Expected `maxDelayMs` to be"],
  ["delays that contradict", aClient, { queue, minDelayMs: 40_000 }, "Expected `minDelayMs` to be at most"],
  ["an unknown option", aClient, { queue, timeOutMs: 1 }, "`createProcessor` has no option `timeOutMs`."],
  ["no client", undefined, { queue }, "Expected `client` to be"],
  ["a mock for a client", createMock(), { queue }, "Expected `client` to be"],
])("a processor with %s is refused at once", (_, client, options, message) => {
  expect(() => createProcessor(client as never, options as never)).toThrow(message);
});

test("the options of a worker limit nothing by themselves and let a set survive any number of crashes", () => {
  expect(workerOptions.limiter.max / workerOptions.limiter.duration).toBeGreaterThanOrEqual(1_000);
  expect(workerOptions.maxStalledCount).toBeGreaterThan(1_000_000);
  // PostgreSQL, on which BullMQ 6 runs too, has no larger integer.
  expect(workerOptions.maxStalledCount).toBeLessThan(2 ** 31);
});
