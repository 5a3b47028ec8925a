import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import type { Clock } from "screenshot-sets";

/** The time-out of an attempt on this clock: longer than any delay between attempts, so that the two are told apart. */
export const attemptTimeoutMs = 90_000;

/**
 * Virtual time for calls over a real network. A delay between attempts passes at once; the time-out of an attempt
 * passes when `expire` is called, which a server does once it has fallen silent.
 */
export class RequestClock implements Clock {
  /** The delays between attempts, in milliseconds. */
  readonly delays: number[] = [];
  readonly #timeouts = new Set<() => void>();
  #now = 0;

  now(): number {
    return this.#now;
  }

  /** Sleeps that have not ended. */
  get pending(): number {
    return this.#timeouts.size;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (ms !== attemptTimeoutMs) {
      this.delays.push(ms);
      this.#now += ms;
      return;
    }
    const endsAt = this.#now + ms;
    await new Promise<void>((resolve, reject) => {
      const end = () => {
        this.#timeouts.delete(end);
        signal?.removeEventListener("abort", onAbort);
        this.#now = Math.max(this.#now, endsAt);
        resolve();
      };
      const onAbort = () => {
        this.#timeouts.delete(end);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#timeouts.add(end);
    });
  }

  /** Lets the time-outs pass once all that was written has arrived. */
  async expire(): Promise<void> {
    await delay(15);
    // A busy process runs its timers before it looks at its sockets.
    for (let turns = 0; turns < 3; turns++) await turn();
    for (const end of this.#timeouts) end();
  }
}
