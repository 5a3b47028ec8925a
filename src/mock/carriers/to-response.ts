import { isFake } from "../../time/is-fake.js";
import { isBodiless, type Reply } from "../service/reply.js";

/**
 * An answer as `fetch` gives it.
 *
 * @throws TypeError as Node's `fetch` does, when the connection breaks
 */
export function toResponse({ status, headers, text, isTruncated }: Reply): Response {
  if (status === 0) throw networkError("fetch failed", ...resetSocket);
  const sent = isTruncated ? breakingOff(text) : whole(text);
  return new Response(isBodiless(status) ? null : sent, { status, headers });
}

/**
 * A text to its end. Node ends the body of a text by `queueMicrotask`
 * (https://github.com/nodejs/undici/blob/v7.30.2/lib/web/fetch/body.js), and would give it again and again where a runner
 * fakes that, as sinon does by default.
 */
function whole(text: string): string | ReadableStream<Uint8Array> {
  if (!isFake(globalThis.queueMicrotask)) return text;
  return new ReadableStream({
    start(controller) {
      if (text !== "") controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });
}

/** The first half of a text, then an error as of a socket that was closed. */
function breakingOff(text: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  const half = bytes.subarray(0, Math.floor(bytes.length / 2));
  let isSent = false;
  return new ReadableStream({
    // One thing a pull: an error drops what was not read yet.
    pull(controller) {
      if (isSent || half.length === 0) controller.error(networkError("terminated", ...closedSocket));
      else controller.enqueue(half);
      isSent = true;
    },
  });
}

/** What Node gives as the cause of each: a message, and fields. */
const resetSocket = ["read ECONNRESET", { errno: -104, code: "ECONNRESET", syscall: "read" }] as const;
const closedSocket = ["other side closed", { name: "SocketError", code: "UND_ERR_SOCKET" }] as const;

function networkError(message: string, reason: string, fields: object): TypeError {
  return new TypeError(message, { cause: Object.assign(new Error(reason), fields) });
}
