import type { Quiet } from "./quiet.js";

/** The source of time for a mock's clock. All times are in milliseconds since 1970 (UTC). */
export interface TimeSource {
  now(): number;
  /** How far the time was moved forward since the start, in milliseconds. */
  leadMs(): number;
  /** Moves the time forward. A time in the past has no effect. */
  moveTo(time: number): void;
  /** Calls `wake` at `dueAt`, or never if that is infinity. Replaces an earlier schedule. */
  schedule(dueAt: number, wake: () => void): void;
  reset(): void;
}

/** 2026-01-01T00:00:00Z: fixed, so that the same steps give the same times on every run. */
const startTime = Date.UTC(2026, 0, 1);

/** A time that stands still until all is quiet, and then jumps to what is due next. */
export function virtualTime(quiet: Quiet): TimeSource {
  let now = startTime;
  function moveTo(time: number) {
    now = Math.max(now, time);
  }
  return {
    now: () => now,
    leadMs: () => now - startTime,
    moveTo,
    schedule(dueAt, wake) {
      if (dueAt === Number.POSITIVE_INFINITY) return quiet.cancel();
      quiet.when(() => {
        moveTo(dueAt);
        wake();
      });
    },
    reset() {
      now = startTime;
    },
  };
}

/** The longest delay of a timer; a longer one fires at once. */
const longestDelayMs = 2 ** 31 - 1;

/**
 * The system's time plus the amount by which it was advanced. The globals `Date`, `setTimeout` and `clearTimeout` are
 * looked up at each call, so that the fake timers of a test runner drive this clock.
 */
export function systemTime(): TimeSource {
  let offsetMs = 0;
  let stop: (() => void) | undefined;
  const now = () => Date.now() + offsetMs;

  function schedule(dueAt: number, wake: () => void): void {
    stop?.();
    stop = undefined;
    if (dueAt === Number.POSITIVE_INFINITY) return;
    const { setTimeout, clearTimeout } = globalThis;
    const delayMs = Math.min(Math.max(dueAt - now(), 0), longestDelayMs);
    // A timer may fire a fraction of a millisecond early, in which case it is set again.
    const timer = setTimeout(() => (now() < dueAt ? schedule(dueAt, wake) : wake()), delayMs);
    stop = () => clearTimeout(timer);
  }

  return {
    now,
    leadMs: () => offsetMs,
    moveTo(time) {
      offsetMs += Math.max(time - now(), 0);
    },
    schedule,
    reset() {
      offsetMs = 0;
    },
  };
}
