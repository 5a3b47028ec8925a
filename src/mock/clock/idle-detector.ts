/** How many turns without work make the mock idle: one for promises, the others for streams and `setImmediate`. */
const turnsUntilIdle = 5;

/**
 * A `MessageChannel` of the platform. Jest's jsdom environment hides the global one, so Node's is used there.
 *
 * @throws TypeError if the platform has none
 */
function messageChannel(): MessageChannel {
  const Channel =
    globalThis.MessageChannel ?? globalThis.process?.getBuiltinModule?.("node:worker_threads").MessageChannel;
  if (Channel) return new Channel();
  throw new TypeError("Expected `MessageChannel` among the globals, on which the mock's clock runs");
}

/**
 * Knows when nobody works, by counting turns of the event loop:
 *
 * ```
 *          a request is handled          a client reads its key
 *           ┌───────────────┐               ┌───────────┐
 *  when(…)  │               │               │           │                     the callback
 * ─────┬────┴───────────────┴───┬────┬──────┴───────────┴──┬───┬───┬───┬───┬───▶ event loop
 *  turn 1                       1    2                     1   2   3   4   5
 *                               └ again from 0 ┘           └── nobody worked ──┘
 * ```
 *
 * Whoever got an answer reads its body in the next turn or two, and then asks again or sleeps. After five turns without
 * work, everybody sleeps or has ended, and a virtual time may jump.
 *
 * A turn is a message from one port to another and back, because test runners fake timers, but no ports.
 */
export class IdleDetector {
  #working = 0;
  /** Since work ended or the callback was set. */
  #turns = 0;
  #callback: (() => void) | undefined;
  #channel: MessageChannel | undefined;

  get isWorking(): boolean {
    return this.#working > 0;
  }

  /** Marks the start of work; the function it returns marks the end and must be called only once. */
  work(): () => void {
    this.#working++;
    return () => {
      this.#working--;
      this.#count();
    };
  }

  /** Calls `callback` once, after some turns of the event loop without work. Replaces an earlier callback. */
  when(callback: () => void): void {
    this.#callback = callback;
    this.#count();
  }

  cancel(): void {
    this.#callback = undefined;
  }

  get #isCounting(): boolean {
    return this.#callback !== undefined && !this.isWorking;
  }

  #count(): void {
    this.#turns = 0;
    if (!this.#isCounting || this.#channel) return;
    this.#channel = messageChannel();
    const { port1, port2 } = this.#channel;
    port1.onmessage = () => this.#turn(port1);
    port2.onmessage = () => port2.postMessage(undefined);
    port1.postMessage(undefined);
  }

  #turn(port: MessagePort): void {
    this.#turns++;
    if (this.#isCounting && this.#turns >= turnsUntilIdle) {
      const callback = this.#callback;
      this.#callback = undefined;
      callback?.();
    }
    if (this.#isCounting) port.postMessage(undefined);
    else {
      // An open port keeps the process alive and is never garbage-collected.
      port.close();
      this.#channel = undefined;
    }
  }
}
