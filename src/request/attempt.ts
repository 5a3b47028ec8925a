import { after, type Clock } from "../time/clock.js";
import { onAbort } from "../time/on-abort.js";
import { isPlatformSignal } from "./reach.js";
import { type BodyReader, type Head, openResponse } from "./response-body.js";

/** What is sent, but for how long it may take. */
export interface Request {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
}

/** The largest answer that is read, in bytes. */
export const maxAnswerBytes = 10 * 1024 * 1024;

/** How one sending of a request ended. Of a body that did not arrive whole, `text` is the part that did. */
export type Outcome = Partial<Head | typeof noHead> & { text: string } & (
    | { kind: "answered"; status: number; headers: Headers }
    | { kind: "oversized"; status: number; headers: Headers }
    | { kind: "timed out" }
    | { kind: "broken"; error: unknown }
  );

/**
 * That an attempt was given up: by the caller's signal or, before anything was sent, by the platform, with their reason,
 * or because the clock lets no time pass.
 */
export type GivenUp = { text: string } & (
  | { kind: "aborted" | "withdrawn"; reason: unknown }
  | { kind: "broken clock"; cause: unknown }
);

interface Limits {
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

/**
 * Sends a request once and reads its answer to the end. Ends in time even when `fetch` or a body ignores the
 * signal that it is given.
 */
export function attempt(
  fetch: typeof globalThis.fetch,
  request: Request,
  clock: Clock,
  { timeoutMs, signal }: Limits,
): Promise<Outcome | GivenUp> {
  return new Promise((resolve) => {
    const exchange = new Exchange();
    const settle = (outcome: Outcome | GivenUp) => {
      cancelTimeout();
      removeListener();
      resolve(outcome);
    };
    const cancelTimeout = after(clock, timeoutMs, (broken) => {
      const arrived = exchange.arrived();
      settle(broken ? { kind: "broken clock", ...broken, ...arrived } : { kind: "timed out", ...arrived });
      exchange.stop("the attempt timed out");
    });
    const removeListener = onAbort(signal, () => {
      settle({ kind: "aborted", reason: signal?.reason, ...exchange.arrived() });
      exchange.stop("the call was aborted");
    });
    exchange.run(fetch, request).then(settle);
  });
}

/** One request and its answer, as far as that has come. */
class Exchange {
  #head: Head | undefined;
  #reader: BodyReader | undefined;
  readonly #chunks: ArrayBufferView[] = [];
  readonly #controller = new AbortController();

  /** Never rejects. */
  async run(fetch: typeof globalThis.fetch, request: Request): Promise<Outcome | GivenUp> {
    try {
      const response = await fetch(request.url, this.#init(request));
      const { head, reader } = openResponse(response);
      this.#head = head;
      const whole = reader === undefined || (await this.#read(reader));
      return { kind: whole ? "answered" : "oversized", ...head, text: this.#text() };
    } catch (error) {
      const isSignal = this.#head === undefined && isPlatformSignal(error);
      return isSignal
        ? { kind: "withdrawn", reason: error, text: "" }
        : { kind: "broken", error, ...this.arrived() };
    }
  }

  /** Ends the request, and drops what is still to come of its answer. */
  stop(reason: string): void {
    this.#controller.abort(reason);
    const drop = async () => this.#reader?.cancel(reason);
    // In a body made by hand it may be missing, or fail.
    drop().catch(() => {});
  }

  /** The part of the answer that has arrived. */
  arrived(): (Head | typeof noHead) & { text: string } {
    return { ...(this.#head ?? noHead), text: this.#text() };
  }

  #init({ method, headers, body }: Request): RequestInit {
    return {
      method,
      headers,
      // A redirect would carry the key, and a POST's body, to wherever it points.
      redirect: "manual",
      // Some frameworks cache `fetch`, and a cached poll never ends. Cloudflare Workers of before 2024-11-11 have no such
      // caches, and refuse the field.
      ...(hasCacheModes() && { cache: "no-store" }),
      signal: this.#controller.signal,
      ...(body !== undefined && { body: inOneSending(body) }),
    };
  }

  /** Whether the body was read to its end; it is given up where it grows too large. */
  async #read(reader: BodyReader): Promise<boolean> {
    this.#reader = reader;
    // A `fetch` that ignores its signal answers also when nobody waits for it any more.
    const { signal } = this.#controller;
    if (signal.aborted) await reader.cancel(signal.reason);
    for (let bytes = 0; ; ) {
      const { done, value } = await reader.read();
      if (done) return true;
      if (!ArrayBuffer.isView(value)) throw new TypeError("Expected the body of an answer in bytes");
      // A stream made by hand may go on with empty chunks for ever.
      bytes += value.byteLength || 1024;
      if (bytes > maxAnswerBytes) {
        this.stop("the answer is too large");
        return false;
      }
      this.#chunks.push(value);
    }
  }

  #text(): string {
    const [first, ...more] = this.#chunks;
    const decoder = new TextDecoder();
    if (more.length === 0) return decoder.decode(first);
    return this.#chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + decoder.decode();
  }
}

/**
 * A body that goes out once. Deno's `fetch` sends a text once more after a reset on a connection that was kept, that of a
 * POST as well, but no `Blob`; also behind a `fetch` of the user's that hands on to it.
 */
function inOneSending(text: string): string | Blob {
  return "Deno" in globalThis ? new Blob([text], { type: "application/json" }) : text;
}

function hasCacheModes(): boolean {
  return globalThis.Request === undefined || "cache" in globalThis.Request.prototype;
}

/** Of an answer that did not come. Left out, each field would be that of an `Object.prototype` that somebody wrote to. */
const noHead = { status: undefined, headers: undefined, redirected: undefined };
