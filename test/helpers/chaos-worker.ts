import { Queue, Worker } from "bullmq";
import { ScreenshotSets } from "screenshot-sets";
import { createProcessor, workerOptions } from "screenshot-sets/bullmq";

import { recordAge } from "../../src/durable/record-age.js";

// A worker like those of users, except that its times are short enough for a test. Its parent kills it.

Object.assign(recordAge, { longestTimeoutMs: 0, graceMs: 3_000 });

const { REDIS_PORT, QUEUE = "", CONCURRENCY, LOCK_MS } = process.env;
const connection = { host: "127.0.0.1", port: Number(REDIS_PORT), maxRetriesPerRequest: null };
const queue = new Queue(QUEUE, { connection });
const processor = createProcessor(new ScreenshotSets(), { queue });
const worker = new Worker(QUEUE, processor, {
  connection,
  ...workerOptions,
  concurrency: Number(CONCURRENCY),
  lockDuration: Number(LOCK_MS),
  stalledInterval: Number(LOCK_MS) / 2,
});
// A Redis that is down comes back, so errors are ignored.
queue.on("error", () => {});
worker.on("error", () => {});
// The parent may die first, or may have died already.
process.once("disconnect", () => process.exit());
if (!process.connected) process.exit();
