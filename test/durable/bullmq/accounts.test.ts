import { ConfigurationError, ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { expect } from "vitest";
import { QueueScene, redisTest as test, told } from "../../helpers/queue-scene.js";

/** A queue that serves two accounts, by a name in the data of each job. */
function twoAccounts() {
  const scene = new QueueScene({ lifecycle: { queued: 1, running: 1, unit: "polls" } });
  const busy = createMock({ lifecycle: "instant", allowance: 100_000 });
  const clients = { good: scene.client, busy: new ScreenshotSets(busy.clientOptions) };
  const client = (job: { data: object }) => clients[(job.data as { account: "good" | "busy" }).account];
  const add = (account: "good" | "busy") => scene.add({ account }, { priority: 1 });
  return { scene, busy, client, add };
}

test("a 429 of one account does not hold up the sets of another", async () => {
  const { scene, busy, client, add } = twoAccounts();
  busy.fault({ status: 429, retryAfter: 3_600 }, { operation: "createScreenshots", times: 1_000 });
  for (let index = 0; index < 10; index++) await add("busy");
  const sets = await Promise.all(Array.from({ length: 10 }, () => add("good")));
  scene.work({ client, concurrency: 5 });
  const ends = await Promise.all(sets.map(({ end }) => end));
  expect(ends.filter(({ error }) => error)).toEqual([]);
  expect(scene.mock.credits.ledger()).toHaveLength(10);
  // Those that were in flight together met it, and the others wait for its end.
  expect(busy.requests({ operation: "createScreenshots" }).length).toBeLessThanOrEqual(5);
  expect(busy.credits.used).toBe(0);
});

test("the sets of an account go on when its 429 is over", async () => {
  const { scene, busy, client, add } = twoAccounts();
  busy.fault({ status: 429, retryAfter: 0.3 }, { operation: "createScreenshots" });
  scene.work({ client });
  // The first apps of both services have the same id.
  await client({ data: { account: "busy" } }).apps.create({
    iosUrl: "https://apps.apple.com/us/app/example/id1",
  });
  const { end } = await add("busy");
  expect((await end).job.returnvalue).toMatchObject({ id: "job_1" });
  expect(busy.credits.ledger()).toHaveLength(1);
});

test.each([401, 402])("a %d of one account neither ends nor delays the sets of another", async (status) => {
  const { scene, busy, client, add } = twoAccounts();
  busy.fault({ status }, { operation: "createScreenshots" });
  scene.work({ client });
  const refused = await add("busy");
  expect((await refused.end).error).toMatchObject({ status, charged: "no" });
  const { end } = await add("good");
  expect((await end).error).toBeUndefined();
  expect(scene.mock.credits.ledger()).toHaveLength(1);
});

test("a job without a client ends before anything is sent, and others go on", async () => {
  const { scene, client, add } = twoAccounts();
  scene.work({ client: async (job) => client(job) });
  const { error } = await (await scene.add({ account: "unknown" })).end;
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error.message).toContain("Expected `client` to be");
  expect((await (await add("good")).end).error).toBeUndefined();
});

test("sets that were not begun do not try an empty allowance one after the other", async () => {
  const scene = new QueueScene({ allowance: 0 });
  const failed = told(scene.work(), "failed");
  const options = { attempts: 3, backoff: { type: "fixed", delay: 1 } };
  const refused = await scene.add({}, options);
  await failed;
  const others = await Promise.all([scene.add({}, options), scene.add({}, options)]);
  const stateOf = async (id: string | undefined) => (await scene.stored(id)).getState();
  await expect.poll(() => stateOf(refused.job.id)).toBe("failed");
  for (const { job } of others) {
    await expect.poll(() => stateOf(job.id)).toBe("delayed");
    expect(await scene.stored(job.id)).toMatchObject({ attemptsMade: 0, data: job.data });
  }
  // The three attempts of the set that was refused first.
  expect(scene.mock.requests({ operation: "createScreenshots" })).toHaveLength(3);
});

test("sets that were paid are looked at while the allowance is empty, and a set that was refused may be retried", async () => {
  const scene = new QueueScene({ lifecycle: "manual", allowance: 10 });
  const worker = scene.work();
  const accepted = told(worker, "progress");
  const paid = await scene.add();
  await accepted;
  const refused = await scene.add();
  expect((await refused.end).error).toMatchObject({ status: 402 });
  scene.mock.jobs.succeed("job_1");
  expect((await paid.end).job.returnvalue).toMatchObject({ id: "job_1" });

  scene.mock.credits.set(100);
  scene.mock.nextJob({ outcome: "succeeded", lifecycle: "instant" });
  expect((await scene.retried(refused.job.id)).job.returnvalue).toMatchObject({ id: "job_2" });
  // Others need not wait any more.
  scene.mock.nextJob({ outcome: "succeeded", lifecycle: "instant" });
  expect((await (await scene.add()).end).job.returnvalue).toMatchObject({ id: "job_3" });
});
