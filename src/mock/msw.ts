/**
 * The mock as msw handlers, for code that creates its own client.
 *
 * @module screenshot-sets/mock/msw
 */

// As a namespace: msw 1 lacks some of the names, so that importing them would fail before the user is told why.
import * as msw from "msw";
import { isConnectionReset, toResponse } from "./carriers/mock-fetch.js";
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
 * @throws TypeError if `mock` was not created by `createMock`, or if msw is older than version 2
 */
export function handlers(mock: Mock): msw.HttpHandler[] {
  if (typeof msw.http?.all !== "function") {
    throw new TypeError(
      "Expected msw 2.10 or later, found an older one. Please update it: npm install msw@latest.",
    );
  }
  if (typeof mock?.handle !== "function") throw new TypeError("Expected a mock made by `createMock`");
  const literal = mock.clientOptions.baseUrl.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

  return [
    msw.http.all(new RegExp(`^${literal}(/|$)`), async ({ request }) => {
      try {
        return await mock.handle(request, { hasOwnClock: true });
      } catch (error) {
        // After an abort, the caller is gone, and msw would report an error thrown here.
        if (request.signal.aborted || isConnectionReset(error)) return msw.HttpResponse.error();
        return toResponse(rejectionReply(error));
      }
    }),
  ];
}
