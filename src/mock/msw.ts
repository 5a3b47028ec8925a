/**
 * The mock as msw handlers, for code that creates its own client.
 *
 * @module screenshot-sets/mock/msw
 */

import { type HttpHandler, HttpResponse, http } from "msw";
import { askOf } from "./carriers/mock-fetch.js";
import { toResponse } from "./carriers/to-response.js";
import { rejectionReply } from "./service/reply.js";
import type { Mock } from "./types.js";

/**
 * Options for `server.listen`: a request that no handler answers is an error. msw 2 and 3 use different names for this.
 */
export const listenOptions = {
  /** msw 2. */
  onUnhandledRequest: "error",
  /** msw 3. */
  onUnhandledFrame: "error",
} as const;

/**
 * Handlers for `setupServer` and `setupWorker`. They answer everything below the mock's base URL, so that no request
 * below it reaches the network: msw would otherwise let through paths such as `.json` and `.png`.
 *
 * The client has its own clock. Lifecycles in polls need no clock; lifecycles in milliseconds and `latencyMs` run on
 * the mock's clock, so use `clock: "system"` or move the clock with `clock.advance`.
 *
 * @throws TypeError if `mock` was not created by `createMock`
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
        // After an abort, the caller is gone, and msw would report an error thrown here.
        return request.signal.aborted ? HttpResponse.error() : toResponse(rejectionReply(error));
      }
    }),
  ];
}
