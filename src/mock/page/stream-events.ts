import type { ServerResponse } from "node:http";
import { fingerprint, readState, type ServedMock } from "./state.js";

/** Slightly less than five times a second: instant for a person, and little work however much happens. */
const sampleEveryMs = 210;

/**
 * Streams the states of a mock to a response, whose headers are already written, until the listener disconnects. The
 * mock is sampled at an interval, which adds no cost to calls and also finds changes that only time causes. Each
 * listener has its own interval, or one that connects between two samples would get more than one state per interval.
 */
export function streamEvents(mock: ServedMock, response: ServerResponse): void {
  let sent = "";
  function send() {
    // Send nothing to a listener that does not read, so nothing piles up. It gets the newest state once it reads again.
    if (response.writableNeedDrain) return;
    const state = readState(mock);
    const current = fingerprint(state, mock);
    if (current === sent) return;
    sent = current;
    response.write(`event: state\ndata: ${JSON.stringify(state)}\n\n`);
  }
  function sample() {
    try {
      send();
    } catch {
      // A fault's body may be nested so deeply that no state can be written. An error of a timer would end the process.
      response.destroy();
    }
  }
  const timer = setInterval(sample, sampleEveryMs);
  response.once("close", () => clearInterval(timer));
  send();
}
