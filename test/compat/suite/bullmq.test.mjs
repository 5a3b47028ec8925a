import assert from "node:assert/strict";
import { once } from "node:events";
import { after, test } from "node:test";
import { Queue, Worker } from "bullmq";
import { ScreenshotSets } from "screenshot-sets";
import { createProcessor, workerOptions } from "screenshot-sets/bullmq";
import { createMock } from "screenshot-sets/mock";

// This needs a Redis: that of REDIS_URL, or the one of this machine.
const { hostname, port } = new URL(process.env.REDIS_URL ?? "redis://127.0.0.1:6379");
const connection = { host: hostname, port: Number(port || 6379), maxRetriesPerRequest: null };
const mock = createMock({ lifecycle: { queued: 2, running: 2, unit: "polls" }, allowance: 1_000 });
const client = new ScreenshotSets(mock.clientOptions);
const queue = new Queue(`compat-${process.pid}-${Date.now()}`, { connection });
const worker = new Worker(queue.name, createProcessor(client, { queue, minDelayMs: 10, maxDelayMs: 50 }), {
  connection,
  ...workerOptions,
});
after(async () => {
  await worker.close();
  await queue.obliterate({ force: true });
  await queue.close();
});

async function add(options = {}) {
  const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
  return queue.add("set", { params: { appId, device: "iphone-69" } }, { priority: 1, ...options });
}

/** The planned set of the next job that completes, or the error of the one that fails. */
const nextEnd = () =>
  Promise.race([once(worker, "completed"), once(worker, "failed")]).then(([, end]) => end);

test("a set whose data is written anew is charged once", async () => {
  const before = mock.credits.used;
  const job = await add();
  await once(worker, "progress");
  await job.updateData({ ...job.data, traceId: "t-1" });
  const set = await nextEnd();
  assert.equal(set.status, "succeeded");
  assert.equal(set.credits.cost, 10);
  assert.equal(mock.credits.used - before, 10);
});

test("a 429 is waited for", async () => {
  mock.fault({ status: 429, retryAfter: 1 }, { operation: "createScreenshots" });
  await add();
  assert.equal((await nextEnd()).status, "succeeded");
});

test("a create whose answer is lost is not sent again by a retry", async () => {
  mock.fault("reset", { operation: "createScreenshots", when: "after" });
  const before = mock.credits.used;
  const job = await add({ attempts: 3 });
  assert.equal((await nextEnd()).charged, "maybe");
  const failed = await queue.getJob(job.id);
  await failed.updateData({ params: job.data.params });
  await failed.retry();
  assert.equal((await nextEnd()).charged, "maybe");
  assert.equal(mock.credits.used - before, 10);
});
