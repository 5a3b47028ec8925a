import { isBodiless, type Reply } from "../service/reply.js";

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
