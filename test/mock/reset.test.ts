import { getEventListeners } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { NotFoundError, ScreenshotSets } from "screenshot-sets";
import { createMock, type Fault } from "screenshot-sets/mock";
import { beforeEach, expect, test, vi } from "vitest";
import { rejection } from "../helpers/rejection.js";
import { asking, day, minute, openMock, planSet, start } from "./ask.js";

// Waits draw the jitter of their polls from it: without, the same steps take the same time.
beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0.5));

test("goes back to the start: the same steps give the same ids, times, credits and keys", async () => {
  const { mock, createJob, createSet, look } = openMock({ apiKey: "my-own-key", lifecycle: "instant" });
  const steps = async () => {
    const key = mock.keys.create();
    const account = mock.account();
    mock.nextJob({ outcome: "failed" });
    const jobs = [await createJob(), await asking(account).createJob()];
    await mock.clock.sleep(minute);
    const job = await look("job_1");
    const { apiKey } = account.clientOptions;
    const { remaining, used, ledger } = mock.credits;
    const seen = [jobs, job, mock.clock.now(), remaining, used, ledger(), mock.requests()];
    // What is left for later is forgotten too.
    mock.nextJob({ outcome: "succeeded" });
    mock.fault({ status: 500 }, { times: Number.POSITIVE_INFINITY });
    mock.credits.set(3);
    mock.keys.revoke(mock.clientOptions.apiKey);
    await mock.clock.advance(40 * day);
    return { seen, keys: [key, apiKey] };
  };

  const first = await steps();
  mock.reset();
  expect(mock.requests()).toEqual([]);
  expect((await createSet("app_1")).status).toBe(404);
  for (const key of first.keys) {
    expect((await look("job_1", { headers: { "x-api-key": key } })).status).toBe(401);
  }
  mock.reset();
  expect(await steps()).toEqual(first);
  expect(first.seen[0]).toEqual(["job_1", "job_2_1"]);
});

test("wakes nobody who slept before, and lets them be aborted", async () => {
  const mock = createMock();
  const controller = new AbortController();
  const asleep = mock.clock.sleep(minute, controller.signal);

  mock.reset();
  await mock.clock.sleep(2 * minute);
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

  expect(mock.clock.now()).toBe(start + 10);
});

test.each<[left: string, polls: number, fault?: Fault]>([
  ["between two polls", 3],
  ["in a poll that hangs", 1, "hang"],
  ["after it was told to come back much later", 1, { status: 429, retryAfter: 500 }],
])("a wait of before, left %s, is no part of a later one of the same client", async (_, polls, fault) => {
  const mock = createMock();
  const client = new ScreenshotSets({ ...mock.clientOptions, maxConcurrentPolls: 1 });
  const steps = async () => [(await planSet(client)).status, mock.clock.now(), mock.requests()];
  const alone = await steps();
  mock.reset();
  mock.nextJob({ outcome: "succeeded", lifecycle: "manual" });
  const jobId = await asking(mock).createJob();
  if (fault) mock.fault(fault);
  const { signal } = new AbortController();
  const onUpdate = vi.fn();
  void client.waitForJob(jobId, { signal, timeoutMs: Number.POSITIVE_INFINITY, onUpdate });
  while (mock.requests({ operation: "getJob" }).length < polls) await turn();
  await turn();
  onUpdate.mockClear();

  mock.reset();

  expect(await steps()).toEqual(alone);
  expect(getEventListeners(signal, "abort")).toEqual([]);
  expect(onUpdate).not.toHaveBeenCalled();
});

test("a wait of before, left in the middle of a poll, asks for nothing after it", async () => {
  const { mock, createJob } = openMock({ lifecycle: "manual" });
  let polls = 0;
  const fetch: typeof globalThis.fetch = async (...asked) => {
    const answer = await mock.fetch(...asked);
    if (++polls === 5) mock.reset();
    return answer;
  };
  void new ScreenshotSets({ ...mock.clientOptions, fetch }).waitForJob(await createJob());
  while (polls < 5) await turn();

  await turn();
  await mock.clock.advance(minute);

  expect(mock.requests()).toEqual([]);
});

test("a client knows nothing of jobs and how long they took before", async () => {
  const mock = createMock({ lifecycle: { queued: 0, running: 10_000, unit: "ms" } });
  const client = new ScreenshotSets(mock.clientOptions);
  const steps = async () => {
    for (let set = 0; set < 9; set++) await planSet(client);
    return mock.requests();
  };
  const first = await steps();
  mock.reset();
  expect(await steps()).toEqual(first);
  mock.reset();

  expect(await rejection(client.waitForJob("job_1"))).toBeInstanceOf(NotFoundError);
  expect(mock.clock.now()).toBe(start);
});
