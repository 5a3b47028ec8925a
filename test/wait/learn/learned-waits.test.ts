import { ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { beforeEach, expect, test, vi } from "vitest";
import { randomFrom } from "../../../bench/waiting/random.js";
import { setAccess } from "../../../src/set-access.js";
import { LearnedPlan } from "../../../src/wait/learned-plan.js";

// Each goes through hundreds of polls; on a busy machine that takes its time.
vi.setConfig({ testTimeout: 30_000 });

// The jitter of all polls.
beforeEach(() => void vi.spyOn(Math, "random").mockImplementation(randomFrom(2)));

/** A client on a mock whose jobs take as long as is said. */
async function start() {
  const mock = createMock({ allowance: 100_000 });
  const client = new ScreenshotSets(mock.clientOptions);
  const other = new ScreenshotSets(mock.clientOptions);
  const { appId } = await other.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
  const set = { appId, device: "iphone-69" } as const;

  /** Lets the next job take so long. Returns when it was polled, in milliseconds since its beginning. */
  async function pollsOf(durationMs: number, wait: () => Promise<unknown>): Promise<number[]> {
    mock.nextJob({ outcome: "succeeded", lifecycle: { queued: 0, running: durationMs, unit: "ms" } });
    const [startedAt, before] = [mock.clock.now(), mock.requests({ operation: "getJob" }).length];
    await wait();
    const polls = mock.requests({ operation: "getJob" }).slice(before);
    return polls.map(({ time }) => time - startedAt);
  }

  return {
    mock,
    client,
    set,
    /** Creates a job and waits for it. */
    createAndWait: (durationMs: number) => pollsOf(durationMs, () => client.screenshots.createAndWait(set)),
    /** Waits for a job that another client created. */
    waitForOthers: (durationMs: number) =>
      pollsOf(durationMs, async () => client.waitForJob((await other.screenshots.create(set)).jobId)),
  };
}

/** Ten seconds, give or take half a second. */
const durations = Array.from({ length: 40 }, (_, index) => 9_500 + ((index * 379) % 1_000));

async function inTurn<Result>(durations: number[], wait: (durationMs: number) => Promise<Result>) {
  const results: Result[] = [];
  for (const durationMs of durations) results.push(await wait(durationMs));
  return results;
}

const mean = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

test("createAndWait polls less often and sees ends sooner, the more jobs it has seen", async () => {
  const { createAndWait } = await start();
  const polls = await inTurn(durations, (durationMs) => createAndWait(durationMs));

  const counts = polls.map(({ length }) => length);
  const late = polls.map((times, job) => (times.at(-1) as number) - (durations[job] as number));
  expect(mean(counts.slice(-10))).toBeLessThan(0.4 * mean(counts.slice(0, 5)));
  expect(mean(late.slice(-10))).toBeLessThan(0.8 * mean(late.slice(0, 5)));
});

test("short and long jobs by turns are both seen soon, with few polls", async () => {
  const { createAndWait } = await start();
  for (let round = 0; round < 15; round++) {
    await createAndWait(2_000);
    await createAndWait(20_000);
  }
  const [short, long] = [await createAndWait(2_000), await createAndWait(20_000)];
  expect(short.at(-1)).toBeLessThan(2_500);
  expect(long.filter((time) => time < 15_000).length).toBeLessThanOrEqual(5);
  expect(long.at(-1)).toBeLessThan(21_500);
});

test("jobs that become short are seen soon again", async () => {
  const { createAndWait } = await start();
  await inTurn(durations, createAndWait);
  const polls = await inTurn(Array<number>(40).fill(1_000), createAndWait);
  expect(mean(polls.slice(-10).map((times) => times.at(-1) as number))).toBeLessThan(1_500);
});

test("a bare id is polled once at the beginning, and then where ends are likely", async () => {
  const { waitForOthers } = await start();
  const polls = await inTurn(durations.slice(0, 30), waitForOthers);
  expect(polls.map(([first]) => first)).toEqual(polls.map(() => 0));
  expect(mean(polls.slice(-10).map(({ length }) => length))).toBeLessThan(6);
});

test("waits for the jobs of others teach nothing about one's own", async () => {
  const { createAndWait, waitForOthers } = await start();
  const first = await createAndWait(10_000);
  await inTurn(durations.slice(0, 20), waitForOthers);
  expect((await createAndWait(10_000)).length).toBeGreaterThan(0.8 * first.length);
});

test("what sets taught that are waited for elsewhere is used by waits", async () => {
  const { client, createAndWait } = await start();
  const unlearned = await createAndWait(10_000);
  for (let job = 0; job < 20; job++) client[setAccess].learn(9_000, 10_000 + 30 * job);
  expect((await createAndWait(10_000)).length).toBeLessThan(unlearned.length / 2);
  expect(client[setAccess].delayMs(0, { minDelayMs: 200, maxDelayMs: 30_000 })).toBeGreaterThan(1_000);
});

test("a job teaches once, however many wait for it", async () => {
  const { mock, client, set } = await start();
  const learn = vi.spyOn(LearnedPlan.prototype, "learn");
  mock.nextJob({ outcome: "succeeded", lifecycle: { queued: 0, running: 10_000, unit: "ms" } });
  const { jobId } = await client.screenshots.create(set);
  await Promise.all([1, 2, 3].map(() => client.waitForJob(jobId)));
  expect(learn).toHaveBeenCalledTimes(1);
});

test("a job that was over when its wait began teaches nothing", async () => {
  const { mock, client, set, createAndWait } = await start();
  await inTurn(durations.slice(0, 20), (durationMs) => createAndWait(durationMs));
  const expected = await createAndWait(10_000);
  for (let job = 0; job < 40; job++) {
    const { jobId } = await client.screenshots.create(set);
    await mock.clock.advance(4_000);
    mock.jobs.succeed(jobId);
    await client.waitForJob(jobId);
  }
  expect((await createAndWait(10_000)).length).toBeLessThanOrEqual(expected.length + 1);
});

test("nor does it on a clock that runs on between the beginning of a wait and its first poll", async () => {
  const { mock, set } = await start();
  let looks = 0;
  const now = () => mock.clock.now() + looks++ / 10;
  const client = new ScreenshotSets({ ...mock.clientOptions, clock: { now, sleep: mock.clock.sleep } });
  const learn = vi.spyOn(LearnedPlan.prototype, "learn");
  const { jobId } = await client.screenshots.create(set);
  mock.jobs.succeed(jobId);
  await client.waitForJob(jobId);
  expect(learn.mock.calls.filter(([unfinishedAt, finishedAt]) => unfinishedAt < finishedAt)).toEqual([]);
});

test("polls that the service asked for with Retry-After teach nothing", async () => {
  const { mock, createAndWait } = await start();
  await inTurn(durations.slice(0, 20), (durationMs) => createAndWait(durationMs));
  const expected = await createAndWait(10_000);
  for (let job = 0; job < 40; job++) {
    mock.fault({ status: 503, retryAfter: 15 }, { operation: "getJob" });
    await createAndWait(10_000);
  }
  const polls = await createAndWait(10_000);
  expect(polls.length).toBeLessThanOrEqual(expected.length + 1);
  expect(polls.at(-1)).toBeLessThan(11_000);
});
