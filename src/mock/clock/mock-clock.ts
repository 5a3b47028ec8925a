import { type ClockHooks, clockLead, clockResets, holdClock } from "../../time/clock-hooks.js";
import { messageChannel, Quiet } from "./quiet.js";
import { SleepQueue } from "./sleep-queue.js";
import { systemTime, type TimeSource, virtualTime } from "./time-source.js";

/** The clock of a mock and its clients. */
export interface MockClock {
  /** Milliseconds since 1970 (UTC). */
  now(): number;
  /**
   * Resolves once `ms` milliseconds have passed on this clock. On abort, it rejects with the signal's reason and leaves
   * no timer or listener behind.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Moves the time forward by `ms` milliseconds and ends each sleep that falls due on the way at its own time. Resolves
   * once the work that follows these sleeps is done. If no sleep is due, no request is being handled and no client has
   * just started a call, the time has already moved when this returns.
   */
  advance(ms: number): Promise<void>;
}

/**
 * How long a client may hold the clock, in real milliseconds: enough to read a key or to save a job's id. A client that
 * takes longer may hang, or may itself be sleeping on this clock.
 */
const longestHoldMs = 1000;

/** The latest time that a `Date` can represent. */
const latestTime = 8.64e15;

/**
 * The clock of a mock. Its fields can be detached from it, as clients do; its methods are only for the mock itself.
 */
export class ControlledClock implements MockClock, Required<ClockHooks> {
  readonly #quiet = new Quiet();
  readonly #time: TimeSource;
  readonly #sleeps = new SleepQueue(() => this.#reschedule());
  #advances = 0;
  #lastAdvance = Promise.resolve();

  [clockResets] = 0;

  constructor(readonly kind: "virtual" | "system") {
    this.#time = kind === "virtual" ? virtualTime(this.#quiet) : systemTime();
  }

  readonly now = (): number => this.#time.now();

  get [clockLead](): number {
    return this.#time.leadMs();
  }

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> => {
    // As with timers, a value that is not a number means no delay.
    return this.#sleeps.sleep(this.now() + Math.max(ms || 0, 0), signal);
  };

  readonly advance = (ms: number): Promise<void> => {
    if (!(Number.isFinite(ms) && ms >= 0)) {
      throw new RangeError(
        `Failed to advance the clock: ${ms} is no duration. Please pass milliseconds, 0 or more.`,
      );
    }
    const target = this.now() + ms;
    if (target > latestTime) throw new RangeError("Failed to advance the clock: no date is as late as that.");
    const meetsNobody = this.#advances === 0 && !this.#quiet.isWorking && this.#sleeps.nextDueAt > target;
    if (meetsNobody) {
      this.#time.moveTo(target);
      this.#reschedule();
      return Promise.resolve();
    }
    if (this.#advances++ === 0) this.#time.schedule(Number.POSITIVE_INFINITY, this.#wake);
    const resetsBefore = this[clockResets];
    this.#lastAdvance = this.#lastAdvance.then(() => this.#walk(ms, resetsBefore));
    return this.#lastAdvance;
  };

  readonly [holdClock] = (until: Promise<unknown>): void => {
    endWorkAfter(until, longestHoldMs, this.work());
  };

  /** Marks the start of work on a request; the function it returns marks the end. */
  work(): () => void {
    return this.#quiet.work();
  }

  /** Returns to the initial time. Pending sleeps never resolve. */
  reset(): void {
    this[clockResets]++;
    this.#sleeps.clear();
    this.#time.reset();
    this.#reschedule();
  }

  #reschedule(): void {
    // While the time is being advanced, nothing else may move it.
    if (this.#advances === 0) this.#time.schedule(this.#sleeps.nextDueAt, this.#wake);
  }

  readonly #wake = (): void => {
    this.#sleeps.wake(this.now());
    this.#reschedule();
  };

  async #walk(ms: number, resetsBefore: number): Promise<void> {
    await this.#settled();
    const target = this.now() + ms;
    while (this[clockResets] === resetsBefore && this.#sleeps.nextDueAt <= target) {
      this.#time.moveTo(this.#sleeps.nextDueAt);
      this.#sleeps.wake(this.now());
      await this.#settled();
    }
    if (this[clockResets] === resetsBefore) this.#time.moveTo(target);
    this.#advances--;
    this.#reschedule();
  }

  #settled(): Promise<void> {
    return new Promise((resolve) => this.#quiet.when(resolve));
  }
}

/** Ends work once `until` has settled, or after so many real milliseconds. */
function endWorkAfter(until: Promise<unknown>, atMostRealMs: number, endWork: () => void): void {
  let isHeld = true;
  let port: MessagePort | undefined;
  const release = () => {
    if (isHeld) endWork();
    isHeld = false;
    port?.close();
  };
  until.then(release, release);
  Promise.resolve().then(() => {
    // Most promises have settled by now, and the rest of this function costs as much as a call.
    if (!isHeld) return;
    // No test runner fakes the timer of a signal, but it does not keep the process alive. A listening port does.
    AbortSignal.timeout(atMostRealMs).addEventListener("abort", release);
    port = messageChannel().port1;
    port.onmessage = release;
  });
}
