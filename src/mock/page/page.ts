import type { IncomingMessage, ServerResponse } from "node:http";
import { absolute, readText, send } from "../carriers/serve.js";
import { jsonReply } from "../service/reply.js";
import { asset } from "./assets.js";
import { type ControlRequest, control, methodRefusal } from "./control-api.js";
import { controlDocument, controlPath } from "./control-document.js";
import type { ControlledMock, Served } from "./controlled-mock.js";
import { refuseForeign } from "./guard.js";
import { Refusal } from "./refusal.js";
import type { ServedMock } from "./state.js";
import { streamEvents } from "./stream-events.js";

/** Headers of every answer of the page and its control API. */
const safety = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

/** Creates the request handler for the page of a mock, and for the control API that the page uses. */
export function createPage(mock: ControlledMock, how: Served) {
  const served: ServedMock = { ...mock, ...how, token: crypto.randomUUID() };
  return (request: IncomingMessage, response: ServerResponse): void => {
    for (const [name, value] of Object.entries(safety)) response.setHeader(name, value);
    readText(request, (text) => {
      answer(requestOf(request, text), response, served)
        .catch((error) => refuse(response, error, mock))
        .catch(() => response.destroy());
    });
  };
}

/** Answers with a refusal. Throws where an answer has begun, or where an error of the test's own is no text. */
function refuse(response: ServerResponse, error: unknown, { engine }: ControlledMock): void {
  const { status, code, message, headers } =
    error instanceof Refusal ? error : new Refusal(500, "internal", String(error));
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  sendJson(response, status, { error: { code, message: engine.registry.masked(message, undefined) } });
}

function requestOf({ method = "GET", url = "/", headers }: IncomingMessage, text: string | undefined) {
  const authority = absolute.exec(url)?.[1];
  const target = url.replace(absolute, "");
  const [path = "", query = ""] = target.split(/\?(.*)/s);
  const host = authority ?? headers.host;
  return { method, path, query: new URLSearchParams(query), host, headers, text };
}

async function answer(request: ControlRequest, response: ServerResponse, mock: ServedMock): Promise<void> {
  refuseForeign(request, mock.allowedHosts);
  const { method, path, headers } = request;
  const isRead = method === "GET" || method === "HEAD";
  const file = asset(path, headers["accept-encoding"]);
  const isPlain = file || path === `${controlPath}/openapi.json` || path === `${controlPath}/events`;
  if (isPlain && !isRead) throw methodRefusal(["GET"]);
  if (file) {
    response.writeHead(200, { ...file.headers, "content-length": file.bytes.length }).end(file.bytes);
  } else if (path === `${controlPath}/openapi.json`) sendJson(response, 200, controlDocument());
  else if (path === `${controlPath}/events`) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (method === "HEAD") response.end();
    else streamEvents(mock, response);
  } else {
    const { status, body } = await control(request, path.slice(controlPath.length), mock);
    sendJson(response, status, body);
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  if (body === undefined) response.writeHead(status).end();
  else send(response, jsonReply(status, body));
}
