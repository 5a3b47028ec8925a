/**
 * Plans sets in a BullMQ queue, on any number of processes that may die at any time. A set is charged at most once.
 *
 * ```
 * import { Queue, Worker } from "bullmq";
 * import { createProcessor, type SetData, workerOptions } from "screenshot-sets/bullmq";
 *
 * const queue = new Queue<SetData>("sets", { connection });
 * await queue.add("set", { params: { appId, device: "iphone-69" } }, { jobId: "order-7", priority: 1 });
 * const worker = new Worker("sets", createProcessor(client, { queue }), { connection, ...workerOptions });
 * ```
 *
 * @module screenshot-sets/bullmq
 */

export { createProcessor, type ProcessorOptions, workerOptions } from "./create-processor.js";
export type { SetData, SetJob } from "./set-queue.js";
