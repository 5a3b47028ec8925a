import type { IncomingMessage, ServerResponse } from "node:http";
import type { ControlledMock, Served } from "../page/controlled-mock.js";
import { mockReply } from "../service/reply.js";
import { absolute, send } from "./serve.js";

/** Whether a request is for the page or its control API. */
export function isForPage({ url = "" }: IncomingMessage): boolean {
  return /^\/(?:$|\?|_mock(?:[/?]|$))/.test(url.startsWith("/") ? url : url.replace(absolute, ""));
}

/**
 * Passes requests to the page, which is loaded on the first one.
 *
 * @param served returns how the mock is served, which is known only once the server listens
 */
export function pageLater(mock: ControlledMock, served: () => Served) {
  let loading: Promise<(request: IncomingMessage, response: ServerResponse) => void> | undefined;
  return (request: IncomingMessage, response: ServerResponse): void => {
    loading ??= import("../page/page.js").then(({ createPage }) => createPage(mock, served()));
    loading.then(
      (page) => page(request, response),
      (error) => {
        // A bundler may have left out the page, or a test runner may be unable to load modules later.
        const message = `The mock's page could not be loaded (${error}). The service itself is not affected.`;
        send(response, mockReply(500, "page_unavailable", message));
      },
    );
  };
}
