/**
 * The mock as handlers of msw, for code that makes its own client.
 *
 * @module screenshot-sets/mock/msw
 */

import { type HttpHandler, HttpResponse, http } from "msw";
import { askOf } from "./carriers/mock-fetch.js";
import { toResponse } from "./carriers/to-response.js";
import { rejectionReply } from "./service/reply.js";
import type { Mock } from "./types.js";

/**
 * Options for `server.listen`: a request that no handler answers is an error. msw 2 and 3 have different names for it.
 */
export const listenOptions = {
  /** msw 2. */
  onUnhandledRequest: "error",
  /** msw 3. */
  onUnhandledFrame: "error",
} as const;

/**
 * Handlers for `setupServer` and `setupWorker`. The last one answers everything below the mock's base URL, so that no
 * request below it reaches the network: msw lets paths such as `.json` and `.png` through otherwise.
 *
 * The client keeps a clock of its own. Jobs whose lifecycle runs on polls need none; one in milliseconds, and
 * `latencyMs`, run on the mock's clock: give it `clock: "system"`, or move it with `clock.advance`.
 *
 * @throws TypeError when `mock` does not come from `createMock`
 */
export function handlers(mock: Mock): HttpHandler[] {
  const ask = askOf(mock);
  const { baseUrl } = mock.clientOptions;
  const literal = baseUrl.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

  return [
    http.all(new RegExp(`^${literal}(/|$)`), async ({ request }) => {
      try {
        const reply = await ask(request, undefined, { hasOwnClock: true });
        return reply.status === 0 ? HttpResponse.error() : toResponse(reply);
      } catch (error) {
        // Who has given up is gone, and msw would report what is thrown here.
        return request.signal.aborted ? HttpResponse.error() : toResponse(rejectionReply(error));
      }
    }),
  ];
}
