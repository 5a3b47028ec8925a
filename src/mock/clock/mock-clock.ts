import { abortable } from "../../time/abortable.js";
import { longestTimerMs } from "../../time/clock.js";
import { type ClockHooks, clockLead, clockResets, holdClock } from "../../time/clock-hooks.js";
import { IdleDetector } from "./idle-detector.js";

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

/** Where virtual time starts: fixed, so that the same steps give the same times on every run. */
const virtualStart = Date.UTC(2026, 0, 1);

/** The latest time that a `Date` can represent. */
const latestTime = 8.64e15;

/**
 * How long a client may hold the clock, in real milliseconds: enough to read a key or to save a job's id. A client that
 * takes longer may hang, or may itself be sleeping on this clock.
 */
const longestHoldMs = 1000;

/**
 * The clock of a mock.
 *
 * A virtual clock stands still while anybody works, and then jumps to whatever is due next. A system clock starts at
 * the system's time and runs on `performance.now`, which a test that freezes `Date` does not stop. It wakes sleepers by
 * `setTimeout`. Both globals are looked up at each call, so that the fake timers of a test runner drive this clock.
 *
 * Clients detach the fields of a clock from it. The methods are only for the mock itself.
 */
export class ControlledClock implements MockClock, Required<ClockHooks> {
  readonly #idle = new IdleDetector();
  #startedAt = 0;
  /** What `performance.now` was at the start. */
  #origin = 0;
  readonly #sleepers = new Sleepers();
  /** Takes back what will wake the next sleeper. */
  #disarm = () => {};
  #advances = 0;
  #lastAdvance = Promise.resolve();

  [clockResets] = 0;
  [clockLead] = 0;

  constructor(readonly kind: "virtual" | "system") {
    this.#start();
  }

  readonly now = (): number => {
    const passedMs = this.kind === "virtual" ? 0 : Math.floor(performance.now() - this.#origin);
    return this.#startedAt + passedMs + this[clockLead];
  };

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    abortable(signal, (wake) => {
      // As with timers, a value that is not a number means no delay.
      const dueAt = this.now() + Math.max(ms || 0, 0);
      const forget = this.#sleepers.add({ dueAt, wake });
      this.#arm();
      return () => {
        forget();
        this.#arm();
      };
    });

  readonly advance = (ms: number): Promise<void> => {
    if (!(Number.isFinite(ms) && ms >= 0)) {
      throw new RangeError(
        `Failed to advance the clock: ${ms} is no duration. Please pass milliseconds, 0 or more.`,
      );
    }
    const target = this.now() + ms;
    if (target > latestTime) throw new RangeError("Failed to advance the clock: no date is as late as that.");
    if (this.#advances === 0 && !this.#idle.isWorking && this.#sleepers.nextDueAt > target) {
      this.#moveTo(target);
      this.#arm();
      return Promise.resolve();
    }
    this.#disarm();
    this.#advances++;
    const resetsBefore = this[clockResets];
    this.#lastAdvance = this.#lastAdvance.then(() => this.#walk(ms, resetsBefore));
    return this.#lastAdvance;
  };

  readonly [holdClock] = (until: Promise<unknown>): void => {
    let isHeld = true;
    const endWork = this.work();
    const release = () => {
      if (isHeld) endWork();
      isHeld = false;
    };
    until.then(release, release);
    // One turn later, because most promises have settled by then. No test runner fakes the timer of a signal.
    const limit = () => isHeld && AbortSignal.timeout(longestHoldMs).addEventListener("abort", release);
    Promise.resolve().then(limit);
  };

  /** Marks the start of work on a request; the function it returns marks the end. */
  work(): () => void {
    return this.#idle.work();
  }

  /** Returns to the initial time. Pending sleeps never resolve. */
  reset(): void {
    this[clockResets]++;
    this.#sleepers.clear();
    this.#start();
    this.#arm();
  }

  #start(): void {
    this.#startedAt = this.kind === "virtual" ? virtualStart : Date.now();
    this.#origin = performance.now();
    this[clockLead] = 0;
  }

  /** A time in the past has no effect. */
  #moveTo(time: number): void {
    this[clockLead] += Math.max(time - this.now(), 0);
  }

  /** Arranges the waking of the next sleeper. While the time is being advanced, nothing else may move it. */
  #arm(): void {
    if (this.#advances > 0) return;
    this.#disarm();
    this.#disarm = () => {};
    const { nextDueAt } = this.#sleepers;
    if (nextDueAt === Number.POSITIVE_INFINITY) return;
    if (this.kind === "virtual") {
      this.#disarm = () => this.#idle.cancel();
      this.#idle.when(() => this.#goTo(nextDueAt));
    } else this.#setTimer(nextDueAt);
  }

  #setTimer(dueAt: number): void {
    const { setTimeout, clearTimeout } = globalThis;
    const delayMs = Math.min(Math.max(dueAt - this.now(), 0), longestTimerMs);
    const ringsAt = this.now() + delayMs;
    // Not the time of that moment: where a test runner fakes timers alone, `performance.now` has not moved.
    const timer = setTimeout(() => this.#goTo(ringsAt), delayMs);
    this.#disarm = () => clearTimeout(timer);
  }

  #goTo(time: number): void {
    this.#moveTo(time);
    this.#sleepers.wake(this.now());
    this.#arm();
  }

  async #walk(ms: number, resetsBefore: number): Promise<void> {
    await this.#settled();
    const target = this.now() + ms;
    const isReset = () => this[clockResets] !== resetsBefore;
    while (!isReset() && this.#sleepers.nextDueAt <= target) {
      this.#moveTo(this.#sleepers.nextDueAt);
      this.#sleepers.wake(this.now());
      await this.#settled();
    }
    if (!isReset()) this.#moveTo(target);
    this.#advances--;
    this.#arm();
  }

  #settled(): Promise<void> {
    return new Promise((resolve) => this.#idle.when(resolve));
  }
}

/** Somebody who sleeps. */
interface Sleeper {
  readonly dueAt: number;
  wake(): void;
}

/** Those who sleep on a clock, in the order in which they are woken: by when they are due, then by when they began. */
class Sleepers {
  #list: Sleeper[] = [];

  /** When the next one is due; infinity if nobody is. */
  get nextDueAt(): number {
    return this.#list[0]?.dueAt ?? Number.POSITIVE_INFINITY;
  }

  /** Returns a function that takes the sleeper out again. */
  add(sleeper: Sleeper): () => void {
    this.#list.splice(this.#countDueBy(sleeper.dueAt), 0, sleeper);
    return () => {
      const place = this.#list.indexOf(sleeper);
      if (place >= 0) this.#list.splice(place, 1);
    };
  }

  /** Wakes everybody who is due by a time. */
  wake(time: number): void {
    for (const { wake } of this.#list.splice(0, this.#countDueBy(time))) wake();
  }

  /** Forgets everybody. They are never woken. */
  clear(): void {
    this.#list = [];
  }

  /** How many are due by a time. They are the first ones. */
  #countDueBy(time: number): number {
    let [from, to] = [0, this.#list.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#list[middle] as Sleeper).dueAt <= time) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
