import { DelayedError, type Job, UnrecoverableError } from "bullmq";
import type { ProcessorOptions, SetData } from "screenshot-sets/bullmq";
import { expect, vi } from "vitest";
import { QueueScene, stores, redisTest as test } from "../../helpers/queue-scene.js";
import { rejection } from "../../helpers/rejection.js";

const accepted = { version: 1, step: "accepted", jobId: "job_of_another", at: 1, polls: 0 } as const;

/** Another worker stores its acceptance. */
const payElsewhere = (job: Job<SetData>) => job.updateData({ ...job.data, state: accepted });

/** How a step ends whose create is answered only after `meanwhile` has happened to its job, and what is stored then. */
async function stepWith(
  scene: QueueScene,
  meanwhile: (job: Job<SetData>) => Promise<unknown>,
  answer = scene.mock.fetch,
  queue: ProcessorOptions["queue"] = scene.queue,
) {
  const { job, step } = await scene.taken({ note: "old" });
  const client = scene.clientThrough(async (...request) => {
    await meanwhile(await scene.stored(job.id));
    return answer(...request);
  });
  const outcome = await rejection(step({ client, queue }));
  return { outcome, data: (await scene.stored(job.id)).data };
}

test.each(stores)(
  "a 402 that comes late does not take back what another worker was charged for, on %s",
  async (_, queueOf) => {
    const scene = new QueueScene();
    const refuse = async () => new Response("{}", { status: 402 });
    const { outcome, data } = await stepWith(scene, payElsewhere, refuse, queueOf(scene));
    expect(outcome).toMatchObject({ charged: "no" });
    expect(String(outcome.cause.cause)).toContain("another worker");
    expect(data.state).toEqual(accepted);
  },
);

test("an acceptance that comes late does not replace that of another worker, and is named", async () => {
  const { outcome, data } = await stepWith(new QueueScene(), payElsewhere);
  expect(outcome).toMatchObject({ charged: "yes", jobId: "job_1" });
  expect(data.state).toEqual(accepted);
});

test("an acceptance that comes late is not that of a new order under the same id", async () => {
  const scene = new QueueScene();
  const { outcome, data } = await stepWith(scene, async (job) => {
    await scene.expire(job);
    await job.remove();
    const { params } = job.data;
    await scene.queue.add("set", { params: { ...params, count: 7 } }, { jobId: job.id as string });
  });
  expect(outcome).toMatchObject({ charged: "yes", jobId: "job_1" });
  expect(data).toEqual({ params: expect.objectContaining({ count: 7 }) });
});

test.each(stores)(
  "an acceptance that comes late counts where a user has written other data, on %s",
  async (_, queueOf) => {
    const scene = new QueueScene();
    const change = (job: Job<SetData>) => job.updateData({ params: job.data.params, note: "new" } as SetData);
    const { outcome, data } = await stepWith(scene, change, scene.mock.fetch, queueOf(scene));
    expect(outcome).toBeInstanceOf(DelayedError);
    expect(data).toMatchObject({ note: "new", state: { step: "accepted", jobId: "job_1" } });
  },
);

/** Runs a step while Redis refuses some of its writes, the first of which is the record. Time goes faster. */
async function stepWithRefusedWrites(scene: QueueScene, isRefused: (write: number) => boolean) {
  let writes = 0;
  const refusing = <Redis extends object>(redis: Redis) =>
    new Proxy(redis, {
      get(target, name: string) {
        const value = Reflect.get(target, name) as () => unknown;
        if (name !== "screenshotSets:replace") return value;
        return async (...args: unknown[]) => {
          if (isRefused(++writes)) throw new Error("READONLY You can't write now.");
          return Reflect.apply(value, target, args);
        };
      },
    });
  const { job, step } = await scene.taken();
  const { setTimeout } = globalThis;
  const faster = (run: () => void, ms = 0) => setTimeout(run, ms < 250 ? ms : ms / 1_000);
  vi.stubGlobal("setTimeout", Object.assign(faster, setTimeout));
  const outcome = await rejection(step({ queue: scene.queueThrough(refusing) }));
  vi.unstubAllGlobals();
  return { outcome, writes, state: (await scene.stored(job.id)).data.state };
}

test("an acceptance is stored though Redis refuses writes for a moment", async () => {
  const isRefused = (write: number) => write === 2 || write === 3;
  const { outcome, writes, state } = await stepWithRefusedWrites(new QueueScene(), isRefused);
  expect(outcome).toBeInstanceOf(DelayedError);
  expect({ writes, state }).toMatchObject({ writes: 4, state: { step: "accepted", jobId: "job_1" } });
});

test("an acceptance that Redis refuses for longer ends the set with the id of its job", async () => {
  const { outcome, state } = await stepWithRefusedWrites(new QueueScene(), (write) => write > 1);
  expect(outcome).toBeInstanceOf(UnrecoverableError);
  expect(outcome).toMatchObject({ charged: "yes", jobId: "job_1" });
  expect(state).toMatchObject({ step: "sending" });
});
