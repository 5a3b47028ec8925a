import { getEventListeners } from "node:events";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { day, minute, openMock } from "./ask.js";

const start = Date.UTC(2026, 4, 30);

beforeEach(() => void vi.useFakeTimers({ now: start }));
afterEach(() => {
  // First what spies on fake timers, which would else be put back in place of the real ones.
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const open = () => openMock({ clock: "system", lifecycle: { queued: minute, running: minute, unit: "ms" } });

test("runs on the system's time, which a runner may fake", async () => {
  await vi.advanceTimersByTimeAsync(minute);
  const { clock } = open().mock;
  const openedAt = start + minute;
  expect(clock.now()).toBe(openedAt);
  const woken: number[] = [];
  for (const ms of [3 * minute, minute, 2 ** 31 + 5]) {
    void clock.sleep(ms).then(() => woken.push(clock.now() - openedAt));
  }

  await vi.advanceTimersByTimeAsync(3 * minute);
  expect(woken).toEqual([minute, 3 * minute]);
  await vi.advanceTimersByTimeAsync(2 ** 31);

  expect(woken).toEqual([minute, 3 * minute, 2 ** 31 + 5]);
  expect(vi.getTimerCount()).toBe(0);
});

test("can be advanced ahead of the system's time", async () => {
  const { mock, createJob } = open();
  const jobId = await createJob();
  const asleep = mock.clock.sleep(90_000).then(() => mock.clock.now());

  await mock.clock.advance(2 * day);

  expect(await asleep).toBe(start + 90_000);
  expect(mock.clock.now()).toBe(start + 2 * day);
  expect(mock.jobs.get(jobId).status).toBe("succeeded");
  expect([mock.credits.remaining, new Date(mock.clock.now()).getUTCMonth()]).toEqual([100, 5]);
  await vi.advanceTimersByTimeAsync(minute);
  expect(mock.clock.now()).toBe(start + 2 * day + minute);
});

test("frees the timer and the listener of an aborted sleep", async () => {
  const { clock } = open().mock;
  const controller = new AbortController();
  const asleep = clock.sleep(minute, controller.signal);

  controller.abort("enough");

  await expect(asleep).rejects.toBe("enough");
  expect(vi.getTimerCount()).toBe(0);
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
});

test("goes back to the system's time when the mock is reset", async () => {
  const { mock } = open();
  void mock.clock.sleep(3 * day);
  await mock.clock.advance(day);

  mock.reset();

  expect(mock.clock.now()).toBe(start);
  expect(vi.getTimerCount()).toBe(0);
});

test("runs on where `Date` alone is frozen", async () => {
  const { mock, createJob } = open();
  const jobId = await createJob();
  const asleep = mock.clock.sleep(2 * minute).then(() => mock.clock.now() - start);
  const at = Date.now();
  vi.spyOn(Date, "now").mockImplementation(() => at);

  await vi.advanceTimersByTimeAsync(2 * minute);

  expect(await asleep).toBe(2 * minute);
  expect(mock.jobs.get(jobId).status).toBe("succeeded");
});

test("wakes a sleeper at its time where a runner fakes timers but not `performance`", async () => {
  vi.useRealTimers();
  vi.useFakeTimers({ now: start, toFake: ["setTimeout", "clearTimeout", "Date"] });
  vi.spyOn(performance, "now").mockReturnValue(performance.now());
  const woken = vi.fn();
  void open().mock.clock.sleep(minute).then(woken);

  await vi.advanceTimersByTimeAsync(minute - 1);
  expect(woken).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);

  expect(woken).toHaveBeenCalled();
});
