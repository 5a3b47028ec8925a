import { createHistogram } from "node:perf_hooks";

/**
 * How late things begin that become due while this runs, one each millisecond. Unlike a look at the loop whenever it
 * comes round, this counts a block of a second as what it is to a thousand of them.
 */
export class EventLoopDelay {
  readonly #microseconds = createHistogram();
  #dueAt = performance.now();
  #timer: NodeJS.Timeout | undefined;

  start(): void {
    this.#dueAt = performance.now() + 1;
    this.#look();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#record();
  }

  percentileMs(percentile: number): number {
    return this.#microseconds.percentile(percentile) / 1000;
  }

  #look(): void {
    this.#record();
    this.#timer = setTimeout(() => this.#look(), 1);
  }

  #record(): void {
    const now = performance.now();
    for (; this.#dueAt <= now; this.#dueAt++) {
      this.#microseconds.record(1 + Math.round((now - this.#dueAt) * 1000));
    }
  }
}
