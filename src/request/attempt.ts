import { after, type Clock } from "../time/clock.js";
import { onAbort } from "../time/on-abort.js";
import type { Call } from "./call.js";
import { isPlatformSignal } from "./reach.js";
import { type BodyReader, type Head, openResponse } from "./response-body.js";

/** A request as it is sent, with the key among its headers. */
export type Request = Pick<Call, "method" | "headers" | "body"> & { url: string };

/** The largest answer that is read, in bytes after decompression. */
export const maxAnswerBytes = 10 * 1024 * 1024;

/** How one attempt ended. If the body did not arrive completely, `text` is the part that did. */
export type Outcome = Partial<Head | typeof noHead> & { text: string } & (
    | { kind: "answered"; status: number; headers: Headers }
    | { kind: "oversized"; status: number; headers: Headers }
    | { kind: "timed out" }
    | { kind: "broken"; error: unknown }
  );

/**
 * Why an attempt was given up: the caller's signal was aborted, the platform stopped it before anything was sent, or
 * the clock is broken and lets no time pass.
 */
export type GivenUp =
  /** With what of the body had arrived. */
  | { kind: "aborted"; reason: unknown; text: string }
  | { kind: "withdrawn"; reason: unknown }
  | { kind: "broken clock"; cause: unknown };

/**
 * Sends a request once and reads the whole answer. Settles on time even if `fetch` or the body ignores its signal.
 */
export function attempt(
  fetch: typeof globalThis.fetch,
  request: Request,
  clock: Clock,
  { timeoutMs, signal }: Pick<Call, "timeoutMs" | "signal">,
): Promise<Outcome | GivenUp> {
  return new Promise((resolve) => {
    const exchange = new Exchange();
    const settle = (outcome: Outcome | GivenUp) => {
      cancelTimeout();
      removeListener();
      resolve(outcome);
    };
    const cancelTimeout = after(clock, timeoutMs, (broken) => {
      settle(broken ? { kind: "broken clock", ...broken } : { kind: "timed out", ...exchange.arrived() });
      exchange.stop("the attempt timed out");
    });
    const removeListener = onAbort(signal, () => {
      settle({ kind: "aborted", reason: signal?.reason, ...exchange.arrived() });
      exchange.stop("the call was aborted");
    });
    exchange.run(fetch, request).then(settle);
  });
}

/** One request and the part of its answer that has arrived. */
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
      return isSignal ? { kind: "withdrawn", reason: error } : { kind: "broken", error, ...this.arrived() };
    }
  }

  /** Aborts the request, and discards the rest of its answer. */
  stop(reason: string): void {
    this.#controller.abort(reason);
    const drop = async () => this.#reader?.cancel(reason);
    // A hand-made body may lack `cancel`, or throw from it.
    drop().catch(() => {});
  }

  /** The part of the answer that has arrived. */
  arrived(): (Head | typeof noHead) & { text: string } {
    return { ...(this.#head ?? noHead), text: this.#text() };
  }

  #init({ method, headers, body }: Request): RequestInit {
    // Following a redirect would send the key, and the body of a POST, to another address.
    const init: RequestInit = { method, headers, redirect: "manual", signal: this.#controller.signal };
    // Some frameworks cache `fetch`, and a wait on cached polls would never end. Cloudflare Workers before 2024-11-11
    // have no such cache, and reject the field.
    if (hasCacheModes()) init.cache = "no-store";
    if (body !== undefined) init.body = inOneSending(body);
    return init;
  }

  /** Reads the body; returns false if it was cancelled because it is too large. */
  async #read(reader: BodyReader): Promise<boolean> {
    this.#reader = reader;
    // A `fetch` that ignores its signal may answer after the attempt was given up.
    const { signal } = this.#controller;
    if (signal.aborted) await reader.cancel(signal.reason);
    for (let bytes = 0; ; ) {
      const { done, value } = await reader.read();
      if (done) return true;
      if (!ArrayBuffer.isView(value)) throw new TypeError("Expected the body of an answer in bytes");
      // A hand-made stream may supply empty chunks for ever.
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
 * A body that is sent only once. After a reset on a reused connection, Deno's `fetch` sends a text again, even for a
 * POST, but not a `Blob`. That also holds for a user's `fetch` that delegates to Deno's.
 */
function inOneSending(text: string): string | Blob {
  return "Deno" in globalThis ? new Blob([text]) : text;
}

function hasCacheModes(): boolean {
  return globalThis.Request === undefined || "cache" in globalThis.Request.prototype;
}

/** The head of an answer that did not arrive. Missing fields could be inherited from a polluted `Object.prototype`. */
const noHead = { status: undefined, headers: undefined, redirected: undefined };
