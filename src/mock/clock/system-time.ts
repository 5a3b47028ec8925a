import type { TimeSource } from "./virtual-time.js";

/** The longest delay of a timer; a longer one fires at once. */
const longestDelayMs = 2 ** 31 - 1;

/**
 * The system's time, plus what it was advanced by. `Date`, `setTimeout` and `clearTimeout` are the global ones as they
 * are at each call, so that a runner's fake timers drive it.
 */
export function createSystemTime(): TimeSource {
  let offsetMs = 0;
  let stop: (() => void) | undefined;

  function now() {
    return Date.now() + offsetMs;
  }

  function schedule(dueAt: number, wake: () => void) {
    stop?.();
    stop = undefined;
    if (dueAt === Number.POSITIVE_INFINITY) return;
    const { setTimeout, clearTimeout } = globalThis;
    const delayMs = Math.min(Math.max(dueAt - now(), 0), longestDelayMs);
    // A timer may fire a fraction of a millisecond early: it is set again rather than believed.
    const timer = setTimeout(() => (now() < dueAt ? schedule(dueAt, wake) : wake()), delayMs);
    stop = () => clearTimeout(timer);
  }

  return {
    now,
    moveTo(time) {
      offsetMs += Math.max(time - now(), 0);
    },
    schedule,
    reset() {
      offsetMs = 0;
    },
  };
}
