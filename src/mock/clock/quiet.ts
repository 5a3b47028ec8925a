/**
 * Turns without any work before it counts as quiet. After an answer its receiver still reads the body, runs through
 * its own promises and puts down its time-out; one turn covers promises, the others streams and `setImmediate`.
 */
const turnsUntilQuiet = 5;

/** Watches requests come and go, and tells when nothing is being worked on. */
export class Quiet {
  #working = 0;
  #calmTurns = 0;
  #callback: (() => void) | undefined;
  readonly #turns = new Turns(() => this.#turn());

  /** Whether a request is being worked on. */
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

  /** Forgets the callback. */
  cancel(): void {
    this.#callback = undefined;
  }

  #begin(): void {
    this.#calmTurns = 0;
    if (this.#callback && this.#working === 0) this.#turns.start();
  }

  /** Whether to go on counting. */
  #turn(): boolean {
    const callback = this.#callback;
    if (this.#working > 0 || !callback) return false;
    if (++this.#calmTurns < turnsUntilQuiet) return true;
    this.#callback = undefined;
    callback();
    return this.#callback !== undefined;
  }
}

/** How many turns an unused channel is kept, so that calls that follow each other share one. */
const idleTurns = 8;

/**
 * Calls `onTurn` once a turn of the event loop for as long as it returns true.
 *
 * Messages between ports are used because no runner fakes them, while every timer may be a fake one. They go to and
 * fro: Node delivers a message that a port sends to itself within the same turn.
 */
class Turns {
  readonly #onTurn: () => boolean;
  #channel: MessageChannel | undefined;
  #isCounting = false;
  #idle = 0;

  constructor(onTurn: () => boolean) {
    this.#onTurn = onTurn;
  }

  /** Begins to count, or goes on counting. */
  start(): void {
    this.#isCounting = true;
    if (!this.#channel) this.#open();
  }

  #open(): void {
    this.#channel = new MessageChannel();
    const { port1, port2 } = this.#channel;
    port1.onmessage = () => this.#turn();
    port2.onmessage = () => port2.postMessage(undefined);
    port1.postMessage(undefined);
  }

  #turn(): void {
    if (this.#isCounting) this.#isCounting = this.#onTurn();
    this.#idle = this.#isCounting ? 0 : this.#idle + 1;
    if (this.#idle <= idleTurns) {
      this.#channel?.port1.postMessage(undefined);
      return;
    }
    // An open port keeps the process alive and is never collected.
    this.#channel?.port1.close();
    this.#channel = undefined;
  }
}
