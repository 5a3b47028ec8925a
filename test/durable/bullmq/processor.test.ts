import { UnrecoverableError } from "bullmq";
import { CreateInterruptedError, ScreenshotSets } from "screenshot-sets";
import { createProcessor, workerOptions } from "screenshot-sets/bullmq";
import { createMock } from "screenshot-sets/mock";
import { expect } from "vitest";
import { QueueScene, redisTest as test, told } from "../../helpers/queue-scene.js";
import { shortenRecordAge } from "../../helpers/short-times.js";

// A create counts as in flight for a moment only.
shortenRecordAge(300);

/** Those of the first set of a scene. */
const credits = { cost: 10, remaining: 99_990 };

test("a set goes through the queue step by step, is charged once, tells its progress, and returns the planned set", async () => {
  const scene = new QueueScene();
  const progress: unknown[] = [];
  scene.work().on("progress", (_, told) => progress.push(told));
  const { job, error } = await (await scene.add({ order: { id: 7 } })).end;
  expect(error).toBeUndefined();
  expect(job.returnvalue).toMatchObject({ status: "succeeded", result: { slides: { length: 3 } }, credits });
  const statuses = ["queued", "running", "succeeded"];
  expect(progress).toEqual(statuses.map((status) => ({ jobId: "job_1", status, credits })));
  expect(scene.mock.credits.ledger()).toHaveLength(1);
  expect(scene.mock.requests({ operation: "getJob" })).toHaveLength(3);
  expect(scene.problems).toEqual([]);

  const stored = await scene.stored(job.id);
  expect(Object.keys(stored.data)).toEqual(["params", "order", "state"]);
  expect(stored.data).toMatchObject({ order: { id: 7 }, state: { step: "accepted", jobId: "job_1" } });
  expect(JSON.stringify(stored.asJSON())).not.toContain(scene.mock.clientOptions.apiKey);
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
});

test("a job that failed ends the set for good, and Redis keeps why", async () => {
  const scene = new QueueScene();
  scene.mock.nextJob({ outcome: "failed", lifecycle: "instant" });
  scene.work();
  const { job, error } = await (await scene.add({}, { attempts: 5 })).end;
  expect(error).toBeInstanceOf(UnrecoverableError);
  expect(error).toMatchObject({ cause: { name: "JobFailedError" }, charged: "yes", jobId: "job_1" });
  const { failedReason, progress } = await scene.stored(job.id);
  expect(failedReason).toMatch(/^JobFailedError: .*charged: yes.*job_1/);
  expect(progress).toEqual({ jobId: "job_1", status: "failed", credits });
});

test("a create that may have been charged ends the set for good, and `retry` sends none", async () => {
  const scene = new QueueScene();
  scene.mock.fault("reset", { operation: "createScreenshots", when: "after" });
  scene.work();
  const { job, end } = await scene.add({}, { attempts: 5, backoff: 1 });
  const cause = expect.any(CreateInterruptedError);
  expect((await end).error).toMatchObject({ cause, charged: "maybe", jobId: undefined });
  expect((await scene.stored(job.id)).failedReason).toContain("charged: maybe");
  expect((await scene.retried(job.id)).error).toMatchObject({ charged: "maybe" });
  expect(scene.mock.credits.ledger()).toHaveLength(1);
});

const aClient = new ScreenshotSets(createMock().clientOptions);
const queue = { getJob() {} };

test.each<[string, unknown, object, string]>([
  ["a queue by its name", aClient, { queue: "sets" }, "Expected `queue` to be the BullMQ queue"],
  ["delays that contradict", aClient, { queue, minDelayMs: 40_000 }, "Expected `minDelayMs` to be at most"],
  ["an unknown option", aClient, { queue, timeOutMs: 1 }, "`createProcessor` has no option `timeOutMs`."],
  ["no client", undefined, { queue }, "Expected `client` to be"],
])("a processor with %s is refused at once", (_, client, options, message) => {
  expect(() => createProcessor(client as never, options as never)).toThrow(message);
});

test("the options of a worker limit nothing by themselves and let a set survive any number of crashes", () => {
  expect(workerOptions.limiter.max / workerOptions.limiter.duration).toBeGreaterThanOrEqual(1_000);
  expect(workerOptions.maxStalledCount).toBeGreaterThan(1_000_000);
  // PostgreSQL, on which BullMQ 6 runs too, has no larger integer.
  expect(workerOptions.maxStalledCount).toBeLessThan(2 ** 31);
});
