import { createHistogram } from "node:perf_hooks";

/**
 * Measures how late tasks begin if one is due each millisecond while this runs. A sample per iteration of the event
 * loop would count a block of a second once; this counts it for each of the thousand tasks that it delays.
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
