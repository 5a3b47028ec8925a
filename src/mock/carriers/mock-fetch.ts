import type { ClockControl } from "../clock/mock-clock.js";
import type { Answer, Engine } from "../engine/call.js";
import { signalOf, type ToCall } from "./to-call.js";
import { toResponse } from "./to-response.js";

/** Carries what `fetch` takes to the service. */
export type Ask = (
  input: string | URL | Request,
  init: RequestInit | undefined,
  hasOwnClock: boolean,
) => Promise<Answer>;

export function createAsk(engine: Engine, toCall: ToCall, { work }: ClockControl): Ask {
  return async (input, init, hasOwnClock) => {
    const signal = signalOf(input, init);
    const endReading = work();
    let answering: Answer | Promise<Answer>;
    try {
      const call = toCall(input, init, hasOwnClock);
      const read = "then" in call ? await unlessAborted(call, signal) : call;
      signal?.throwIfAborted();
      answering = engine(read);
    } finally {
      endReading();
    }
    return answering;
  };
}

/** A body may take its time to be read; who gives up does not wait for it. */
function unlessAborted<T>(reading: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal?.reason);
    if (signal?.aborted) return abort();
    signal?.addEventListener("abort", abort, { once: true });
    reading.then(resolve, reject).finally(() => signal?.removeEventListener("abort", abort));
  });
}

/** The service in the form of `fetch`. */
export function createMockFetch(ask: Ask): typeof globalThis.fetch {
  return async (input, init) => toResponse(await ask(input, init, false));
}
