import { onCloudflare } from "../options/in-browser.js";
import { after, type Clock } from "../time/clock.js";
import { onAbort } from "../time/on-abort.js";
import { isPlatformSignal } from "./reach.js";

/** The largest answer that is read, in bytes after decompression. */
export const maxAnswerBytes = 10 * 1024 * 1024;

/** A request as it is sent, with the key among its headers. */
export interface Sendable {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
}

/** The part of an answer that arrives before its body. */
interface Head {
  status: number;
  headers: Headers;
  redirected: boolean;
}

/** How one attempt ended. If the body did not arrive completely, `text` is the part that did. */
export type Outcome =
  | ({ kind: "answered" | "oversized"; text: string } & Head)
  | ({ kind: "timed out"; text: string } & Partial<Head>)
  | ({ kind: "aborted"; text: string } & Partial<Head>)
  | ({ kind: "broken"; error: unknown; text: string } & Partial<Head>);

/**
 * Sends a request once and reads the whole answer. Settles on time even if `fetch` or the body ignores its signal.
 *
 * @throws what the platform uses for control flow, such as a bail-out of Next.js, unchanged
 */
export function attempt(
  fetch: typeof globalThis.fetch,
  request: Sendable,
  clock: Clock,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal | undefined },
): Promise<Outcome> {
  const controller = new AbortController();
  const chunks: Uint8Array[] = [];
  let head: Head | undefined;
  let body: ReturnType<typeof readerOf>;
  const arrived = () => ({ ...head, text: decoded(chunks) });
  const drop = (reason: string) => {
    controller.abort(reason);
    body?.cancel(reason)?.catch(() => {});
  };

  const exchange = async (): Promise<Outcome> => {
    const response = await fetch(request.url, initOf(request, controller.signal));
    checkResponse(response);
    const { status, redirected } = response;
    head = { status, redirected, headers: new Headers(response.headers) };
    body = readerOf(response.body);
    // A polyfill or a stand-in of `fetch` may have no stream.
    if (body === undefined) return { kind: "answered", ...head, text: await response.text() };
    if (controller.signal.aborted) drop(controller.signal.reason);
    const isWhole = await readInto(chunks, body);
    if (!isWhole) drop("the answer is too large");
    return { kind: isWhole ? "answered" : "oversized", ...head, text: decoded(chunks) };
  };

  return new Promise((resolve, reject) => {
    const free = () => {
      cancelTimeout();
      removeListener();
    };
    const giveUp = (kind: "timed out" | "aborted") => {
      free();
      resolve({ kind, ...arrived() });
      drop(`the attempt was ${kind}`);
    };
    const cancelTimeout = after(clock, timeoutMs, () => giveUp("timed out"));
    const removeListener = onAbort(signal, () => giveUp("aborted"));
    exchange()
      .catch((error): Outcome => {
        if (head === undefined && isPlatformSignal(error)) throw error;
        return { kind: "broken", error, ...arrived() };
      })
      .finally(free)
      .then(resolve, reject);
  });
}

/** Refuses what is no answer, such as a test's stub. A wait would otherwise take it for a failure of the network. */
function checkResponse(response: Response | undefined): void {
  // `Response.error()` stands for a failure of the network.
  if (response?.type === "error") throw new TypeError("The answer is a network error");
  if (typeof response?.status === "number" && !response.bodyUsed) return;
  const expected = "Expected `fetch` to return a Response that nobody has read, a new one for each request";
  throw Object.assign(new Error(expected), { name: "ResponseError" });
}

/** Reads a stream of the web, or of Node, which some implementations of `fetch` answer with. */
function readerOf(
  body: (Partial<ReadableStream<Uint8Array>> & Partial<AsyncIterable<Uint8Array>>) | null | undefined,
) {
  if (typeof body?.getReader === "function")
    return body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const chunks = body?.[Symbol.asyncIterator]?.();
  return chunks && { read: () => chunks.next(), cancel: (_: string) => chunks.return?.() };
}

/** Reads a body to its end; false if it is too large. */
async function readInto(
  chunks: Uint8Array[],
  body: NonNullable<ReturnType<typeof readerOf>>,
): Promise<boolean> {
  for (let bytes = 0; bytes <= maxAnswerBytes; ) {
    const { done, value } = await body.read();
    if (done) return true;
    chunks.push(value);
    // An endless stream of empty chunks must end too.
    bytes += value.byteLength || 1024;
  }
  return false;
}

function initOf({ method, headers, body }: Sendable, signal: AbortSignal): RequestInit {
  // Following a redirect would send the key, and the body of a POST, to another address.
  const init: RequestInit = { method, headers, redirect: "manual", signal };
  // Some frameworks cache `fetch`, and a wait on cached polls would never end. Cloudflare Workers before 2024-11-11 have
  // no such cache, and reject the field.
  if (!onCloudflare() || "cache" in globalThis.Request.prototype) init.cache = "no-store";
  // After a reset on a reused connection, Deno's `fetch` sends a text again, even for a POST, but not a `Blob`. That also
  // holds for a user's `fetch` that delegates to Deno's.
  if (body !== undefined) init.body = "Deno" in globalThis ? new Blob([body]) : body;
  return init;
}

function decoded(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + decoder.decode();
}
