import { ScreenshotSets } from "screenshot-sets";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { apiKey, calls, expectNothingLeft, goodBody, watchedSignal } from "../helpers/outcome-of.js";
import { rejection } from "../helpers/rejection.js";

// The client's own clock, driven by the runner's timers.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => void vi.useRealTimers());

type Answer = () => Promise<Response>;

/** An answer that comes after so many milliseconds. */
const answerIn =
  (ms: number, status = 200, headers: Record<string, string> = {}): Answer =>
  () =>
    new Promise((resolve) => {
      setTimeout(() => resolve(Response.json(goodBody, { status, headers })), ms);
    });
const never: Answer = () => new Promise(() => {});
const failing: Answer = () => Promise.reject(Object.assign(new Error("refused"), { code: "ECONNREFUSED" }));

/** A client whose requests are answered in turn, the last answer given for ever, and when it sent them. */
function clientOf(answers: Answer[], timeoutMs = 1000) {
  const sentAt: number[] = [];
  const startedAt = performance.now();
  const fetch = () => {
    sentAt.push(performance.now() - startedAt);
    return (answers[Math.min(sentAt.length, answers.length) - 1] as Answer)();
  };
  const baseUrl = "https://example.com/api/v1";
  return { sentAt, client: new ScreenshotSets({ apiKey, baseUrl, fetch, timeoutMs }) };
}

/** When a read and a create are sent. */
const rows: [when: string, answers: Answer[], reads: number[], creates: number[]][] = [
  ["is answered", [answerIn(10)], [0], [0]],
  ["fails", [failing], [0, 500, 1500], [0, 500, 1500]],
  ["is not answered in time", [never], [0, 1500, 3500], [0]],
  // Each attempt has a time-out of its own: together they last longer than one.
  ["had attempts that were each in time", [answerIn(990, 429), answerIn(990)], [0, 1490], [0, 1490]],
  ["had an attempt that was too slow", [answerIn(1001), answerIn(999)], [0, 1500], [0]],
];

describe.each(["GET", "POST"] as const)("a %s leaves no timer and no listener behind once it", (method) => {
  test.each(rows)("%s", async (_, answers, reads, creates) => {
    const { signal } = watchedSignal();
    const { client, sentAt } = clientOf(answers);
    const ended = calls[method](client, { signal }).catch((error) => error);
    await vi.advanceTimersByTimeAsync(20_000);
    await ended;
    expect(sentAt).toEqual(method === "GET" ? reads : creates);
    await expectNothingLeft(signal);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each<[when: string, answers: Answer[], sent: number]>([
    ["in flight", [never], 1],
    ["in a delay", [failing], 1],
    ["in a pause after a 429", [answerIn(0, 429, { "retry-after": "60" })], 1],
    ["in the attempt after a delay", [answerIn(0, 429), never], 2],
  ])("was aborted %s, which ends it at once", async (_, answers, sent) => {
    const { signal, controller, listeners } = watchedSignal();
    const { client, sentAt } = clientOf(answers, 100_000);
    const ended = rejection(calls[method](client, { signal }));
    await vi.advanceTimersByTimeAsync(sent === 1 ? 400 : 900);
    controller.abort("enough");
    expect(await ended).toBe("enough");
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(200_000);
    expect(sentAt).toHaveLength(sent);
    expect(listeners.most).toBe(1);
    await expectNothingLeft(signal);
  });
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

test("an answer that came in time is seen, though the event loop was busy until after the time-out", async () => {
  vi.useRealTimers();
  const fetch = () => {
    // From an immediate on, the next one comes after the timers that are due, like what has arrived from a socket.
    const arrived = new Promise<Response>((resolve) => {
      setImmediate(() => resolve(Response.json(goodBody)));
    });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);
    return arrived;
  };
  const baseUrl = "https://example.com/api/v1";
  const client = new ScreenshotSets({ apiKey, baseUrl, fetch, timeoutMs: 20, maxRetries: 0 });
  await new Promise(setImmediate);
  expect(await calls.POST(client)).toEqual(goodBody);
});
