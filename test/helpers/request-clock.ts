import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import type { Clock } from "screenshot-sets";

/** The time-out of an attempt on this clock. It is longer than any delay between attempts, to distinguish the two. */
export const attemptTimeoutMs = 90_000;

/**
 * Virtual time for calls over a real network. A delay between attempts passes immediately. The time-out of an attempt
 * passes when `expire` is called, which a server does when it stops sending.
 */
export class RequestClock implements Clock {
  /** The delays between attempts, in milliseconds. */
  readonly delays: number[] = [];
  readonly #timeouts = new Set<() => void>();
  #now = 0;

  now(): number {
    return this.#now;
  }

  /** The number of sleeps that have not ended. */
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

  /** Ends the time-outs after everything that was written has arrived. */
  async expire(): Promise<void> {
    await delay(15);
    // A busy process runs its timers before it reads from its sockets.
    for (let turns = 0; turns < 3; turns++) await turn();
    for (const end of this.#timeouts) end();
  }
}
