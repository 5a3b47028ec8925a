import { after, type Clock } from "../time/clock.js";
import { onAbort } from "../time/on-abort.js";
import { LazyInit, type Request } from "./request-init.js";

/** The largest answer that is read, in bytes. */
export const maxAnswerBytes = 10 * 1024 * 1024;

/** How one sending of a request ended. Of a body that did not arrive whole, `text` is the part that did. */
export type Outcome = Partial<Head | typeof noHead> & { text: string } & (
    | { kind: "answered"; status: number; headers: Headers }
    | { kind: "oversized"; status: number; headers: Headers }
    | { kind: "timed out" }
    | { kind: "broken"; error: unknown }
  );

/** That an attempt was given up: by the caller's signal, with its reason, or because the clock lets no time pass. */
export type GivenUp = { text: string } & (
  | { kind: "aborted"; reason: unknown }
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
      deafen();
      resolve(outcome);
    };
    const cancelTimeout = after(clock, timeoutMs, (broken) => {
      const arrived = exchange.arrived();
      settle(broken ? { kind: "broken clock", ...broken, ...arrived } : { kind: "timed out", ...arrived });
      exchange.stop("the attempt timed out");
    });
    const deafen = onAbort(signal, () => {
      settle({ kind: "aborted", reason: signal?.reason, ...exchange.arrived() });
      exchange.stop("the call was aborted");
    });
    exchange.run(fetch, request).then(settle);
  });
}

/** One request and its answer, as far as that has come. */
class Exchange {
  #head: Head | undefined;
  #reader: Reader | undefined;
  readonly #chunks: ArrayBufferView[] = [];
  #controller: AbortController | undefined;
  #stopped: string | undefined;

  /** Never rejects. */
  async run(fetch: typeof globalThis.fetch, request: Request): Promise<Outcome> {
    try {
      const response = await fetch(request.url, new LazyInit(request, () => this.#signal()));
      const { head, reader } = received(response);
      this.#head = head;
      const whole = reader === undefined || (await this.#read(reader));
      return { kind: whole ? "answered" : "oversized", ...head, text: this.#text() };
    } catch (error) {
      return { kind: "broken", error, ...this.arrived() };
    }
  }

  /** Ends the request, and drops what is still to come of its answer. */
  stop(reason: string): void {
    this.#stopped = reason;
    this.#controller?.abort(reason);
    const drop = async () => this.#reader?.cancel(reason);
    // In a body made by hand it may be missing, or fail.
    drop().catch(() => {});
  }

  /** What has come of the answer. */
  arrived(): (Head | typeof noHead) & { text: string } {
    return { ...(this.#head ?? noHead), text: this.#text() };
  }

  #signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#stopped !== undefined) this.#controller.abort(this.#stopped);
    return this.#controller.signal;
  }

  /** Whether the body was read to its end; it is given up where it grows too large. */
  async #read(reader: Reader): Promise<boolean> {
    this.#reader = reader;
    // A `fetch` that ignores its signal answers also when nobody waits for it any more.
    if (this.#stopped !== undefined) await reader.cancel(this.#stopped);
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

interface Reader {
  read(): Promise<{ done?: boolean | undefined; value?: unknown }>;
  cancel(reason: string): Promise<unknown>;
}

interface Head {
  status: number;
  headers: Headers;
  redirected: boolean;
}

/** Of an answer that did not come. Left out, each field would be that of an `Object.prototype` that somebody wrote to. */
const noHead = { status: undefined, headers: undefined, redirected: undefined };

/**
 * What `fetch` returned, with each part of it looked up once: V8 finds nothing quickly in the streams of Node.
 *
 * @throws {NoResponseError} when it is no response, or one that was read before
 */
function received(response: unknown): { head: Head; reader: Reader | undefined } {
  const { status, headers, redirected, body, type } = Object(response) as Response;
  // Node's `fetch` takes that for the status of every answer, so a create that was taken would look refused
  // (https://github.com/nodejs/undici/blob/v7.30.2/lib/web/fetch/response.js).
  if ("status" in Object.prototype) throw new NoResponseError("a status, not that of `Object.prototype`");
  // What `Response.error()` makes stands for a failure of the network, with a status of 0.
  if (type === "error") throw new TypeError("The answer is a network error");
  const reader = body === null ? undefined : (readerOf(body) ?? readerOfWhole(response));
  if (!Number.isInteger(status) || (body !== null && reader === undefined)) {
    throw new NoResponseError("a Response with a status and a body to read");
  }
  // Other implementations than the global `fetch` have a class of headers of their own.
  const own = headers instanceof Headers ? headers : new Headers(entriesOf(headers));
  return { head: { status, headers: own, redirected }, reader };
}

/** Stubs in tests often have a plain object for headers, or none. */
function entriesOf(headers: unknown): [string, string][] {
  if (typeof Object(headers)[Symbol.iterator] === "function") return [...(headers as Headers)];
  return Object.entries(headers ?? {}).filter(([, value]) => typeof value === "string");
}

/** Some implementations of `fetch`, node-fetch among them, answer with a stream of Node's for a body. */
function readerOf(body: unknown): Reader | undefined {
  const { getReader } = Object(body) as Partial<ReadableStream>;
  if (typeof getReader === "function") {
    try {
      return getReader.call(body) as Reader;
    } catch {
      throw new NoResponseError("a Response that nobody has read, a new one for each request");
    }
  }
  const iterate = Object(body)[Symbol.asyncIterator] as (() => AsyncIterator<unknown>) | undefined;
  if (typeof iterate !== "function") return undefined;
  const chunks = iterate.call(body);
  return { read: () => chunks.next(), cancel: async () => chunks.return?.() };
}

/** Polyfills of `fetch`, and stubs in tests, have no stream but only the whole: as text, or even only parsed. */
function readerOfWhole(response: unknown): Reader | undefined {
  const { text, json } = Object(response) as Partial<Response>;
  if (typeof text === "function") return readerOf(encoded(() => text.call(response)));
  if (typeof json !== "function") return undefined;
  return readerOf(encoded(async () => JSON.stringify(await json.call(response))));
}

async function* encoded(read: () => Promise<string>): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(await read());
}

/** Stands for what an injected `fetch` returned and is of no use; under a name that no failure of a network has. */
class NoResponseError extends TypeError {
  static {
    NoResponseError.prototype.name = "NoResponseError";
  }
  constructor(expected: string) {
    super(`Expected \`fetch\` to return ${expected}`);
  }
}
