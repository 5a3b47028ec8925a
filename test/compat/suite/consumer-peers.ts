import { Queue, Worker } from "bullmq";
import { type PlannedSet, ScreenshotSets } from "screenshot-sets";
import { createProcessor, type SetData, workerOptions } from "screenshot-sets/bullmq";
import { undiciFetch } from "screenshot-sets/undici";

export function work(connection: { host: string; port: number }): Worker<SetData, PlannedSet> {
  const client = new ScreenshotSets({ fetch: undiciFetch() });
  const queue = new Queue<SetData>("sets", { connection });
  return new Worker("sets", createProcessor(client, { queue }), { connection, ...workerOptions });
}
