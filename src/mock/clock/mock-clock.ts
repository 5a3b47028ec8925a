import { type ClockHooks, clockResets, holdClock } from "../../time/clock-hooks.js";
import { createQuiet } from "./quiet.js";
import { createSleepers } from "./sleepers.js";
import { createSystemTime } from "./system-time.js";
import { createVirtualTime } from "./virtual-time.js";

/** The time that a mock and its clients run on. */
export interface MockClock {
  /** Milliseconds since 1970 (UTC). */
  now(): number;
  /**
   * Resolves once `ms` milliseconds have passed on this clock. On abort it rejects with the signal's reason and
   * leaves neither timer nor listener behind.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Moves the time forward by `ms` milliseconds and wakes on the way, each at its own time, all who are due.
   * Resolves when they have done what they woke for; when nobody is due, nothing is being worked on and no call of a
   * client has just begun, the time has moved already when this returns.
   */
  advance(ms: number): Promise<void>;
}

/** The clock that a test sees, and what only the mock may do with it. */
export interface ClockControl {
  clock: MockClock & Required<ClockHooks>;
  /** Marks that a request is being worked on; the function it returns marks the end. */
  work(): () => void;
  /** Back to the start; nobody who sleeps now will wake. */
  reset(): void;
}

/**
 * For how long a client that does not say may hold the time back, in real milliseconds: enough to read a file. Who takes
 * longer may hang, or sleep on this very clock.
 */
const usualHoldMs = 100;

/** A clock on which all delays of the mock and its clients run. */
export function createMockClock(kind: "virtual" | "system"): ClockControl {
  const quiet = createQuiet();
  const time = kind === "virtual" ? createVirtualTime(quiet) : createSystemTime();
  const sleepers = createSleepers(reschedule);
  let advances = 0;
  let lastAdvance = Promise.resolve();
  let resets = 0;

  function reschedule() {
    // While the time is being advanced, nothing else may move it.
    if (advances === 0) time.schedule(sleepers.nextDueAt(), wake);
  }

  function wake() {
    sleepers.wake(time.now());
    reschedule();
  }

  async function walk(ms: number, resetsBefore: number) {
    await settled();
    const target = time.now() + ms;
    while (resets === resetsBefore && sleepers.nextDueAt() <= target) {
      time.moveTo(sleepers.nextDueAt());
      sleepers.wake(time.now());
      await settled();
    }
    if (resets === resetsBefore) time.moveTo(target);
    advances--;
    reschedule();
  }

  function settled() {
    return new Promise<void>((resolve) => quiet.when(resolve));
  }

  function advance(ms: number): Promise<void> {
    if (!(ms >= 0 && ms < Number.POSITIVE_INFINITY)) {
      throw new RangeError(
        `Failed to advance the clock: ${ms} is no duration. Please pass milliseconds, 0 or more.`,
      );
    }
    const meetsNobody = advances === 0 && !quiet.isWorking() && sleepers.nextDueAt() > time.now() + ms;
    if (meetsNobody) {
      time.moveTo(time.now() + ms);
      reschedule();
      return Promise.resolve();
    }
    if (advances++ === 0) time.schedule(Number.POSITIVE_INFINITY, wake);
    const resetsBefore = resets;
    lastAdvance = lastAdvance.then(() => walk(ms, resetsBefore));
    return lastAdvance;
  }

  function hold(until: Promise<unknown>, atMostRealMs = usualHoldMs): void {
    const endWork = quiet.work();
    let isHeld = true;
    let port: MessagePort | undefined;
    const release = () => {
      if (isHeld) endWork();
      isHeld = false;
      port?.close();
    };
    until.then(release, release);
    Promise.resolve().then(() => {
      // Most are ready by now, and what follows costs as much as a call.
      if (!isHeld) return;
      // No runner fakes the timer of a signal, but it keeps no process alive; a port that listens does.
      AbortSignal.timeout(atMostRealMs).addEventListener("abort", release);
      port = new MessageChannel().port1;
      port.onmessage = release;
    });
  }

  return {
    clock: {
      now: time.now,
      // As with timers, no number counts as no delay.
      sleep: (ms, signal) => sleepers.add(time.now() + Math.max(ms || 0, 0), signal),
      advance,
      get [clockResets]() {
        return resets;
      },
      [holdClock]: hold,
    },
    work: quiet.work,
    reset() {
      resets++;
      sleepers.clear();
      time.reset();
      reschedule();
    },
  };
}
