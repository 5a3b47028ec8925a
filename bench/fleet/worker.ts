import { Queue, Worker } from "bullmq";
import { ourProcessor, ours } from "../contestants.js";
import type { WorkerOrder } from "./fleet.js";

// A worker process with the processor or with the usual code, `createAndWait` inside a worker.

const order: WorkerOrder = JSON.parse(process.argv[2] as string);
const { kind, name, concurrency, clientOptions } = order;
const connection = { host: "127.0.0.1", port: order.port, maxRetriesPerRequest: null };
const { ScreenshotSets } = await ours();
const { createProcessor, workerOptions } = await ourProcessor();
const client = new ScreenshotSets(clientOptions);
const queue = new Queue(name, { connection });
const processor =
  kind === "processor"
    ? createProcessor(client, { queue })
    : // biome-ignore lint/suspicious/noExplicitAny: the data of any job
      async ({ data }: any) => client.screenshots.createAndWait(data.params);
new Worker(name, processor as never, { connection, ...workerOptions, concurrency });

process.on("message", () => {
  globalThis.gc?.();
  process.send?.(process.memoryUsage().heapUsed);
});
process.once("disconnect", () => process.exit());
if (!process.connected) process.exit();
