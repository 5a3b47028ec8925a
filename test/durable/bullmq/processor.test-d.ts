import { type Processor, Queue, Worker } from "bullmq";
import type { PlannedSet, ScreenshotSets } from "screenshot-sets";
import {
  createProcessor,
  type ProcessorOptions,
  type SetData,
  type SetJob,
  workerOptions,
} from "screenshot-sets/bullmq";
import type { SetState } from "screenshot-sets/durable";
import { expectTypeOf, test } from "vitest";

declare const client: ScreenshotSets;
declare const queue: Queue<SetData>;
const connection = {};

test("a processor takes the data of sets and returns the planned set", () => {
  const processor = createProcessor(client, { queue });
  expectTypeOf(processor).toEqualTypeOf<Processor<SetData, PlannedSet>>();
  const worker = new Worker("sets", processor, { connection, ...workerOptions, concurrency: 10 });
  expectTypeOf(worker).toEqualTypeOf<Worker<SetData, PlannedSet>>();
  worker.on("completed", (job, set) => {
    expectTypeOf(job).toEqualTypeOf<SetJob>();
    expectTypeOf(set).toEqualTypeOf<PlannedSet>();
  });
});

test("a queue of any data will do, and a `limiter` of one's own comes after `workerOptions`", () => {
  const processor = createProcessor(client, { queue: new Queue("sets"), timeoutMs: 1, minDelayMs: 1 });
  new Worker("sets", processor, { connection, ...workerOptions, limiter: { max: 10, duration: 1_000 } });
});

test("a client may depend on the job, at once or later", () => {
  createProcessor((job) => (job.data.params.appId === "app_1" ? client : client), { queue });
  createProcessor(async (job: SetJob) => (await job.getState()) && client, { queue } as ProcessorOptions);
  // @ts-expect-error -- no client
  createProcessor((job) => job.data, { queue });
});

test("a set is added with what `screenshots.create` takes", () => {
  queue.add("set", { params: { appId: "app_1", device: "iphone-69" } }, { jobId: "order-7", priority: 1 });
  // @ts-expect-error -- parameters are one level deeper
  queue.add("set", { appId: "app_1", device: "iphone-69" });
  expectTypeOf<SetData["params"]>().toEqualTypeOf<Parameters<typeof client.screenshots.create>[0]>();
  expectTypeOf<SetData["state"]>().toEqualTypeOf<SetState | undefined>();
});

test("a processor needs its queue, and nothing that it does not know", () => {
  // @ts-expect-error -- no queue
  createProcessor(client, {});
  // @ts-expect-error -- a queue by its name
  createProcessor(client, { queue: "sets" });
  // @ts-expect-error -- misspelt
  createProcessor(client, { queue, timeOutMs: 1 });
  // @ts-expect-error -- a mock is no client
  createProcessor({ jobs: {} }, { queue });
});
