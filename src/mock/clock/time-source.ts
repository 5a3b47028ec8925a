import type { Quiet } from "./quiet.js";

/** Where a mock's clock takes the time from. All times in milliseconds since 1970 (UTC). */
export interface TimeSource {
  /** The time. */
  now(): number;
  /** Moves the time forward; one that has passed changes nothing. */
  moveTo(time: number): void;
  /** Calls `wake` when it is `dueAt`; replaces an earlier call, and infinity means never. */
  schedule(dueAt: number, wake: () => void): void;
  /** Back to the start. */
  reset(): void;
}

/** 2026-01-01T00:00:00Z: fixed, so that the same steps give the same times on every run. */
const startTime = Date.UTC(2026, 0, 1);

/** A time that stands still, and jumps to what is due next once all is quiet. */
export class VirtualTime implements TimeSource {
  readonly #quiet: Quiet;
  #now = startTime;

  constructor(quiet: Quiet) {
    this.#quiet = quiet;
  }

  now(): number {
    return this.#now;
  }

  moveTo(time: number): void {
    this.#now = Math.max(this.#now, time);
  }

  schedule(dueAt: number, wake: () => void): void {
    if (dueAt === Number.POSITIVE_INFINITY) {
      this.#quiet.cancel();
      return;
    }
    this.#quiet.when(() => {
      this.moveTo(dueAt);
      wake();
    });
  }

  reset(): void {
    this.#now = startTime;
  }
}

/** The longest delay of a timer; a longer one fires at once. */
const longestDelayMs = 2 ** 31 - 1;

/**
 * The system's time, plus what it was advanced by. `Date`, `setTimeout` and `clearTimeout` are the global ones as they
 * are at each call, so that a runner's fake timers drive it.
 */
export class SystemTime implements TimeSource {
  #offsetMs = 0;
  #stop: (() => void) | undefined;

  now(): number {
    return Date.now() + this.#offsetMs;
  }

  moveTo(time: number): void {
    this.#offsetMs += Math.max(time - this.now(), 0);
  }

  schedule(dueAt: number, wake: () => void): void {
    this.#stop?.();
    this.#stop = undefined;
    if (dueAt === Number.POSITIVE_INFINITY) return;
    const { setTimeout, clearTimeout } = globalThis;
    const delayMs = Math.min(Math.max(dueAt - this.now(), 0), longestDelayMs);
    // A timer may fire a fraction of a millisecond early: it is set again rather than believed.
    const onTimer = () => (this.now() < dueAt ? this.schedule(dueAt, wake) : wake());
    const timer = setTimeout(onTimer, delayMs);
    this.#stop = () => clearTimeout(timer);
  }

  reset(): void {
    this.#offsetMs = 0;
  }
}
