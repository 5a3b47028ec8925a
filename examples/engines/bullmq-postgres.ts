/** Sets on BullMQ 6 on PostgreSQL, without Redis: `npm install bullmq pg`. */
import { createPostgresBackend, withBackend } from "bullmq";
import { type CreateScreenshotsParams, ScreenshotSets } from "screenshot-sets";
import { createProcessor, type SetData, workerOptions } from "screenshot-sets/bullmq";

const { Queue, Worker } = withBackend(createPostgresBackend);
const connection = { connectionString: process.env.DATABASE_URL ?? "", migrate: true };
const queue = new Queue<SetData>("sets", { connection });
const processor = createProcessor(new ScreenshotSets(), { queue });
const worker = new Worker("sets", processor, { connection, ...workerOptions, concurrency: 10 });

queue.on("error", console.error);
worker.on("error", console.error);
worker.on("failed", (job, { message }) => console.error(`${job?.id}: ${message}`));
process.once("SIGTERM", () => worker.close().then(() => queue.close()));

/** Plans a set. To call it again with the same `id` does no harm, as long as the queue keeps its job. */
export async function order(id: string, params: CreateScreenshotsParams): Promise<void> {
  // Retries sets without credits, and after deadlocks and lost connections of the database.
  const again = { attempts: 1_000_000, backoff: { type: "fixed", delay: 600_000 } };
  await queue.add("set", { params }, { jobId: id, priority: 1, ...again });
}
