import { abortable } from "../../time/abortable.js";
import type { Engine, MockRequest } from "../engine/engine.js";
import { isBodiless, type Reply } from "../service/reply.js";

type Input = string | URL | Request;

/**
 * Creates a `fetch` that asks the mock. It rejects with a TypeError if the URL is not below the base URL, and as Node's
 * `fetch` does if the connection breaks.
 */
export function mockFetch(engine: Engine, baseUrl: string) {
  return async (input: Input, init?: RequestInit, { hasOwnClock = false } = {}): Promise<Response> => {
    const endReading = engine.clock.work();
    const asked = await readRequest(baseUrl, input, init).finally(endReading);
    return toResponse(await engine.handle({ ...asked, hasOwnClock }));
  };
}

async function readRequest(
  baseUrl: string,
  input: Input,
  init: RequestInit = {},
): Promise<Omit<MockRequest, "hasOwnClock">> {
  const { signal: ownSignal, body, ...rest } = init;
  const signal = (ownSignal === undefined && isRequest(input) ? input.signal : ownSignal) ?? undefined;
  const isText = typeof body === "string";
  // Without the signal, on which a `Request` leaves a listener, and without a text body, which Node never ends while a
  // test runner fakes `queueMicrotask`.
  const changes = { ...rest, ...(body != null && !isText && { body }) };
  const request = isRequest(input) && Object.keys(changes).length === 0 ? input : new Request(input, changes);
  const path = pathBelow(baseUrl, request.url);
  // Waiting for a body that is not there would let a later request overtake this one.
  const text = isText ? body : request.body ? await textOf(request, signal) : "";
  signal?.throwIfAborted();
  return {
    method: request.method,
    path,
    header: (name) => request.headers.get(name),
    text,
    signal: () => signal,
  };
}

/** Checks the shape, because test runners may have several `Request` classes at once. */
function isRequest(input: Input): input is Request {
  return typeof input === "object" && "url" in input;
}

function pathBelow(baseUrl: string, address: string): string {
  const { origin, pathname } = new URL(address);
  const target = origin + pathname;
  if (target.startsWith(`${baseUrl}/`)) return target.slice(baseUrl.length);
  throw new TypeError(
    `Failed to fetch ${target}: the mock only answers below ${baseUrl} and never uses the network. ` +
      "Please check the client's `baseUrl`.",
  );
}

/** Reads a body, which may take long. An abort rejects at once. */
function textOf(request: Request, signal: AbortSignal | undefined): Promise<string> {
  return abortable(signal, (resolve, reject) => {
    request.text().then(resolve, reject);
    return undefined;
  });
}

/**
 * Turns a reply into the response that `fetch` would return.
 *
 * @throws TypeError if the connection breaks, as Node's `fetch` does
 */
export function toResponse({ status, headers, text, isTruncated }: Reply): Response {
  if (status === 0) throw networkError("fetch failed", ...resetSocket);
  const sent = isTruncated ? breakingOff(text) : whole(text);
  return new Response(isBodiless(status) ? null : sent, { status, headers });
}

/**
 * A body with the whole text. Node ends a text body with `queueMicrotask`
 * (https://github.com/nodejs/undici/blob/v7.30.2/lib/web/fetch/body.js) and would repeat the text endlessly if that is
 * faked, as sinon does by default: its fakes have a `clock`.
 */
function whole(text: string): string | ReadableStream<Uint8Array> {
  if (!Object.hasOwn(globalThis.queueMicrotask, "clock")) return text;
  return new ReadableStream({
    start(controller) {
      if (text !== "") controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });
}

/** A body with a text, followed by the error of a closed socket. */
function breakingOff(text: string): ReadableStream<Uint8Array> {
  let isSent = text === "";
  return new ReadableStream({
    // Only one action per pull, because an error discards chunks that have not been read.
    pull(controller) {
      if (isSent) controller.error(networkError("terminated", ...closedSocket));
      else controller.enqueue(new TextEncoder().encode(text));
      isSent = true;
    },
  });
}

/** The causes of these errors in Node: message and fields. */
const resetSocket = ["read ECONNRESET", { errno: -104, code: "ECONNRESET", syscall: "read" }] as const;
const closedSocket = ["other side closed", { name: "SocketError", code: "UND_ERR_SOCKET" }] as const;

/** Whether this is the error of a connection that broke before there was an answer. */
export function isConnectionReset(error: unknown): boolean {
  return error instanceof TypeError && Object(error.cause).code === resetSocket[1].code;
}

function networkError(message: string, reason: string, fields: object): TypeError {
  return new TypeError(message, { cause: Object.assign(new Error(reason), fields) });
}
