import { randomUUID } from "node:crypto";
import { createProcessor, type SetData } from "screenshot-sets/bullmq";
import { expect } from "vitest";
import { QueueScene, redisTest as test } from "../../helpers/queue-scene.js";

/** What a process that is killed does next: nothing. */
const nothing = new Promise<never>(() => {});
/** Nor do its time-outs come. */
const clock = { now: () => 0, sleep: () => nothing };

type Method = "extendLock" | "changePriority" | "updateProgress" | "moveToDelayed";
/** The script that stores the record, and then the answer. */
const replace = "screenshotSets:replace";

/**
 * Runs one step of a set in a worker that is killed on the way: at a call of its job, before or after Redis did it, or
 * at the request. Its lock then runs out, and the job is given to the next worker.
 */
async function kill(scene: QueueScene, at: Death): Promise<void> {
  const token = randomUUID();
  const job = await scene.start(token);
  await new Promise<void>((died) => {
    const die = () => {
      died();
      return nothing;
    };
    const calls = new Map<string, number>();
    const doomed = <Target extends object>(whole: Target) =>
      new Proxy(whole, {
        get(target, name: string) {
          const value = Reflect.get(target, name);
          if (typeof value !== "function" || name === "defineCommand") return value;
          return async (...args: unknown[]) => {
            const call = (calls.get(name) ?? 0) + 1;
            calls.set(name, call);
            const isHere = at.method === name && (at.call ?? 1) === call;
            if (isHere && at.when === "before") return die();
            const result = await Reflect.apply(value, target, args);
            return isHere ? die() : result;
          };
        },
      });
    const queue = scene.queueThrough(doomed);
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
    createProcessor(client, { queue, minDelayMs: 1, maxDelayMs: 1 })(doomed(job) as never, token);
  });
  await scene.expire(job);
}

interface Death {
  method: Method | typeof replace | "request";
  /** Which of its calls; the first. */
  call?: number;
  when: "before" | "after";
}

interface Crash extends Death {
  dies: string;
  /** How the set does. */
  ends: "done" | "maybe";
  charges: number;
}

const crashes: Crash[] = [
  { dies: "before it asks for its lock", method: "extendLock", when: "before", ends: "done", charges: 1 },
  { dies: "before it saves the record", method: "extendLock", when: "after", ends: "done", charges: 1 },
  { dies: "after the record", method: "extendLock", call: 2, when: "before", ends: "maybe", charges: 0 },
  { dies: "before the create", method: "extendLock", call: 2, when: "after", ends: "maybe", charges: 0 },
  { dies: "before the service has the create", method: "request", when: "before", ends: "maybe", charges: 0 },
  { dies: "after the service took it", method: "request", when: "after", ends: "maybe", charges: 1 },
  { dies: "before it saves the answer", method: replace, call: 2, when: "before", ends: "maybe", charges: 1 },
  { dies: "after the answer is saved", method: replace, call: 2, when: "after", ends: "done", charges: 1 },
  { dies: "before the priority changes", method: "changePriority", when: "before", ends: "done", charges: 1 },
  { dies: "before it tells progress", method: "updateProgress", when: "before", ends: "done", charges: 1 },
  { dies: "before the move", method: "moveToDelayed", when: "before", ends: "done", charges: 1 },
  { dies: "after the move", method: "moveToDelayed", when: "after", ends: "done", charges: 1 },
];

test.each([
  ...crashes.map((crash) => ({ ...crash, and: "", isOverwritten: false })),
  ...crashes.map((crash) => ({ ...crash, and: " and whose data is written anew", isOverwritten: true })),
])("a worker that dies $dies leaves a set$and that is charged once at most", async (crash) => {
  const { ends, charges, isOverwritten } = crash;
  const scene = new QueueScene();
  const { job, end } = await scene.add({}, { priority: 1 });
  await kill(scene, crash);
  expect(scene.mock.credits.ledger().length).toBeLessThanOrEqual(charges);
  // The producer's own copy of the data is from before the step.
  if (isOverwritten) await job.updateData({ ...job.data, note: "urgent" } as SetData);

  scene.work({ stalledInterval: 10 });
  const { error } = await end;
  if (ends === "maybe") expect(error).toMatchObject({ charged: "maybe" });
  else expect((await scene.stored(job.id)).returnvalue).toMatchObject({ status: "succeeded" });
  expect(scene.mock.credits.ledger()).toHaveLength(charges);
  expect(await scene.storedPriority(job)).toBe(ends === "maybe" ? 1 : 0);
});

test("a set survives a crash in each of its looks", async () => {
  const scene = new QueueScene({ lifecycle: { queued: 5, running: 5, unit: "polls" } });
  const { end } = await scene.add({}, { priority: 1 });
  await kill(scene, { method: "moveToDelayed", when: "before" });
  for (let deaths = 0; deaths < 8; deaths++) {
    await kill(scene, { method: "request", when: deaths % 2 ? "before" : "after" });
  }
  scene.work({ stalledInterval: 10 });
  const { job, error } = await end;
  expect(error).toBeUndefined();
  expect(job.returnvalue).toMatchObject({ id: "job_1" });
  expect(scene.mock.credits.ledger()).toHaveLength(1);
});
