// node worker.mjs, as often and on as many machines as you like
import { Worker } from "bullmq";
import { ScreenshotSets } from "screenshot-sets";
import { createProcessor, workerOptions } from "screenshot-sets/bullmq";
import { connection, name, openQueue } from "./queue.mjs";

const client = new ScreenshotSets(); // reads SCREENSHOT_SETS_API_KEY and SCREENSHOT_SETS_BASE_URL
const queue = openQueue();
const worker = new Worker(name, createProcessor(client, { queue }), {
  connection,
  ...workerOptions,
  concurrency: 10,
});

worker.on("completed", (job, set) => console.log(`${job.id}: ${set.result.slides.length} slides`));
worker.on("failed", (job, error) => {
  console.error(`${job?.id}: ${error.message}`);
  // The place to tell somebody. New sets wait; each minute, one of them is tried.
  if (error.status === 402) console.error("The allowance is used up.");
});
worker.on("error", (error) => console.error(error.message));

// This takes no longer than one request.
process.once("SIGTERM", async () => {
  await worker.close();
  await queue.close();
});
