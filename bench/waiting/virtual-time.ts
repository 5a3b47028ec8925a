import { randomFrom } from "./random.js";

interface Timer {
  dueAt: number;
  callback(): void;
  ref(): Timer;
  unref(): Timer;
  hasRef(): boolean;
}

/** Time in milliseconds that passes only when nothing else is left to do. */
export interface VirtualTime {
  now(): number;
  sleep(ms: number): Promise<void>;
  /** Lets time pass until `promise` settles. */
  passUntil<Value>(promise: Promise<Value>): Promise<Value>;
}

/**
 * Replaces the functions by which programs tell the time and wait (`setTimeout`, `Date` and `performance.now`), and
 * draws `Math.random` from a seed, so that a run can be repeated. Nothing is restored for the rest of the process. What
 * is measured on it must be imported afterwards, in case it keeps one of these.
 */
export function installVirtualTime(seed: number): VirtualTime {
  const { Date: SystemDate, setImmediate } = globalThis;
  const timers = new Set<Timer>();
  let now = SystemDate.UTC(2026, 0, 1);

  const setTimeout = (callback: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): Timer => {
    const timer: Timer = {
      dueAt: now + Math.max(Number(ms) || 0, 1),
      callback: () => callback(...args),
      ref: () => timer,
      unref: () => timer,
      hasRef: () => true,
    };
    timers.add(timer);
    return timer;
  };
  const clearTimeout = (timer: Timer | undefined) => timer && timers.delete(timer);
  class VirtualDate extends SystemDate {
    constructor(...args: unknown[]) {
      super(...((args.length > 0 ? args : [now]) as [number]));
    }
    static override now = () => now;
  }
  Object.assign(globalThis, { setTimeout, clearTimeout, Date: VirtualDate });
  performance.now = () => now;
  Math.random = randomFrom(seed);

  /** Waits a few event loop ticks, in which resumed code does everything that takes no time. */
  const settle = async () => {
    for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => setImmediate(() => resolve()));
  };

  return {
    now: () => now,
    sleep: (ms) => new Promise<void>((resolve) => setTimeout(() => resolve(), ms)),
    async passUntil(promise) {
      let isSettled = false;
      const settled = () => {
        isSettled = true;
      };
      promise.then(settled, settled);
      for (await settle(); !isSettled; await settle()) {
        const [first, ...others] = timers;
        if (first === undefined)
          throw new Error("Nothing is left to wait for, and the promise is not settled.");
        const next = others.reduce(
          (earliest, timer) => (timer.dueAt < earliest.dueAt ? timer : earliest),
          first,
        );
        timers.delete(next);
        now = Math.max(now, next.dueAt);
        next.callback();
      }
      return promise;
    },
  };
}
