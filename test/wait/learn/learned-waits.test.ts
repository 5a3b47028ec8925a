import { ScreenshotSets, type WaitOptions } from "screenshot-sets";
import { createMock, type Mock } from "screenshot-sets/mock";
import { beforeEach, expect, test, vi } from "vitest";
import { randomFrom } from "../../../bench/waiting/random.js";

// Each goes through hundreds of polls; on a busy machine that takes its time.
vi.setConfig({ testTimeout: 30_000 });

// The jitter of all polls.
beforeEach(() => void vi.spyOn(Math, "random").mockImplementation(randomFrom(2)));

/** A client on a mock whose jobs take as long as is said. */
function start() {
  const mock = createMock({ allowance: 100_000 });
  const client = new ScreenshotSets(mock.clientOptions);

  /** When the job was polled, in milliseconds since it began. */
  const pollsSince = (startedAt: number, before: number) =>
    mock
      .requests({ operation: "getJob" })
      .slice(before)
      .map(({ time }) => time - startedAt);
  const pollCount = () => mock.requests({ operation: "getJob" }).length;
  const plan = (durationMs: number) =>
    mock.nextJob({ outcome: "succeeded", lifecycle: { queued: 0, running: durationMs, unit: "ms" } });

  return {
    mock,
    client,
    /** Creates a job and waits for it. Returns when it was polled. */
    async createAndWait(
      durationMs: number,
      { count = 5, ...options }: WaitOptions & { count?: number } = {},
    ) {
      plan(durationMs);
      const [startedAt, before] = [mock.clock.now(), pollCount()];
      await client.screenshots.createAndWait(
        { appId: await appOf(mock), device: "iphone-69", count },
        options,
      );
      return pollsSince(startedAt, before);
    },
    /** Waits for a job that another client created. */
    async waitForOthers(durationMs: number) {
      plan(durationMs);
      const other = new ScreenshotSets(mock.clientOptions);
      const { jobId } = await other.screenshots.create({ appId: await appOf(mock), device: "iphone-69" });
      const [startedAt, before] = [mock.clock.now(), pollCount()];
      await client.waitForJob(jobId);
      return pollsSince(startedAt, before);
    },
  };
}

const apps = new WeakMap<Mock, string>();

async function appOf(mock: Mock): Promise<string> {
  const known = apps.get(mock);
  if (known !== undefined) return known;
  const listing = { iosUrl: "https://apps.apple.com/us/app/example/id1234567890" };
  const { appId } = await new ScreenshotSets(mock.clientOptions).apps.create(listing);
  apps.set(mock, appId);
  return appId;
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
  const { createAndWait } = start();
  const polls = await inTurn(durations, (durationMs) => createAndWait(durationMs));

  const count = mean(polls.map(({ length }) => length).slice(0, 5));
  const late = polls.map((times, job) => (times.at(-1) as number) - (durations[job] as number));
  expect(mean(polls.slice(-10).map(({ length }) => length))).toBeLessThan(0.4 * count);
  expect(mean(late.slice(-10))).toBeLessThan(0.6 * mean(late.slice(0, 5)));
});

test("two clients that see the same jobs poll at the same times, but for the jitter", async () => {
  // The test runner draws numbers too, so seeded ones would not be the same twice.
  vi.spyOn(Math, "random").mockReturnValue(0.3);
  const run = async () => {
    const { createAndWait } = start();
    return inTurn(durations.slice(0, 15), (durationMs) => createAndWait(durationMs));
  };
  expect(await run()).toEqual(await run());
});

test("jobs of different counts are planned for apart", async () => {
  const { createAndWait } = start();
  for (let round = 0; round < 15; round++) {
    await createAndWait(2_000, { count: 1 });
    await createAndWait(20_000, { count: 10 });
  }
  const [short, long] = [
    await createAndWait(2_000, { count: 1 }),
    await createAndWait(20_000, { count: 10 }),
  ];
  expect(short.at(-1)).toBeLessThan(2_500);
  expect(long.filter((time) => time < 15_000).length).toBeLessThanOrEqual(4);
  expect(long.at(-1)).toBeLessThan(21_500);
});

test("what was learned keeps to the delays that a wait asks for", async () => {
  const { createAndWait } = start();
  await inTurn(durations.slice(0, 20), (durationMs) => createAndWait(durationMs));
  const polls = await createAndWait(10_000, { minDelayMs: 1_000, maxDelayMs: 2_000 });
  const gaps = [0, ...polls].slice(0, -1).map((time, index) => (polls[index] as number) - time);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(2_000 + 1e-6);
});

test("a bare id is polled once at the beginning, and then where ends are likely", async () => {
  const { waitForOthers } = start();
  const polls = await inTurn(durations.slice(0, 30), waitForOthers);
  expect(polls.map(([first]) => first)).toEqual(polls.map(() => 0));
  expect(mean(polls.slice(-10).map(({ length }) => length))).toBeLessThan(6);
});

test("waits for the jobs of others teach nothing about one's own", async () => {
  const { createAndWait, waitForOthers } = start();
  const [first] = await inTurn([10_000], (durationMs) => createAndWait(durationMs));
  await inTurn(durations.slice(0, 20), waitForOthers);
  const later = await createAndWait(10_000);
  expect(later.length).toBeGreaterThan(0.8 * (first as number[]).length);
});

test("a job that was over when its wait began teaches nothing", async () => {
  const { mock, client, createAndWait } = start();
  await inTurn(durations.slice(0, 20), (durationMs) => createAndWait(durationMs));
  const expected = await createAndWait(10_000);
  for (let job = 0; job < 40; job++) {
    const { jobId } = await client.screenshots.create({ appId: await appOf(mock), device: "iphone-69" });
    await mock.clock.advance(4_000);
    mock.jobs.succeed(jobId);
    await client.waitForJob(jobId);
  }
  expect((await createAndWait(10_000)).length).toBeLessThanOrEqual(expected.length + 1);
});

test("polls that the service asked for with Retry-After teach nothing", async () => {
  const { mock, createAndWait } = start();
  await inTurn(durations.slice(0, 20), (durationMs) => createAndWait(durationMs));
  const expected = await createAndWait(10_000);
  for (let job = 0; job < 40; job++) {
    mock.fault({ status: 503, retryAfter: 15 }, { operation: "getJob" });
    await createAndWait(10_000);
  }
  const polls = await createAndWait(10_000);
  expect(polls.length).toBeLessThanOrEqual(expected.length);
  expect(polls.at(-1)).toBeLessThan(11_000);
});
