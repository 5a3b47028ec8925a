/** The part of an answer that arrives before its body. */
export interface Head {
  status: number;
  headers: Headers;
  redirected: boolean;
}

/** Reads the body of an answer chunk by chunk. */
export interface BodyReader {
  read(): Promise<{ done?: boolean | undefined; value?: unknown }>;
  cancel(reason: string): Promise<unknown>;
}

/**
 * Opens what `fetch` returned: a `Response`, or the imitation of a stub or of another implementation.
 *
 * @throws {NoResponseError} if it is not a response, or if its body was already read
 */
export function openResponse(response: unknown): { head: Head; reader: BodyReader | undefined } {
  const { status, headers, redirected, body, type } = Object(response) as Response;
  // Node's `fetch` would use it as the status of every answer, so an accepted create could look refused
  // (https://github.com/nodejs/undici/blob/v7.30.2/lib/web/fetch/response.js).
  if ("status" in Object.prototype) throw new NoResponseError("a status, not that of `Object.prototype`");
  // `Response.error()` represents a network error, with a status of 0.
  if (type === "error") throw new TypeError("The answer is a network error");
  const reader = body === null ? undefined : (readerOf(body) ?? readerOfWhole(response));
  // The stub of a refusal often has only a status.
  const isBare = body === undefined && status >= 300;
  if (!Number.isInteger(status) || (body !== null && !isBare && reader === undefined)) {
    throw new NoResponseError("a Response with a status and a body to read");
  }
  // Other implementations of `fetch` have their own class of headers.
  const own = headers instanceof Headers ? headers : new Headers(entriesOf(headers));
  return { head: { status, headers: own, redirected }, reader };
}

/** The headers of stubs are often a plain object, or missing. */
function entriesOf(headers: unknown): [string, string][] {
  if (typeof Object(headers)[Symbol.iterator] === "function") return [...(headers as Headers)];
  const isText = (value: unknown) => typeof value === "string" || typeof value === "number";
  return Object.entries(headers ?? {}).flatMap(([name, value]) =>
    isText(value) ? [[name, String(value)]] : [],
  );
}

/** Reads a web stream, or the Node stream that some implementations of `fetch` return, such as node-fetch. */
function readerOf(body: unknown): BodyReader | undefined {
  const { getReader } = Object(body) as Partial<ReadableStream>;
  if (typeof getReader === "function") {
    try {
      return getReader.call(body) as BodyReader;
    } catch {
      throw new NoResponseError("a Response that nobody has read, a new one for each request");
    }
  }
  const iterate = Object(body)[Symbol.asyncIterator] as (() => AsyncIterator<unknown>) | undefined;
  if (typeof iterate !== "function") return undefined;
  const chunks = iterate.call(body);
  return { read: () => chunks.next(), cancel: async () => chunks.return?.() };
}

/** Reads a body that is not a stream: polyfills and stubs may offer only `text()`, or even only `json()`. */
function readerOfWhole(response: unknown): BodyReader | undefined {
  const { text, json } = Object(response) as Partial<Response>;
  if (typeof text === "function") return readerOf(encoded(() => text.call(response)));
  if (typeof json !== "function") return undefined;
  return readerOf(encoded(async () => JSON.stringify(await json.call(response))));
}

async function* encoded(read: () => Promise<string>): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(await read());
}

/** An injected `fetch` returned something unusable. The name differs from those of network errors. */
class NoResponseError extends TypeError {
  override readonly name = "NoResponseError";

  constructor(expected: string) {
    super(`Expected \`fetch\` to return ${expected}`);
  }
}
