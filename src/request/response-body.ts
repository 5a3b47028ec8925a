/** What is known of an answer before its body. */
export interface Head {
  status: number;
  headers: Headers;
  redirected: boolean;
}

/** The body of an answer, piece by piece. */
export interface BodyReader {
  read(): Promise<{ done?: boolean | undefined; value?: unknown }>;
  cancel(reason: string): Promise<unknown>;
}

/**
 * What `fetch` returned: a `Response`, or whatever a stub or another implementation takes for one.
 *
 * @throws {NoResponseError} when it is no response, or one that was read before
 */
export function openResponse(response: unknown): { head: Head; reader: BodyReader | undefined } {
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

/** Polyfills of `fetch`, and stubs in tests, have no stream but only the whole: as text, or even only parsed. */
function readerOfWhole(response: unknown): BodyReader | undefined {
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
