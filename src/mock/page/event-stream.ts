import type { ServerResponse } from "node:http";
import { fingerprint, readState, type ServedMock } from "./state.js";

/** Five times a second: seen by a person as at once, and little work however much happens. */
const sampleEveryMs = 200;

/** After how many milliseconds a page comes back whose connection was lost. */
const retryMs = 500;

/**
 * Sends states of a mock to whoever listens. They are looked at in steps of time, and only while somebody listens: what
 * happens in a call costs nothing more, and what changes with the time alone is seen as well.
 */
export class EventStream {
  /** The listeners, each with the fingerprint of what it was sent last. */
  readonly #sent = new Map<ServerResponse, string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(readonly mock: ServedMock) {}

  /** Begins to send, to a response whose headers are written. */
  open(response: ServerResponse): void {
    response.write(`retry: ${retryMs}\n\n`);
    this.#sent.set(response, "");
    response.once("close", () => this.#close(response));
    this.#timer ??= setInterval(() => this.#send(), sampleEveryMs);
    this.#send();
  }

  #send(): void {
    const state = readState(this.mock);
    const current = fingerprint(state, this.mock);
    const event = `event: state\ndata: ${JSON.stringify(state)}\n\n`;
    for (const [response, sent] of this.#sent) {
      // Who does not read is sent nothing, so that nothing piles up, and the newest state once they read again.
      if (sent === current || response.writableNeedDrain) continue;
      this.#sent.set(response, current);
      response.write(event);
    }
  }

  #close(response: ServerResponse): void {
    this.#sent.delete(response);
    if (this.#sent.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
