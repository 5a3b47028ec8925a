import { type Job, Worker } from "bullmq";
import { createProcessor, type SetData, workerOptions } from "screenshot-sets/bullmq";
import { expect, onTestFinished } from "vitest";
import { chargesByApp, QueueScene, redisConnection, redisTest as test } from "../../helpers/queue-scene.js";
import { shortenRecordAge } from "../../helpers/short-times.js";

// The create of a worker that died counts as in flight for a moment only.
shortenRecordAge(300);

/** More than the points on the way of a set: those before and after each call of its job, of Redis and of the service. */
const countOfSets = 60;

/** A set of these tests. */
interface Passing {
  job: Job<SetData>;
  /** The data that its producer added. */
  data: SetData;
  /** How many points it has passed. */
  passed: number;
  /** The data while the create was in flight. */
  seen?: SetData;
  /** The data when it came to the point at which something happens to it. */
  found?: SetData;
  /** Whether a worker held the job then. */
  isHeld?: boolean;
}

type Pass = (jobId: string, isHeld: boolean) => Promise<void>;

/** Has a set pass a point before and after each call of the target. */
function around<Target extends object>(
  target: Target,
  pass: Pass,
  jobIdOf: (...args: string[]) => string,
): Target {
  return new Proxy(target, {
    get(whole, name) {
      const value = Reflect.get(whole, name);
      if (typeof value !== "function" || name === "defineCommand") return value;
      return async (...args: string[]) => {
        await pass(jobIdOf(...args), true);
        const result = await Reflect.apply(value, whole, args);
        // Then the job may be another worker's already.
        await pass(jobIdOf(...args), name !== "moveToDelayed");
        return result;
      };
    },
  });
}

/** What a process that was killed does next. */
const nothing = new Promise<never>(() => {});

/** Starts a worker that takes over the sets of one that died. */
function work(scene: QueueScene, pass: Pass): void {
  // Keys are `bull:QUEUE:JOB` and perhaps `:lock`.
  const jobIdOf = (key: string) => key.split(":")[2] as string;
  const queue = scene.queueThrough((redis) => around(redis, pass, jobIdOf));
  const clientOf = ({ id = "" }: Job<SetData>) =>
    scene.clientThrough(around({ fetch: scene.mock.fetch }, pass, () => id).fetch);
  const processor = createProcessor(clientOf, { queue, minDelayMs: 1, maxDelayMs: 5 });
  const worker = new Worker<SetData>(
    scene.queue.name,
    (job, token) => processor(around(job, pass, () => job.id as string) as Job, token),
    // Sets of which a process dies keep their places in it.
    { connection: redisConnection(), ...workerOptions, drainDelay: 1, concurrency: 100, stalledInterval: 20 },
  );
  onTestFinished(() => worker.close(true));
}

/** Has something happen to sets, each at another of all points, and returns those that came to theirs, when all have ended. */
async function atEachPoint(happen: (set: Passing, scene: QueueScene) => Promise<unknown>) {
  const scene = new QueueScene({ lifecycle: { queued: 1, running: 1, unit: "polls" } });
  const sets = new Map<string, Passing & { at: number }>();
  for (let at = 0; at < countOfSets; at++) {
    const { job } = await scene.add({}, { priority: 1 });
    sets.set(job.id as string, { job, data: job.data, at, passed: 0 });
  }
  async function pass(jobId: string, isHeld: boolean) {
    const set = sets.get(jobId) as Passing & { at: number };
    const isReached = set.passed++ === set.at;
    const { data } = await scene.stored(jobId);
    if (data.state?.step === "sending") set.seen = data;
    if (!isReached) return;
    Object.assign(set, { found: data, isHeld });
    await happen(set, scene);
  }
  work(scene, pass);
  work(scene, pass);
  await expect.poll(() => scene.queue.getJobCountByTypes("completed", "failed")).toBe(countOfSets);
  const reached = [...sets.values()].filter(({ found }) => found !== undefined);
  expect(reached.length).toBeGreaterThan(20);
  expect(reached.length).toBeLessThan(countOfSets);
  const charges = chargesByApp(scene.mock);
  const ends = reached.map(async ({ job, data, found }) => {
    const { failedReason, priority } = await scene.stored(job.id);
    return {
      found,
      end: failedReason ?? "completed",
      priority,
      charges: charges.get(data.params.appId) ?? 0,
    };
  });
  return Promise.all(ends);
}

test.each([
  ["a producer, of what it added", ({ data }: Passing) => ({ ...data, traceId: "t-1" })],
  [
    "a board, of what it read while the create was in flight",
    ({ data, seen = data }: Passing) => ({ ...seen, note: "urgent" }),
  ],
])("a stale write at any point by %s pays nothing twice", async (_, dataOf) => {
  const sets = await atEachPoint((set) => set.job.updateData(dataOf(set)));
  for (const set of sets) expect(set).toMatchObject({ end: "completed", charges: 1, priority: 0 });
});

test.each(["", " and whose data is written anew"])(
  "a worker that dies at any point leaves a set%s that is charged once at most",
  async (and) => {
    const sets = await atEachPoint(async ({ job, data, isHeld }, scene) => {
      if (and !== "") await job.updateData({ ...data, note: "urgent" } as SetData);
      if (isHeld) await scene.expire(job);
      await nothing;
    });
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
