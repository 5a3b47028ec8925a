import { getEventListeners } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { NotFoundError, ScreenshotSets } from "screenshot-sets";
import { createMock, type Fault, type Mock } from "screenshot-sets/mock";
import { beforeEach, expect, test, vi } from "vitest";
import { rejection } from "../helpers/rejection.js";
import { asking, day, minute, openMock } from "./ask.js";

// Waits draw the jitter of their polls from it: without, the same steps take the same time.
beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0.5));

test("goes back to the start: the same steps give the same ids, times, credits and keys", async () => {
  const { mock, createJob, look } = openMock({ apiKey: "my-own-key" });
  const steps = async () => {
    const key = mock.keys.create();
    const account = mock.account();
    mock.nextJob({ outcome: "failed" });
    const jobs = [await createJob(), await asking(account).createJob()];
    await mock.clock.sleep(minute);
    const job = await look("job_1");
    const { apiKey } = account.clientOptions;
    const { remaining, used, ledger } = mock.credits;
    const seen = [key, apiKey, jobs, job, mock.clock.now(), remaining, used, ledger(), mock.requests()];
    // What is left for later is forgotten too.
    mock.nextJob({ outcome: "succeeded" });
    mock.fault({ status: 500 }, { times: Number.POSITIVE_INFINITY });
    mock.credits.set(3);
    await mock.clock.advance(40 * day);
    return seen;
  };

  const first = await steps();
  mock.reset();
  expect(mock.requests()).toEqual([]);
  expect(await steps()).toEqual(first);
  expect(first[2]).toEqual(["job_1", "job_2_1"]);
});

test("makes keys and accounts of before invalid, and a revoked first key valid again", async () => {
  const mock = createMock();
  const key = mock.keys.create();
  const account = mock.account();
  mock.keys.revoke(mock.clientOptions.apiKey);

  mock.reset();

  const status = async (apiKey: string) =>
    (await asking(mock).look("job_1", { headers: { "x-api-key": apiKey } })).status;
  expect(await status(key)).toBe(401);
  expect(await status(account.clientOptions.apiKey)).toBe(401);
  expect(await status(mock.clientOptions.apiKey)).toBe(404);
});

test("wakes nobody who slept before, and lets them be aborted", async () => {
  const mock = createMock();
  const controller = new AbortController();
  let isWoken = false;
  const asleep = mock.clock.sleep(minute, controller.signal).then(() => {
    isWoken = true;
  });

  mock.reset();
  await mock.clock.sleep(2 * minute);
  expect(isWoken).toBe(false);
  controller.abort("enough");

  await expect(asleep).rejects.toBe("enough");
});

test("ends an advance that is under way", async () => {
  const mock = createMock();
  void mock.clock.sleep(minute);
  const advance = mock.clock.advance(day);

  mock.reset();
  await advance;
  await mock.clock.sleep(10);

  expect(mock.clock.now()).toBe(Date.UTC(2026, 0, 1) + 10);
});

test.each<[left: string, leftBehind: Parameters<typeof leaveBehind>[0]]>([
  ["between two polls", { polls: 3 }],
  ["in a poll that hangs", { polls: 1, fault: "hang" }],
  ["after it was told to come back much later", { polls: 1, fault: { status: 429, retryAfter: 500 } }],
])("a wait of before, left %s, is no part of a later one of the same client", async (_, leftBehind) => {
  const mock = createMock();
  const client = new ScreenshotSets(mock.clientOptions);
  const steps = async () => {
    const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/app/id1" });
    const { status } = await client.screenshots.createAndWait({ appId, device: "iphone-69" });
    return { status, now: mock.clock.now(), journal: mock.requests() };
  };
  const alone = await steps();
  mock.reset();
  const { signal, wasUpdated } = await leaveBehind(leftBehind, mock, client);

  mock.reset();

  expect(await steps()).toEqual(alone);
  expect(getEventListeners(signal, "abort")).toEqual([]);
  expect(wasUpdated()).toBe(false);
});

/** Waits for a job that never ends, and goes away after so many polls. */
async function leaveBehind(
  { polls, fault }: { polls: number; fault?: Fault },
  mock: Mock,
  client: ScreenshotSets,
) {
  const { signal } = new AbortController();
  const { createJob } = asking(mock);
  mock.nextJob({ outcome: "succeeded", lifecycle: "manual" });
  const jobId = await createJob();
  if (fault) mock.fault(fault);
  let updates = 0;
  const timeoutMs = Number.POSITIVE_INFINITY;
  void client.waitForJob(jobId, { signal, timeoutMs, onUpdate: () => updates++ });
  while (mock.requests({ operation: "getJob" }).length < polls) await turn();
  await turn();
  const updatesBefore = updates;
  return { signal, wasUpdated: () => updates > updatesBefore };
}

test("a wait of before, left in the middle of a poll, asks for nothing after it", async () => {
  const mock = createMock();
  let polls = 0;
  const fetch: typeof globalThis.fetch = async (...asked) => {
    const answer = await mock.fetch(...asked);
    if (++polls === 5) mock.reset();
    return answer;
  };
  mock.nextJob({ outcome: "succeeded", lifecycle: "manual" });
  const jobId = await asking(mock).createJob();
  void new ScreenshotSets({ ...mock.clientOptions, fetch }).waitForJob(jobId);
  while (polls < 5) await turn();

  await turn();
  await mock.clock.advance(minute);

  expect(mock.requests()).toEqual([]);
});

test("a client knows nothing of jobs and how long they took before", async () => {
  const mock = createMock({ lifecycle: { queued: 0, running: 10_000, unit: "ms" } });
  const client = new ScreenshotSets(mock.clientOptions);
  const steps = async () => {
    const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/app/id1" });
    for (let job = 0; job < 9; job++) {
      await client.screenshots.createAndWait({ appId, device: "iphone-69" });
    }
    return mock.requests();
  };
  const first = await steps();
  mock.reset();
  const second = await steps();
  mock.reset();
  const error = await rejection(client.waitForJob("job_1"));

  expect(second).toEqual(first);
  expect(error).toBeInstanceOf(NotFoundError);
  expect(mock.clock.now()).toBe(Date.UTC(2026, 0, 1));
});
