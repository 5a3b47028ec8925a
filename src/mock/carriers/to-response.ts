import { isBodiless, type MockResponse } from "../engine/mock-response.js";

/**
 * An answer as `fetch` gives it.
 *
 * @throws TypeError as Node's `fetch` does, when the connection breaks
 */
export function toResponse(answer: MockResponse): Response {
  if (answer.kind === "reset") throw resetError();
  const { kind, status, headers, body } = answer;
  const sent = kind === "truncated" ? breakingOff(body) : body;
  return new Response(isBodiless(status) ? null : sent, { status, headers });
}

/** The first half of a body, then an error as of a socket that was closed. */
function breakingOff(body: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(body);
  const half = bytes.subarray(0, Math.floor(bytes.length / 2));
  let isSent = false;
  return new ReadableStream({
    // One thing a pull: an error drops what was not read yet.
    pull(controller) {
      if (isSent || half.length === 0) controller.error(terminatedError());
      else controller.enqueue(half);
      isSent = true;
    },
  });
}

function resetError(): TypeError {
  const cause = Object.assign(new Error("read ECONNRESET"), {
    errno: -104,
    code: "ECONNRESET",
    syscall: "read",
  });
  return new TypeError("fetch failed", { cause });
}

function terminatedError(): TypeError {
  const cause = Object.assign(new Error("other side closed"), {
    name: "SocketError",
    code: "UND_ERR_SOCKET",
  });
  return new TypeError("terminated", { cause });
}
