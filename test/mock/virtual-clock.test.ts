import { getEventListeners } from "node:events";
import { ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { afterEach, expect, test, vi } from "vitest";
import { minute, openMock, second, start } from "./ask.js";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Lets the event loop turn so many times. */
async function turns(count: number) {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}

test("starts at a fixed instant and stands still while nobody sleeps", async () => {
  const { clock } = createMock();
  const before = clock.now();

  await new Promise((resolve) => setTimeout(resolve, 20));

  expect([before, clock.now()]).toEqual([start, start]);
});

test("jumps to the next sleeper, in the order in which they are due, then in which they lay down", async () => {
  const { clock } = createMock();
  const woken: [name: string, at: number][] = [];
  const sleep = async (name: string, ms: number) => {
    await clock.sleep(ms);
    woken.push([name, clock.now() - start]);
  };

  await Promise.all([sleep("c", 3_000), sleep("a", 10), sleep("b", 2_000), sleep("d", 3_000), sleep("e", 0)]);

  expect(woken).toEqual([
    ["e", 0],
    ["a", 10],
    ["b", 2_000],
    ["c", 3_000],
    ["d", 3_000],
  ]);
});

test("stays at 10,000 sleepers exact", async () => {
  const { clock } = createMock();
  const delays = Array.from({ length: 10_000 }, (_, index) => (index * 7_919) % 1_000);
  const woken: number[] = [];

  await Promise.all(
    delays.map(async (ms) => {
      await clock.sleep(ms);
      expect(clock.now() - start).toBe(ms);
      woken.push(ms);
    }),
  );

  expect(woken).toEqual(delays.toSorted((one, other) => one - other));
});

test("wakes the others in order after sleepers in between were aborted, which it does not jump to", async () => {
  const { clock } = createMock();
  const woken: number[] = [];
  const sleeps = Array.from({ length: 200 }, async (_, index) => {
    const controller = new AbortController();
    const asleep = clock.sleep((index * 37) % 101, controller.signal);
    if (index % 3 === 0 || (index * 37) % 101 === 100) controller.abort();
    await asleep;
    woken.push(clock.now() - start);
  });

  await Promise.allSettled(sleeps);

  const left = sleeps
    .flatMap((_, index) => (index % 3 === 0 ? [] : [(index * 37) % 101]))
    .filter((ms) => ms < 100);
  expect(woken).toEqual(left.toSorted((one, other) => one - other));
  expect(clock.now() - start).toBe(99);
});

test("rejects an aborted sleep with the signal's reason and leaves no listener, woken or not", async () => {
  const { clock } = createMock();
  const reason = new Error("enough");
  const spent = AbortSignal.abort(reason);
  const controller = new AbortController();

  const asleep = clock.sleep(minute, controller.signal);
  expect(getEventListeners(controller.signal, "abort")).toHaveLength(1);
  await clock.sleep(0, controller.signal);
  expect(getEventListeners(controller.signal, "abort").length).toBeLessThan(2);
  const woken = new AbortController();
  await clock.sleep(0, woken.signal);
  expect(getEventListeners(woken.signal, "abort")).toEqual([]);
  controller.abort(reason);

  await asleep.catch((error) => expect(error).toBe(reason));
  await expect(clock.sleep(minute, spent)).rejects.toBe(reason);
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  expect(getEventListeners(spent, "abort")).toEqual([]);
});

test("does not jump to a sleep that was aborted", async () => {
  const { clock } = createMock();
  const controller = new AbortController();
  const asleep = clock.sleep(minute, controller.signal);

  controller.abort("enough");
  await expect(asleep).rejects.toBe("enough");
  await turns(20);

  expect(clock.now() - start).toBe(0);
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

const timers = ["setTimeout", "setInterval", "setImmediate", "performance", "Date"] as const;

test("jumps while a runner's timers are fake, and leaves those alone", async () => {
  vi.useFakeTimers({ toFake: [...timers] });
  const mock = createMock();
  const client = new ScreenshotSets(mock.clientOptions);
  const later = vi.fn();
  setTimeout(later, 1);

  const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/app/id1" });
  const job = await client.screenshots.createAndWait({ appId, device: "iphone-69" });

  expect(job.status).toBe("succeeded");
  expect(mock.clock.now()).toBeGreaterThan(start);
  expect(later).not.toHaveBeenCalled();
});

test("does not jump while a request is being worked on, also some time after a client waited for its key", async () => {
  const limit = new AbortController();
  vi.spyOn(AbortSignal, "timeout").mockReturnValue(limit.signal);
  const mock = createMock();
  const { baseUrl, apiKey, fetch } = mock.clientOptions;
  const laterKey = () => turns(2).then(() => apiKey);
  const client = new ScreenshotSets({ ...mock.clientOptions, apiKey: laterKey });
  await expect(client.jobs.get("job_1")).rejects.toThrow("404");
  limit.abort();
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  let isWoken = false;
  void mock.clock.sleep(1).then(() => {
    isWoken = true;
  });

  const answer = fetch(`${baseUrl}/public/v1/apps`, {
    method: "POST",
    headers: { "x-api-key": apiKey },
    body: readable,
    duplex: "half",
  } as RequestInit);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(isWoken).toBe(false);
  const writer = writable.getWriter();
  await writer.write(new TextEncoder().encode('{"iosUrl":"https://a"}'));
  await writer.close();

  expect((await answer).status).toBe(200);
  await vi.waitFor(() => expect(isWoken).toBe(true), { timeout: 20_000 });
});

test("does not jump while the document is fetched", async () => {
  const { clock, clientOptions, fetch } = createMock();
  const order: string[] = [];
  const asked = fetch(`${clientOptions.baseUrl}/public/openapi.json`).then(() => order.push("answered"));
  const asleep = clock.sleep(second).then(() => order.push("awake"));

  await Promise.all([asked, asleep]);

  expect(order).toEqual(["answered", "awake"]);
});

test("does not jump while a client waits for its key", async () => {
  const mock = createMock();
  const apiKey = async () => {
    await turns(50);
    return mock.clientOptions.apiKey;
  };
  const client = new ScreenshotSets({ ...mock.clientOptions, apiKey });
  const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/app/id1" });

  const job = await client.screenshots.createAndWait({ appId, device: "iphone-69" });

  expect(job.status).toBe("succeeded");
  expect(mock.clock.now() - start).toBeLessThan(2 * second);
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

test("passes also for a client whose key takes some of its time", async () => {
  const { timeout } = AbortSignal;
  vi.spyOn(AbortSignal, "timeout").mockImplementation(() => timeout.call(AbortSignal, 10));
  const { clientOptions, clock } = createMock();
  const apiKey = () => clock.sleep(minute).then(() => clientOptions.apiKey);
  const client = new ScreenshotSets({ ...clientOptions, apiKey, timeoutMs: 2 * minute });

  await client.apps.create({ iosUrl: "https://apps.apple.com/app/id1" });

  expect(clock.now() - start).toBe(minute);
});

test("goes on after a request that a guess of the test's own has failed", async () => {
  const errorBody = () => AbortSignal.abort(new Error("No body")).throwIfAborted();
  const { mock, look } = openMock({ undocumented: { errorBody } });

  await expect(look("none")).rejects.toThrow("No body");

  await mock.clock.sleep(minute);
  expect(mock.clock.now()).toBe(start + minute);
});

test("fires no time-out of a request that is answered, however long its answer is read", async () => {
  const mock = createMock({
    undocumented: { slide: () => ({ text: "x".repeat(200_000) }) },
    lifecycle: "instant",
  });
  const client = new ScreenshotSets({ ...mock.clientOptions, timeoutMs: 1 });
  const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/app/id1" });

  const { jobId } = await client.screenshots.create({ appId, device: "iphone-69", count: 10 });
  const job = await client.jobs.get(jobId);

  expect(job.result?.slides).toHaveLength(10);
  expect(mock.clock.now()).toBe(start);
});

test("leaves who receives an answer some turns of the event loop to read it", async () => {
  const { mock, createApp } = openMock();
  const timeout = new AbortController();
  const asleep = mock.clock.sleep(1, timeout.signal);

  await createApp();
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  timeout.abort("read");

  await expect(asleep).rejects.toBe("read");
});

test("runs ten ten-minute jobs at once in no time, with the same polls on every run", async () => {
  const run = async () => {
    const mock = createMock({ lifecycle: { queued: minute, running: 9 * minute, unit: "ms" } });
    const client = new ScreenshotSets(mock.clientOptions);
    const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/app/id1" });
    await Promise.all(
      Array.from({ length: 10 }, () =>
        client.screenshots.createAndWait({ appId, device: "iphone-69" }, { timeoutMs: 20 * minute }),
      ),
    );
    return mock.requests().map(({ time, path }) => [time, path]);
  };
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  const startedAt = performance.now();

  const first = await run();

  expect(performance.now() - startedAt).toBeLessThan(20_000);
  expect(first.at(-1)?.[0]).toBeGreaterThanOrEqual(start + 10 * minute);
  expect(await run()).toEqual(first);
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

test("advances a wait that was created only just now as a job is moved by hand", async () => {
  const { clientOptions, clock, jobs } = createMock({ lifecycle: "manual" });
  const client = new ScreenshotSets(clientOptions);
  const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/app/id1" });
  const seen: string[] = [];

  const controller = new AbortController();
  const wait = client.screenshots.createAndWait(
    { appId, device: "iphone-69" },
    { signal: controller.signal, onUpdate: ({ status }) => seen.push(status) },
  );
  await clock.advance(second);
  expect(seen).toEqual(["queued"]);
  jobs.advance("job_1");
  await clock.advance(second);

  expect(seen).toEqual(["queued", "running"]);
  expect(clock.now() - start).toBe(2 * second);
  controller.abort("enough");
  await expect(wait).rejects.toBe("enough");
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
  ...[-1, Number.NaN, Number.POSITIVE_INFINITY, "5", null].map((ms): [unknown, string] => [
    ms,
    "Failed to advance",
  ]),
])("refuses to advance by %j: %s", (ms, says) => {
  const { clock } = createMock();
  expect(() => clock.advance(ms as number)).toThrow(says);
  expect(clock.now()).toBe(start);
});
