import type { IncomingMessage, ServerResponse } from "node:http";
import { basePath } from "../../generated/values.js";
import type { Engine } from "../engine/engine.js";
import { isBodiless, mockReply, type Reply, rejectionReply } from "../service/reply.js";

/** Hundreds of times the size of the service's largest request, and small enough for any machine. */
const largestBodyBytes = 1024 * 1024;

/** Answers one request over HTTP. */
export function serve(engine: Engine, request: IncomingMessage, response: ServerResponse): void {
  readText(request, (text) => {
    replyTo(engine, request, text, () => signalOf(response))
      .then((reply) => send(response, reply))
      // Also for headers that cannot be sent.
      .catch((error) => send(response, rejectionReply(error)))
      .catch(() => response.destroy());
  });
}

async function replyTo(
  engine: Engine,
  { method = "GET", url, headers }: IncomingMessage,
  text: string | undefined,
  signal: () => AbortSignal,
): Promise<Reply> {
  // Requests to a server always have a URL.
  const path = pathBelowBase(url as string);
  if (path === undefined) {
    const message = `The mock only answers below ${basePath}.`;
    return mockReply(404, "not_found", message);
  }
  if (text === undefined) return mockReply(413, "too_large", "The request is larger than the mock reads.");
  // Only `set-cookie` is an array.
  const header = (name: string) => headers[name] as string | undefined;
  return engine.handle({ method, path, header, text, signal, hasOwnClock: true });
}

/** Aborts when the caller closes the connection before the answer is sent. */
function signalOf(response: ServerResponse): AbortSignal {
  const caller = new AbortController();
  response.once("close", () => caller.abort(new Error("The caller closed the connection")));
  return caller.signal;
}

/** Matches the scheme and host of a request target that is an absolute URL. */
export const absolute = /^https?:\/\/([^/?#]*)/i;

/** The path below the base path; undefined for others. A proxy may send the request target as an absolute URL. */
function pathBelowBase(target: string): string | undefined {
  const local = target.startsWith("/") ? target : target.replace(absolute, "");
  if (!local.startsWith(`${basePath}/`)) return undefined;
  const query = local.indexOf("?");
  return local.slice(basePath.length, query === -1 ? undefined : query);
}

/**
 * Passes the body of a request to `onText`, or undefined if it is too large. Even then, it is read to the end, because
 * the sender would not read an answer earlier. If the body breaks off, `onText` is not called: the sender is gone.
 */
export function readText(request: IncomingMessage, onText: (text: string | undefined) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= largestBodyBytes) chunks.push(chunk);
    else chunks.length = 0;
  });
  request.once("end", () => {
    // The decoder removes a byte order mark.
    onText(bytes <= largestBodyBytes ? new TextDecoder().decode(Buffer.concat(chunks)) : undefined);
  });
}

/** Sends a reply, or breaks the connection if the reply says so. */
export function send(response: ServerResponse, { status, headers, text, isTruncated }: Reply): void {
  if (response.destroyed) return;
  if (status === 0) response.socket?.resetAndDestroy();
  else if (isTruncated) {
    response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(text) + 1 });
    response.write(text, () => response.destroy());
  } else if (isBodiless(status)) response.writeHead(status, headers).end();
  else response.writeHead(status, { "content-length": Buffer.byteLength(text), ...headers }).end(text);
}
