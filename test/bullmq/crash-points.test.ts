import { randomUUID } from "node:crypto";
import type { Job } from "bullmq";
import { createProcessor, type SetData } from "screenshot-sets/bullmq";
import { expect } from "vitest";
import { QueueScene, redisTest as test } from "../helpers/queue-scene.js";

/** What a process that is killed does next: nothing. */
const nothing = new Promise<never>(() => {});
/** Nor do its time-outs come. */
const clock = { now: () => 0, sleep: () => nothing };

type Method = "extendLock" | "updateData" | "changePriority" | "updateProgress" | "moveToDelayed";

/** Starts the set of a scene, once it is its turn. */
async function start(scene: QueueScene, token: string): Promise<Job<SetData>> {
  const worker = await scene.asked();
  for (;;) {
    const job = await worker.getNextJob(token);
    if (job) return job;
  }
}

/**
 * Runs one step of a set in a worker that is killed on the way: at a call of its job, before or after Redis did it, or
 * at the request. Its lock then runs out, and the job is given to the next worker.
 */
async function kill(scene: QueueScene, at: Death): Promise<void> {
  const token = randomUUID();
  const job = await start(scene, token);
  await new Promise<void>((died) => {
    const die = () => {
      died();
      return nothing;
    };
    const calls = new Map<string, number>();
    const doomed = new Proxy(job, {
      get(target, name: Method) {
        const value = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return async (...args: unknown[]) => {
          const call = (calls.get(name) ?? 0) + 1;
          calls.set(name, call);
          const isHere = at.method === name && at.call === call;
          if (isHere && at.when === "before") return die();
          const result = await Reflect.apply(value, target, args);
          return isHere ? die() : result;
        };
      },
    });
    const { fetch } = scene.mock;
    const client = scene.clientWith({
      clock,
      fetch: async (...request: Parameters<typeof fetch>) => {
        if (at.method !== "request") return fetch(...request);
        if (at.when === "before") return die();
        await fetch(...request);
        return die();
      },
    });
    createProcessor(client, { queue: scene.queue, minDelayMs: 1, maxDelayMs: 1 })(doomed as never, token);
  });
  await scene.expire(job);
}

interface Death {
  method: Method | "request";
  /** Which of its calls. */
  call?: number;
  when: "before" | "after";
}

test.each<[string, Death, { ends: "succeeded" | "maybe"; charges: number }]>([
  [
    "before it asks for its lock",
    { method: "extendLock", call: 1, when: "before" },
    { ends: "succeeded", charges: 1 },
  ],
  [
    "before the record is saved",
    { method: "updateData", call: 1, when: "before" },
    { ends: "succeeded", charges: 1 },
  ],
  [
    "after the record is saved",
    { method: "updateData", call: 1, when: "after" },
    { ends: "maybe", charges: 0 },
  ],
  [
    "between the record and the create",
    { method: "extendLock", call: 2, when: "after" },
    { ends: "maybe", charges: 0 },
  ],
  [
    "in the create, before the service has it",
    { method: "request", when: "before" },
    { ends: "maybe", charges: 0 },
  ],
  [
    "in the create, after the service took it",
    { method: "request", when: "after" },
    { ends: "maybe", charges: 1 },
  ],
  [
    "between the answer and its save",
    { method: "updateData", call: 2, when: "before" },
    { ends: "maybe", charges: 1 },
  ],
  [
    "after the acceptance is saved",
    { method: "updateData", call: 2, when: "after" },
    { ends: "succeeded", charges: 1 },
  ],
  [
    "before the priority is changed",
    { method: "changePriority", call: 1, when: "before" },
    { ends: "succeeded", charges: 1 },
  ],
  [
    "before progress is told",
    { method: "updateProgress", call: 1, when: "before" },
    { ends: "succeeded", charges: 1 },
  ],
  [
    "between the save and the move",
    { method: "moveToDelayed", call: 1, when: "before" },
    { ends: "succeeded", charges: 1 },
  ],
  ["after the move", { method: "moveToDelayed", call: 1, when: "after" }, { ends: "succeeded", charges: 1 }],
])("a worker that dies %s leaves a set that is charged once at most", async (_, death, { ends, charges }) => {
  const scene = new QueueScene();
  const { job, end } = await scene.add({}, { priority: 1 });
  await kill(scene, { call: 1, ...death });
  expect(scene.mock.credits.ledger().length).toBeLessThanOrEqual(charges);

  scene.work({ stalledInterval: 10 });
  const { error } = await end;
  if (ends === "maybe") expect(error).toMatchObject({ charged: "maybe" });
  else expect((await scene.stored(job.id)).returnvalue).toMatchObject({ status: "succeeded" });
  expect(scene.mock.credits.ledger()).toHaveLength(charges);
  expect((await scene.stored(job.id)).priority).toBe(ends === "maybe" ? 1 : 0);
});

test("a set survives a crash in each of its looks", async () => {
  const scene = new QueueScene({ lifecycle: { queued: 5, running: 5, unit: "polls" } });
  const { end } = await scene.add({}, { priority: 1 });
  await kill(scene, { method: "moveToDelayed", call: 1, when: "before" });
  for (let deaths = 0; deaths < 8; deaths++) {
    await kill(scene, { method: "request", call: 1, when: deaths % 2 ? "before" : "after" });
  }
  scene.work({ stalledInterval: 10 });
  const { job, error } = await end;
  expect(error).toBeUndefined();
  expect(job.returnvalue).toMatchObject({ id: "job_1" });
  expect(scene.mock.credits.ledger()).toHaveLength(1);
});

test("a worker that was blocked past its lock keeps the acceptance of a set that another one ended", async () => {
  const scene = new QueueScene({ lifecycle: "instant" });
  const token = randomUUID();
  const { job, end } = await scene.add();
  const blocked = await start(scene, token);
  let wake = () => {};
  const { fetch } = scene.mock;
  const client = scene.clientWith({
    clock,
    fetch: async (...request: Parameters<typeof fetch>) => {
      const answer = await fetch(...request);
      await new Promise<void>((resolve) => {
        wake = resolve;
        scene.expire(blocked).then(() => scene.work({ stalledInterval: 10 }));
      });
      return answer;
    },
  });
  const step = createProcessor(client, { queue: scene.queue })(blocked as never, token);
  const { error } = await end;
  expect(error).toMatchObject({ charged: "maybe" });
  wake();
  await expect(step).rejects.toThrow(/lock/i);
  const failed = await scene.stored(job.id);
  expect(failed.data.state).toMatchObject({ step: "accepted", jobId: "job_1" });

  const again = scene.endOf(job.id as string);
  await failed.retry();
  expect((await again).job.returnvalue).toMatchObject({ id: "job_1" });
  expect(scene.mock.credits.ledger()).toHaveLength(1);
});

test("a worker that lost its lock while it wrote the record sends nothing", async () => {
  const scene = new QueueScene();
  const token = randomUUID();
  await scene.add();
  const job = await start(scene, token);
  const update = job.updateData.bind(job);
  job.updateData = async (data) => {
    await update(data);
    await scene.expire(job);
  };
  const step = createProcessor(scene.client, { queue: scene.queue })(job as never, token);
  await expect(step).rejects.toThrow(/Lost the lock/);
  expect(scene.mock.requests({ operation: "createScreenshots" })).toEqual([]);
});
