import { randomUUID } from "node:crypto";
import { type Job, Worker } from "bullmq";
import { createProcessor, type SetData, workerOptions } from "screenshot-sets/bullmq";
import { expect, onTestFinished } from "vitest";
import { QueueScene, redisConnection, redisTest as test } from "../../helpers/queue-scene.js";

type Call = (...args: unknown[]) => Promise<unknown>;

/**
 * Counts what a set does on its way, before and after each call of its job, of Redis, and of the service, and has
 * something happen at these points.
 */
class Points {
  readonly #passed = new Map<string, number>();

  constructor(private readonly happen: (jobId: string, point: number, isHeld: boolean) => unknown) {}

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
          await this.#pass(jobIdOf(args), true);
          const result = await Reflect.apply(value, whole, args);
          // Then the job may be another worker's already.
          await this.#pass(jobIdOf(args), name !== "moveToDelayed");
          return result;
        };
      },
    });
  }

  async #pass(jobId: string, isHeld: boolean): Promise<void> {
    const point = this.#passed.get(jobId) ?? 0;
    this.#passed.set(jobId, point + 1);
    await this.happen(jobId, point, isHeld);
  }
}

/** What a process that was killed does next; nor do the time-outs of the mock's clock come meanwhile. */
const nothing = new Promise<never>(() => {});
const clock = { now: () => 0, sleep: () => nothing };

/** Starts workers whose sets pass these points; those of one that died are taken over after `stalledInterval`. */
function work(scene: QueueScene, points: Points, count: number, stalledInterval = 30_000): void {
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
    const worker = new Worker<SetData>(
      scene.queue.name,
      (job, token) => processor(points.around(job, () => job.id as string) as Job, token),
      // Sets of which a process dies keep their places in it.
      { connection: redisConnection(), ...workerOptions, drainDelay: 1, concurrency: 100, stalledInterval },
    );
    onTestFinished(() => worker.close(true));
  }
}

const lifecycle = { queued: 1, running: 1, unit: "polls" } as const;
let countOfPoints: number | undefined;

/** How many points a set passes to which nothing happens. */
async function countPoints(): Promise<number> {
  const scene = new QueueScene({ lifecycle });
  const points = new Points(() => {});
  await scene.add({}, { priority: 1 });
  work(scene, points, 1);
  await expect.poll(() => scene.queue.getCompletedCount()).toBe(1);
  return points.passed[0] as number;
}

interface Added {
  /** The point at which something happens to the set. */
  at: number;
  job: Job<SetData>;
  /** The data that its producer added. */
  data: SetData;
  /** The data while the create was in flight. */
  seen?: SetData;
  /** The data when it happened. */
  found?: SetData;
  /** Whether a worker held the job then. */
  isHeld?: boolean;
}

/** Has something happen to sets, each at another of all points, and returns them when all have ended. */
async function atEachPoint(
  happen: (set: Added, scene: QueueScene) => Promise<unknown>,
  { workers = 1, stalledInterval = 30_000 },
) {
  countOfPoints ??= await countPoints();
  expect(countOfPoints).toBeGreaterThan(20);
  const scene = new QueueScene({ lifecycle });
  const added = new Map<string, Added>();
  const points = new Points(async (jobId, point, isHeld) => {
    const set = added.get(jobId);
    if (set === undefined) return;
    const { data } = await scene.stored(jobId);
    if (data.state?.step === "sending") set.seen = data;
    if (point !== set.at) return;
    Object.assign(set, { found: data, isHeld });
    await happen(set, scene);
  });
  for (let at = 0; at < countOfPoints; at++) {
    const { job } = await scene.add({}, { priority: 1, jobId: randomUUID() });
    added.set(job.id as string, { at, job, data: job.data });
  }
  work(scene, points, workers, stalledInterval);
  const counts = () => scene.queue.getJobCounts("completed", "failed");
  await expect
    .poll(async () => Object.values(await counts()).reduce((sum, count) => sum + count))
    .toBe(countOfPoints);
  // It happened to each of them.
  expect([...added.values()].filter(({ found }) => found === undefined)).toEqual([]);
  const charges = new Map<string, number>();
  for (const { body, credits } of scene.mock.requests({ operation: "createScreenshots" })) {
    const { appId } = body as SetData["params"];
    if (credits > 0) charges.set(appId, (charges.get(appId) ?? 0) + 1);
  }
  const ends = [...added.values()].map(async ({ job, data, ...set }) => ({
    ...set,
    end: (await scene.stored(job.id)).failedReason ?? "completed",
    priority: await scene.storedPriority(job),
    charges: charges.get(data.params.appId) ?? 0,
  }));
  return Promise.all(ends);
}

test.each([
  {
    ...{ who: "a producer, of what it added", workers: 4 },
    dataOf: ({ data }: Added) => ({ ...data, traceId: "t-1" }),
  },
  {
    ...{ who: "a board, of what it read while the create was in flight", workers: 1 },
    dataOf: ({ data, seen = data }: Added) => ({ ...seen, note: "urgent" }),
  },
])("a stale write at any point by $who pays nothing twice", async ({ workers, dataOf }) => {
  const sets = await atEachPoint((set) => set.job.updateData(dataOf(set)), { workers });
  for (const set of sets) expect(set).toMatchObject({ end: "completed", charges: 1, priority: 0 });
});

test.each([{ and: "" }, { and: " and whose data is written anew" }])(
  "a worker that dies at any point leaves a set$and that is charged once at most",
  async ({ and }) => {
    const die = async ({ job, data, isHeld }: Added, scene: QueueScene) => {
      if (and !== "") await job.updateData({ ...data, note: "urgent" } as SetData);
      if (isHeld) await scene.expire(job);
      await nothing;
    };
    const sets = await atEachPoint(die, { stalledInterval: 20 });
    for (const { found, charges, ...set } of sets) {
      if (found?.state?.step === "sending") {
        expect(set).toMatchObject({ end: expect.stringContaining("charged: maybe"), priority: 1 });
        expect(charges).toBeLessThanOrEqual(1);
      } else {
        expect({ ...set, charges }).toMatchObject({ end: "completed", priority: 0, charges: 1 });
      }
    }
    // Before the create and after it, the first of which were not charged.
    const uncertain = sets.filter(({ end }) => end !== "completed");
    expect(new Set(uncertain.map(({ charges }) => charges))).toEqual(new Set([0, 1]));
  },
);
