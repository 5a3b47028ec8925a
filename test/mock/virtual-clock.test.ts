import { getEventListeners } from "node:events";
import { ScreenshotSets } from "screenshot-sets";
import { createMock, type Mock } from "screenshot-sets/mock";
import { afterEach, expect, test, vi } from "vitest";
import { asking, minute, openMock, planSet, second, start } from "./ask.js";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Lets the event loop turn so many times. */
async function turns(count: number) {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}

test("wakes 10,000 sleepers each at its own time, in order, and jumps to none that was aborted", async () => {
  const { clock } = createMock();
  const delays = Array.from({ length: 10_000 }, (_, index) => (index * 7_919) % 1_000);
  const isAborted = (index: number) => index % 3 === 0 || delays[index] === 999;
  const woken: [index: number, ms: number][] = [];

  await Promise.allSettled(
    delays.map(async (ms, index) => {
      const controller = new AbortController();
      const asleep = clock.sleep(ms, controller.signal);
      if (isAborted(index)) controller.abort();
      await asleep;
      woken.push([index, clock.now() - start]);
    }),
  );

  const left = delays.map((ms, index) => [index, ms] as const).filter(([index]) => !isAborted(index));
  expect(woken).toEqual(left.sort(([, one], [, other]) => one - other));
  expect(clock.now() - start).toBe(998);
});

test("rejects an aborted sleep with the signal's reason and leaves no listener, woken or not", async () => {
  const { clock } = createMock();
  const controller = new AbortController();
  const { signal } = controller;

  await clock.sleep(0, signal);
  const asleep = clock.sleep(minute, signal);
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  controller.abort("enough");

  await expect(asleep).rejects.toBe("enough");
  await expect(clock.sleep(minute, signal)).rejects.toBe("enough");
  expect(getEventListeners(signal, "abort")).toEqual([]);
  await turns(20);
  expect(clock.now()).toBe(start);
});

test("passes hours in no time, also beyond the longest delay of a timer, but never an endless sleep", async () => {
  const { clock } = createMock();
  const controller = new AbortController();
  const endless = clock.sleep(Number.POSITIVE_INFINITY, controller.signal);

  await clock.sleep(2 ** 31 + 5);
  controller.abort("enough");

  await expect(endless).rejects.toBe("enough");
  expect(clock.now() - start).toBe(2 ** 31 + 5);
});

test("jumps while a runner's timers are fake, and leaves those alone", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "setInterval", "setImmediate", "performance", "Date"] });
  const mock = createMock();
  const later = vi.fn();
  setTimeout(later, 1);

  const job = await planSet(new ScreenshotSets(mock.clientOptions));

  expect(job.status).toBe("succeeded");
  expect(mock.clock.now()).toBeGreaterThan(start);
  expect(later).not.toHaveBeenCalled();
});

/** Which comes first: the answer to a request, or the end of a sleep. */
async function orderOf(mock: Mock, path: string, init: object) {
  const order: unknown[] = [];
  await Promise.all([
    asking(mock)
      .send(path, undefined, init)
      .then(({ status }) => order.push(status)),
    mock.clock.sleep(second).then(() => order.push("awake")),
  ]);
  return order;
}

async function* lateBody() {
  await turns(20);
  yield new TextEncoder().encode('{"iosUrl":"https://a"}');
}

const slowRequest = () => ({ method: "POST", body: lateBody(), duplex: "half" });

test("does not jump while a request is read or the document is loaded", async () => {
  const mock = createMock();

  expect(await orderOf(mock, "/public/openapi.json", {})).toEqual([200, "awake"]);
  expect(await orderOf(mock, "/public/v1/apps", slowRequest())).toEqual([200, "awake"]);
});

test("does not jump while a client waits for its key, nor later while a request is read", async () => {
  const limit = new AbortController();
  vi.spyOn(AbortSignal, "timeout").mockReturnValue(limit.signal);
  const mock = createMock();
  const apiKey = () => turns(50).then(() => mock.clientOptions.apiKey);

  const job = await planSet(new ScreenshotSets({ ...mock.clientOptions, apiKey }));
  limit.abort();

  expect(job.status).toBe("succeeded");
  expect(mock.clock.now() - start).toBeLessThan(2 * second);
  expect(await orderOf(mock, "/public/v1/apps", slowRequest())).toEqual([200, "awake"]);
});

test("jumps to the deadline of a wait whose key does not come within a second", async () => {
  const limit = new AbortController();
  const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(limit.signal);
  const { clientOptions, clock } = createMock();
  const client = new ScreenshotSets({ ...clientOptions, apiKey: () => new Promise(() => {}) });

  const wait = client.waitForJob("job_1", { timeoutMs: minute }).catch((error: Error) => error.name);
  await turns(50);
  expect(clock.now() - start).toBe(0);
  expect(timeout).toHaveBeenCalledWith(1000);
  timeout.mockRestore();
  limit.abort();

  expect(await wait).toBe("JobTimeoutError");
  expect(clock.now() - start).toBe(minute);
});

test("leaves who receives an answer some turns of the event loop to read it", async () => {
  const { mock, createApp } = openMock();
  const timeout = new AbortController();
  const asleep = mock.clock.sleep(1, timeout.signal);

  await createApp();
  await turns(4);
  timeout.abort("read");

  await expect(asleep).rejects.toBe("read");
});

test("advances at once where nobody is due", () => {
  const { clock } = createMock();

  void clock.advance(minute);

  expect(clock.now()).toBe(start + minute);
});

test("wakes sleepers on the way as it advances, each at its own time, and waits for what they do", async () => {
  const { mock, createJob, look } = openMock();
  const { clock } = mock;
  const jobId = await createJob();
  const seen: [at: number, status: string][] = [];
  const polling = (async () => {
    for (let poll = 0; poll < 3; poll++) {
      await clock.sleep(second);
      seen.push([clock.now() - start, (await look(jobId)).body.status]);
    }
  })();

  await clock.advance(2_500);
  expect([clock.now() - start, seen.length]).toEqual([2_500, 2]);
  await polling;

  expect(seen).toEqual([
    [1_000, "queued"],
    [2_000, "running"],
    [3_000, "succeeded"],
  ]);
});

test.each([
  ["an answer that is late", { latencyMs: 5_000 }, 5_000],
  ["another attempt after a 429", { status: 429, retryAfter: 10 }, 10_000],
  ["a time-out", "hang", 60_000],
] as const)("advances a call that has only just begun to %s, and no further", async (_, fault, ms) => {
  const mock = createMock();
  mock.fault(fault);
  const ended = vi.fn();

  new ScreenshotSets(mock.clientOptions).screenshots
    .create({ appId: "app_1", device: "iphone-69" })
    .then(ended, ended);
  await mock.clock.advance(ms - 1);
  expect(ended).not.toHaveBeenCalled();
  await mock.clock.advance(1);

  expect(ended).toHaveBeenCalled();
});

test("advances once after the other", async () => {
  const { clock } = createMock();
  const asleep = [clock.sleep(50), clock.sleep(150)];

  await Promise.all([clock.advance(100), clock.advance(100)]);
  await Promise.all(asleep);

  expect(clock.now() - start).toBe(200);
});

test.each<[ms: unknown, says: string]>([
  [9e15, "Failed to advance the clock: no date is as late as that."],
  [-1, "Failed to advance the clock: -1 is no duration."],
  [Number.NaN, "Failed to advance the clock: NaN is no duration."],
  ["5", "Failed to advance the clock: 5 is no duration."],
])("refuses to advance by %j: %s", (ms, says) => {
  const { clock } = createMock();
  expect(() => clock.advance(ms as number)).toThrow(says);
  expect(clock.now()).toBe(start);
});
