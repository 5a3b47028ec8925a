import { randomUUID } from "node:crypto";
import { DelayedError, type Job, UnrecoverableError } from "bullmq";
import { createProcessor, type ProcessorOptions, type SetData } from "screenshot-sets/bullmq";
import { expect, vi } from "vitest";
import { QueueScene, redisTest as test } from "../../helpers/queue-scene.js";
import { rejection } from "../../helpers/rejection.js";

const accepted = { version: 1, step: "accepted", jobId: "job_of_another", at: 1, polls: 0 } as const;

/** Runs a step whose create is answered only after `meanwhile` has happened to its job. */
async function stepWith(
  scene: QueueScene,
  answer: (...request: Parameters<typeof fetch>) => Promise<Response>,
  meanwhile: (job: Job<SetData>) => Promise<unknown>,
  queue: ProcessorOptions["queue"] = scene.queue,
): Promise<{ outcome: unknown; data: SetData }> {
  const token = randomUUID();
  const { job } = await scene.add({ note: "old" });
  const started = await scene.start(token);
  // As in BullMQ 5.0.
  started.priority = undefined as never;
  const client = scene.clientWith({
    // No time-out comes meanwhile.
    clock: { now: () => 0, sleep: () => new Promise<never>(() => {}) },
    fetch: async (...request) => {
      await meanwhile(await scene.stored(job.id));
      return answer(...request);
    },
  });
  const step = createProcessor(client, { queue })(started as never, token);
  const outcome = await Promise.resolve(step).catch((error: unknown) => error);
  return { outcome, data: (await scene.stored(job.id)).data };
}

test.each([
  [402, "Redis", (scene: QueueScene) => scene.queue],
  [429, "Redis", (scene: QueueScene) => scene.queue],
  [402, "another store", (scene: QueueScene) => scene.queueWithoutRedis],
] as const)(
  "a %d that comes late does not take back what another worker was charged for, on %s",
  async (status, _, queueOf) => {
    const scene = new QueueScene();
    const refuse = async () => new Response("{}", { status });
    const pay = (job: Job<SetData>) => job.updateData({ ...job.data, state: accepted });
    const { outcome, data } = await stepWith(scene, refuse, pay, queueOf(scene));
    expect(outcome).toMatchObject({ charged: "no" });
    expect(String((outcome as Error & { cause: Error }).cause.cause)).toContain("another worker");
    expect(data.state).toEqual(accepted);
  },
);

test("an acceptance that comes late does not replace that of another worker, and is named", async () => {
  const scene = new QueueScene();
  const { outcome, data } = await stepWith(scene, scene.mock.fetch, (job) =>
    job.updateData({ ...job.data, state: accepted }),
  );
  expect(outcome).toMatchObject({ charged: "yes", jobId: "job_1" });
  expect(data.state).toEqual(accepted);
});

test("an acceptance that comes late is not that of a new order under the same id", async () => {
  const scene = new QueueScene();
  const { outcome, data } = await stepWith(scene, scene.mock.fetch, async (job) => {
    await scene.expire(job);
    await job.remove();
    const { params } = job.data;
    await scene.queue.add("set", { params: { ...params, count: 7 } }, { jobId: job.id as string });
  });
  expect(outcome).toMatchObject({ charged: "yes", jobId: "job_1" });
  expect(data).toEqual({ params: expect.objectContaining({ count: 7 }) });
});

test.each([
  ["takes the state out of", ({ state: _, ...others }: SetData) => others, "old"],
  ["changes", (data: SetData) => ({ ...data, note: "new" }), "new"],
])("an acceptance that comes late counts where a user %s the data meanwhile", async (_, change, note) => {
  const scene = new QueueScene();
  const { outcome, data } = await stepWith(scene, scene.mock.fetch, (job) =>
    job.updateData(change(job.data)),
  );
  expect(outcome).toBeInstanceOf(DelayedError);
  expect(data).toMatchObject({ note, state: { step: "accepted", jobId: "job_1" } });
});

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
  const token = randomUUID();
  const { job } = await scene.add();
  const started = await scene.start(token);
  const { setTimeout } = globalThis;
  const faster = (run: () => void, ms = 0) => setTimeout(run, ms < 250 ? ms : ms / 1_000);
  vi.stubGlobal("setTimeout", Object.assign(faster, setTimeout));
  const queue = scene.queueThrough(refusing);
  const step = Promise.resolve(createProcessor(scene.client, { queue })(started as never, token));
  const error = await rejection(step).finally(() => vi.unstubAllGlobals());
  return { error, writes, state: (await scene.stored(job.id)).data.state };
}

test("an acceptance is stored though Redis refuses writes for a moment", async () => {
  const scene = new QueueScene();
  const { error, writes, state } = await stepWithRefusedWrites(scene, (write) => write === 2 || write === 3);
  expect(error).toBeInstanceOf(DelayedError);
  expect(writes).toBe(4);
  expect(state).toMatchObject({ step: "accepted", jobId: "job_1" });
  expect(scene.mock.credits.ledger()).toHaveLength(1);
});

test("an acceptance that Redis refuses for longer ends the set with the id of its job", async () => {
  const scene = new QueueScene();
  const { error, state } = await stepWithRefusedWrites(scene, (write) => write > 1);
  expect(error).toBeInstanceOf(UnrecoverableError);
  expect(error).toMatchObject({ charged: "yes", jobId: "job_1" });
  expect(state).toMatchObject({ step: "sending" });
});
