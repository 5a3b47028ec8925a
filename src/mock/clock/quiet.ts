/**
 * Turns without any work before it counts as quiet. After an answer its receiver still reads the body, runs through
 * its own promises and puts down its time-out; one turn covers promises, the others streams and `setImmediate`.
 */
const turnsUntilQuiet = 5;

/** How many turns an unused channel is kept, so that calls that follow each other share one. */
const idleTurns = 8;

/**
 * A channel of the platform. The page that Jest's jsdom makes hides it, so there it is Node's.
 *
 * @throws TypeError where there is none
 */
export function messageChannel(): MessageChannel {
  const Channel =
    globalThis.MessageChannel ?? globalThis.process?.getBuiltinModule?.("node:worker_threads").MessageChannel;
  if (Channel) return new Channel();
  throw new TypeError("Expected `MessageChannel` among the globals, on which the mock's clock runs");
}

/**
 * Watches requests come and go, and tells when nothing is being worked on, by counting turns of the event loop.
 *
 * A turn is a message between ports, because no runner fakes them, while every timer may be a fake one. They go to and
 * fro: Node delivers a message that a port sends to itself within the same turn.
 */
export class Quiet {
  #working = 0;
  #calm = 0;
  #idle = 0;
  #callback: (() => void) | undefined;
  #channel: MessageChannel | undefined;

  get isWorking(): boolean {
    return this.#working > 0;
  }

  /** Marks the beginning of work; the function it returns, called once, marks the end. */
  work(): () => void {
    this.#working++;
    return () => {
      this.#working--;
      this.#begin();
    };
  }

  /** Calls back, once, after some undisturbed turns of the event loop; replaces an earlier callback. */
  when(callback: () => void): void {
    this.#callback = callback;
    this.#begin();
  }

  cancel(): void {
    this.#callback = undefined;
  }

  get #isCounting(): boolean {
    return this.#callback !== undefined && !this.isWorking;
  }

  #begin(): void {
    this.#calm = 0;
    if (!this.#isCounting || this.#channel) return;
    this.#channel = messageChannel();
    const { port1, port2 } = this.#channel;
    port1.onmessage = () => this.#turn(port1);
    port2.onmessage = () => port2.postMessage(undefined);
    port1.postMessage(undefined);
  }

  #turn(port: MessagePort): void {
    if (this.#isCounting && ++this.#calm >= turnsUntilQuiet) {
      const callback = this.#callback;
      this.#callback = undefined;
      callback?.();
    }
    this.#idle = this.#isCounting ? 0 : this.#idle + 1;
    if (this.#idle <= idleTurns) {
      port.postMessage(undefined);
      return;
    }
    // An open port keeps the process alive and is never collected.
    port.close();
    this.#channel = undefined;
  }
}
