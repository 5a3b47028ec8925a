import { randomUUID } from "node:crypto";
import { type Job, Worker } from "bullmq";
import { createProcessor, type SetData, workerOptions } from "screenshot-sets/bullmq";
import { expect, onTestFinished } from "vitest";
import { QueueScene, redisConnection, redisTest as test } from "../../helpers/queue-scene.js";

type Call = (...args: unknown[]) => Promise<unknown>;

/**
 * Counts what a set does on its way, before and after each call of its job, of Redis, and of the service, and writes
 * its data anew at one of these points.
 */
class Points {
  readonly #passed = new Map<string, number>();

  constructor(private readonly write: (jobId: string, point: number) => unknown) {}

  /** How many points each set has passed. */
  get passed(): number[] {
    return [...this.#passed.values()];
  }

  around<Target extends object>(target: Target, jobIdOf: (args: unknown[]) => string): Target {
    return new Proxy(target, {
      get: (whole, name: string) => {
        const value = Reflect.get(whole, name);
        if (typeof value !== "function" || name === "defineCommand") return value;
        return async (...args: unknown[]) => {
          await this.#pass(jobIdOf(args));
          const result = await Reflect.apply(value, whole, args);
          await this.#pass(jobIdOf(args));
          return result;
        };
      },
    });
  }

  async #pass(jobId: string): Promise<void> {
    const point = this.#passed.get(jobId) ?? 0;
    this.#passed.set(jobId, point + 1);
    await this.write(jobId, point);
  }
}

/** The mock's clock would end calls while a write takes its time. */
const clock = { now: () => 0, sleep: () => new Promise<never>(() => {}) };

/** Starts workers whose sets pass these points. */
function work(scene: QueueScene, points: Points, count: number): void {
  for (let index = 0; index < count; index++) {
    // Keys are `bull:QUEUE:JOB` and perhaps `:lock`.
    const queue = scene.queueThrough((redis) =>
      points.around(redis, ([key]) => (key as string).split(":")[2] as string),
    );
    const processor = createProcessor(
      (job) => {
        const through = { fetch: scene.mock.fetch as unknown as Call };
        const { fetch } = points.around(through, () => job.id as string);
        return scene.clientWith({ clock, fetch: fetch as unknown as typeof globalThis.fetch });
      },
      { queue, minDelayMs: 1, maxDelayMs: 5 },
    );
    const options = { connection: redisConnection(), ...workerOptions, concurrency: 5, drainDelay: 1 };
    const worker = new Worker<SetData>(
      scene.queue.name,
      (job, token) => processor(points.around(job, () => job.id as string) as Job, token),
      options,
    );
    onTestFinished(() => worker.close());
  }
}

const lifecycle = { queued: 1, running: 1, unit: "polls" } as const;

/** How many points a set passes that nobody writes to. */
async function countPoints(): Promise<number> {
  const scene = new QueueScene({ lifecycle });
  const points = new Points(() => {});
  await scene.add({}, { priority: 1 });
  work(scene, points, 1);
  await expect.poll(() => scene.queue.getCompletedCount()).toBe(1);
  return points.passed[0] as number;
}

interface Writer {
  who: string;
  /** The data that it writes. */
  data(added: SetData, seen: SetData): SetData;
}

const producer: Writer = {
  who: "a producer, of what it added",
  data: (added) => ({ ...added, traceId: "t-1" }) as SetData,
};
const board: Writer = {
  who: "a board, of what it read while the create was in flight",
  data: (added, seen) => ({ ...(seen.state ? seen : added), note: "urgent" }) as SetData,
};

test.each([
  { workers: 4, ...producer },
  { workers: 1, ...board },
])("a stale write at any point by $who pays nothing twice ($workers workers)", async ({ workers, data }) => {
  const count = await countPoints();
  expect(count).toBeGreaterThan(20);
  const scene = new QueueScene({ lifecycle });
  const added = new Map<string, { at: number; job: Job<SetData>; seen: SetData }>();
  const points = new Points(async (jobId, point) => {
    const set = added.get(jobId);
    if (set === undefined) return;
    const stored = await scene.stored(jobId);
    if (stored.data.state?.step === "sending") set.seen = stored.data;
    if (point === set.at) await set.job.updateData(data(set.job.data, set.seen));
  });
  for (let at = 0; at < count; at++) {
    const { job } = await scene.add({}, { priority: 1, jobId: randomUUID() });
    added.set(job.id as string, {
      at,
      job: { ...job, updateData: job.updateData.bind(job) } as never,
      seen: job.data,
    });
  }
  work(scene, points, workers);
  await expect.poll(() => scene.queue.getCompletedCount()).toBe(count);
  expect(await scene.queue.getFailedCount()).toBe(0);
  const apps = scene.mock
    .requests({ operation: "createScreenshots" })
    .map(({ body }) => (body as SetData["params"]).appId);
  expect(new Set(apps).size).toBe(apps.length);
  expect(scene.mock.credits.used).toBe(10 * count);
  // The write took place at each of them.
  expect(Math.min(...points.passed)).toBeGreaterThanOrEqual(count);
});
