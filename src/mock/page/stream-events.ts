import type { ServerResponse } from "node:http";
import { fingerprint, readState, type ServedMock } from "./state.js";

/** Not quite five times a second: seen by a person as at once, and little work however much happens. */
const sampleEveryMs = 210;

/**
 * Sends states of a mock to a listener, until they leave, as a response whose headers are written. The mock is looked at
 * in steps of time: what happens in a call costs nothing more, and what changes with the time alone is seen as well. Each
 * listener has their own steps, or one who comes between two would be sent more than one state a step.
 */
export function streamEvents(mock: ServedMock, response: ServerResponse): void {
  let sent = "";
  function send() {
    // Who does not read is sent nothing, so that nothing piles up, and the newest state once they read again.
    if (response.writableNeedDrain) return;
    const state = readState(mock);
    const current = fingerprint(state, mock);
    if (current === sent) return;
    sent = current;
    response.write(`event: state\ndata: ${JSON.stringify(state)}\n\n`);
  }
  const timer = setInterval(send, sampleEveryMs);
  response.once("close", () => clearInterval(timer));
  send();
}
