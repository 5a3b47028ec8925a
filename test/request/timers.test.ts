import { ScreenshotSets, TimeoutError } from "screenshot-sets";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { apiKey, calls, expectNothingLeft, goodBody, watchedSignal } from "../helpers/outcome-of.js";
import { rejection } from "../helpers/rejection.js";

// The client's own clock, driven by the runner's timers.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** An answer that comes after so many milliseconds. */
const answerIn =
  (ms: number, status = 200, headers: Record<string, string> = {}) =>
  () =>
    new Promise<Response>((resolve) => {
      setTimeout(() => resolve(Response.json(goodBody, { status, headers })), ms);
    });
const never = () => new Promise<Response>(() => {});
const failing = () => Promise.reject(Object.assign(new Error("refused"), { code: "ECONNREFUSED" }));

/** A client whose requests are answered in turn, the last answer given for ever, and when it sent them. */
function clientOf(answers: (() => Promise<Response>)[], timeoutMs = 1000) {
  const sentAt: number[] = [];
  const startedAt = performance.now();
  const fetch = () => {
    sentAt.push(performance.now() - startedAt);
    return (answers[Math.min(sentAt.length, answers.length) - 1] as () => Promise<Response>)();
  };
  const baseUrl = "https://example.com/api/v1";
  return { sentAt, client: new ScreenshotSets({ apiKey, baseUrl, fetch, timeoutMs }) };
}

test.each(["GET", "POST"] as const)(
  "a %s is answered though timers call back before they return",
  async (method) => {
    vi.useRealTimers();
    const stub = vi.spyOn(globalThis, "setTimeout").mockImplementation(((callback: () => void) => {
      callback();
      return 0;
    }) as never);
    const { client } = clientOf([async () => Response.json(goodBody)]);
    const answer = await calls[method](client).finally(() => stub.mockRestore());
    expect(answer).toBeDefined();
  },
);

describe.each(["GET", "POST"] as const)("a %s leaves no timer and no listener behind", (method) => {
  const rows: [when: string, answers: (() => Promise<Response>)[], reads: number[], creates: number[]][] = [
    ["once it is answered", [answerIn(10)], [0], [0]],
    ["once it is refused", [answerIn(10, 404)], [0], [0]],
    ["once it fails", [failing], [0, 500, 1500], [0, 500, 1500]],
    ["once its time is up", [never], [0, 1500, 3500], [0]],
    ["once it was sent again", [answerIn(0, 429), answerIn(0)], [0, 500], [0, 500]],
    ["once it was told to come back too late", [answerIn(0, 429, { "retry-after": "61" })], [0], [0]],
    // Each attempt has a time-out of its own: together they last longer than one.
    [
      "after attempts that are each in time",
      [answerIn(990, 429), answerIn(990, 429), answerIn(990)],
      [0, 1490, 3480],
      [0, 1490, 3480],
    ],
    [
      "after an attempt that is too slow and one that is not",
      [answerIn(1001), answerIn(999)],
      [0, 1500],
      [0],
    ],
  ];
  test.each(rows)("%s", async (_, answers, reads, creates) => {
    const { signal } = watchedSignal();
    const { client, sentAt } = clientOf(answers);
    const ended = calls[method](client, { signal }).catch((error) => error);
    await vi.advanceTimersByTimeAsync(20_000);
    await ended;
    expect(sentAt).toEqual(method === "GET" ? reads : creates);
    // What a stub would still answer is no timer of the client's.
    await expectNothingLeft(signal);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([
    ["in flight", [never], 1],
    ["in a delay", [answerIn(0, 429, { "retry-after": "60" })], 1],
    ["in the attempt after a delay", [answerIn(0, 429), never], 2],
  ] as [string, (() => Promise<Response>)[], number][])(
    "once it is aborted %s, which ends it at once",
    async (_, answers, sent) => {
      const { signal, controller, listeners } = watchedSignal();
      const { client, sentAt } = clientOf(answers, 100_000);
      const ended = rejection(calls[method](client, { signal }));
      await vi.advanceTimersByTimeAsync(900);
      expect(vi.getTimerCount()).toBe(1);
      controller.abort("enough");
      expect(vi.getTimerCount()).toBe(0);
      expect(await ended).toBe("enough");
      await vi.advanceTimersByTimeAsync(200_000);
      expect(sentAt).toHaveLength(sent);
      expect(listeners.most).toBe(1);
      await expectNothingLeft(signal);
    },
  );
});

test("an answer that comes too late leaves the abort of what follows to be heard", async () => {
  const { signal, controller } = watchedSignal();
  const { client, sentAt } = clientOf([answerIn(1200), never]);
  const ended = rejection(calls.GET(client, { signal }));
  await vi.advanceTimersByTimeAsync(1300);
  controller.abort("enough");
  expect(vi.getTimerCount()).toBe(0);
  expect(await ended).toBe("enough");
  expect(sentAt).toEqual([0]);
  await expectNothingLeft(signal);
});

test("a delay that is aborted as it begins takes no time", async () => {
  const { signal, controller } = watchedSignal();
  const fetch = async () => new Response("", { status: 429 });
  const logger = { debug() {}, info() {}, error() {}, warn: () => controller.abort("enough") };
  const client = new ScreenshotSets({ apiKey, baseUrl: "https://example.com/api/v1", fetch, logger });
  expect(await rejection(calls.GET(client, { signal }))).toBe("enough");
  expect(vi.getTimerCount()).toBe(0);
});

test("a call without a signal is sent again as well, and its lines say how long each attempt took", async () => {
  const { client, lines } = loggedClient([answerIn(40, 429), answerIn(70)]);
  const ended = calls.GET(client);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await ended).toEqual(goodBody);
  expect(lines).toMatchObject([{ ms: 40 }, { ms: 70 }]);
});

/** A client on the system's clock, and what it says of each attempt. */
function loggedClient(answers: (() => Promise<Response>)[]) {
  const lines: unknown[] = [];
  const debug = (_: string, fields?: object) => void lines.push(fields);
  const logger = { debug, info() {}, warn() {}, error() {} };
  const fetch = () => (answers.shift() as () => Promise<Response>)();
  return {
    lines,
    client: new ScreenshotSets({ apiKey, baseUrl: "https://example.com/api/v1", fetch, logger }),
  };
}

test("a clock of the caller's is asked for no sleep that is longer than a timer can be", async () => {
  const slept: number[] = [];
  const wakers: (() => void)[] = [];
  let now = 0;
  const sleep = (ms: number) => {
    slept.push(ms);
    return new Promise<void>((resolve) => {
      wakers.push(() => {
        now += ms;
        resolve();
      });
    });
  };
  const client = new ScreenshotSets({
    ...{ apiKey, clock: { now: () => now, sleep }, timeoutMs: 2 ** 32 },
    ...{ baseUrl: "https://example.com/api/v1", fetch: never },
  });
  const ended = rejection(calls.POST(client));
  const longest = 2 ** 31 - 1;
  for (const expected of [[longest], [longest, longest], [longest, longest, 2]]) {
    await expect.poll(() => slept).toEqual(expected);
    wakers.shift()?.();
  }
  expect((await ended).constructor).toBe(TimeoutError);
});

test("a time-out longer than a timer can be is kept", async () => {
  const days = 86_400_000;
  const { client } = clientOf([never], 30 * days);
  const ended = rejection(calls.POST(client));
  await vi.advanceTimersByTimeAsync(30 * days - 1);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect((await ended).constructor).toBe(TimeoutError);
  expect(vi.getTimerCount()).toBe(0);
});

test("a time-out without end starts no timer", async () => {
  const { client } = clientOf([answerIn(5000)], Number.POSITIVE_INFINITY);
  const ended = calls.POST(client);
  await vi.advanceTimersByTimeAsync(1);
  // The stub's own.
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(5000);
  expect(await ended).toEqual(goodBody);
});

test("a time-out without end asks a clock of the caller's for no sleep", async () => {
  const slept: number[] = [];
  const clock = { now: () => 0, sleep: async (ms: number) => void slept.push(ms) };
  const client = new ScreenshotSets({
    ...{ apiKey, clock, timeoutMs: Number.POSITIVE_INFINITY },
    baseUrl: "https://example.com/api/v1",
    fetch: async () => Response.json(goodBody),
  });
  await calls.GET(client);
  expect(slept).toEqual([]);
});

test("a time-out of no time ends an attempt that is not answered at once", async () => {
  const { client, sentAt } = clientOf([never], 0);
  const ended = rejection(calls.POST(client));
  await vi.advanceTimersByTimeAsync(0);
  expect(await ended).toMatchObject({ name: "TimeoutError", attempts: 1, charged: "maybe" });
  expect(sentAt).toEqual([0]);
});

test("a time-out that began before the runner's timers came is cleared all the same", async () => {
  vi.useRealTimers();
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();
  let answer = (_: Response) => {};
  const fetch = () => new Promise<Response>((resolve) => (answer = resolve));
  const client = new ScreenshotSets({ apiKey, baseUrl: "https://example.com/api/v1", fetch });
  const call = client.jobs.get("job-1");
  await Promise.resolve();
  expect(timers()).toBe(before + 1);

  vi.useFakeTimers({ shouldClearNativeTimers: false });
  answer(Response.json(goodBody));
  await call;

  expect(timers()).toBe(before);
});
