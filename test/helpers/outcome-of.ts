import { getEventListeners } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { type ClientOptions, ScreenshotSets } from "screenshot-sets";
import { expect } from "vitest";
import { attemptTimeoutMs, RequestClock } from "./request-clock.js";

export type Method = "GET" | "POST";

/** A read and a create that costs credits. */
export const calls = {
  GET: (client: ScreenshotSets, options: { signal?: AbortSignal; maxRetries?: number } = {}) =>
    client.jobs.get("job-1", options),
  POST: (client: ScreenshotSets, options: { signal?: AbortSignal; maxRetries?: number } = {}) =>
    client.screenshots.create({ appId: "app-1", device: "iphone-69" }, options),
};

/** A valid answer for both calls. */
export const goodBody = {
  id: "job-1",
  status: "queued",
  result: null,
  error: null,
  jobId: "job-1",
  credits: { cost: 10, remaining: 90 },
};

export const apiKey = "sk_live_0123456789";

const unhandled: unknown[] = [];
process.on("unhandledRejection", (reason) => unhandled.push(reason));

/** How a call ended. If it left anything behind, the test fails. */
interface Outcome {
  value: unknown;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into errors of every class
  error: any;
  elapsedMs: number;
  delays: number[];
}

export async function outcomeOf(
  method: Method,
  options: ClientOptions,
  clock = new RequestClock(),
  { signal, listeners } = watchedSignal(),
): Promise<Outcome> {
  // Rejections left over from tests of other files do not belong to this call. Vitest fails for any late one.
  unhandled.length = 0;
  const client = new ScreenshotSets({ apiKey, timeoutMs: attemptTimeoutMs, clock, ...options });
  let value: unknown;
  let error: unknown;
  try {
    value = await calls[method](client, { signal });
  } catch (thrown) {
    error = thrown;
  }
  await expectNothingLeft(signal, clock);
  expect(listeners.most).toBeLessThanOrEqual(1);
  return { value, error, elapsedMs: clock.now(), delays: clock.delays };
}

/** Expects no listener on the caller's signal, no pending sleep, and no unhandled rejection. */
export async function expectNothingLeft(signal: AbortSignal, clock?: RequestClock): Promise<void> {
  expect(getEventListeners(signal, "abort")).toEqual([]);
  await turn();
  expect(clock?.pending ?? 0).toBe(0);
  expect(unhandled.splice(0)).toEqual([]);
}

/** A signal that records the largest number of listeners it has had. */
export function watchedSignal() {
  const controller = new AbortController();
  const { signal } = controller;
  const listeners = { most: 0 };
  const add = signal.addEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    add(...args);
    listeners.most = Math.max(listeners.most, getEventListeners(signal, "abort").length);
  };
  return { controller, signal, listeners };
}

/** The sum of the usual delays before this many retries, without jitter. */
function backoffMs(retries: number): number {
  return 500 * (2 ** retries - 1);
}

/** Expects that all `timeouts` and the delays before `retries`, except their jitter, passed in virtual time. */
export function expectElapsed(elapsedMs: number, timeouts: number, retries: number): void {
  const longest = timeouts * attemptTimeoutMs + backoffMs(retries);
  expect(elapsedMs).toBeLessThanOrEqual(longest);
  expect(elapsedMs).toBeGreaterThanOrEqual(longest - backoffMs(retries) / 4);
}
