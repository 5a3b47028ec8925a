import type { IncomingMessage, ServerResponse } from "node:http";
import { isRead } from "../../is-read.js";
import { clockLead } from "../../time/clock-hooks.js";
import { absolute, readText, send } from "../carriers/serve.js";
import { jsonReply } from "../service/reply.js";
import { type ControlRequest, control, controlDocument, controlPath } from "./control-api.js";
import type { ControlledMock, Served, ServedMock } from "./controlled-mock.js";
import { methodRefusal, Refusal, refuseForeign } from "./refusals.js";
import type { State } from "./schemas.js";
import { readState } from "./views.js";

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

/** Answers with a refusal. Throws if an answer has begun, or if the error cannot be written as text. */
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
  const file = asset(path, headers["accept-encoding"]);
  const isPlain = file || path === `${controlPath}/openapi.json` || path === `${controlPath}/events`;
  if (isPlain && !isRead(method)) throw methodRefusal(["GET"]);

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

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>screenshot-sets mock</title>
<link rel="icon" href="/_mock/icon.svg">
<link rel="stylesheet" href="/_mock/style.css">
<script type="module" src="/_mock/page.js"></script>
</head>
<body><noscript><p>This page needs JavaScript. The control API works without: see /_mock/openapi.json.</p></noscript></body>
</html>
`;

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#4f46e5"/><rect x="7" y="6" width="8" height="20" rx="2" fill="#fff"/><rect x="18" y="6" width="8" height="20" rx="2" fill="#fff" opacity=".6"/></svg>`;

/**
 * Reads a file that the build writes. Its folder is next to this module, both in the package and in the source. Node's
 * modules are not imported, because bundlers for other platforms would try to resolve them.
 */
const built = (name: string) => () =>
  process.getBuiltinModule("node:fs").readFileSync(`${import.meta.dirname}/assets/${name}`, "utf8");

const files: Record<string, { type: string; read: () => string }> = {
  "/": { type: "text/html; charset=utf-8", read: () => html },
  "/_mock/page.js": { type: "text/javascript; charset=utf-8", read: built("page.js") },
  "/_mock/style.css": { type: "text/css; charset=utf-8", read: built("style.css") },
  "/_mock/icon.svg": { type: "image/svg+xml", read: () => icon },
};

/** The file at a path, compressed where that is accepted; undefined if there is none. */
function asset(path: string, acceptedEncodings = "") {
  const file = files[path];
  if (!file) return undefined;

  const headers = { "content-type": file.type, vary: "accept-encoding" };
  const bytes = Buffer.from(file.read());
  if (!/\bgzip\b/.test(acceptedEncodings)) return { headers, bytes };

  const zipped = process.getBuiltinModule("node:zlib").gzipSync(bytes);
  return { headers: { ...headers, "content-encoding": "gzip" }, bytes: zipped };
}

/** Slightly less than five times a second: instant for a person, and little work however much happens. */
const sampleEveryMs = 210;

/**
 * Streams the states of a mock until the listener disconnects. Sampling costs the mock's calls nothing, and also finds
 * changes by time alone. Each listener has its own interval: with a shared one, the first sample could follow at once.
 */
function streamEvents(mock: ServedMock, response: ServerResponse): void {
  let sent = "";

  function send() {
    // Nothing piles up for a listener that does not read. It gets the newest state once it reads again.
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
      // A fault's body may be nested so deeply that no state can be written. An error in a timer would end the process.
      response.destroy();
    }
  }

  const timer = setInterval(sample, sampleEveryMs);
  response.once("close", () => clearInterval(timer));
  send();
}

/**
 * A text that differs whenever the state does, except for the time that passes by itself on a system clock, and
 * whenever a job moves on that is too old for the state.
 */
function fingerprint(state: State, { engine: { clock }, accounts }: ControlledMock): string {
  return JSON.stringify({ ...state, clock: clock[clockLead], progress: progressOf(accounts) });
}

/** A number that grows with each step and each poll of any job. */
function progressOf(accounts: ControlledMock["accounts"]): number {
  let progress = 0;
  for (const { jobs } of accounts) {
    for (const record of jobs.all) progress += record.polls + jobs.stateOf(record).phase;
  }
  return progress;
}
