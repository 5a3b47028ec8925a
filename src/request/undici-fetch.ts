import { pipeline, type Readable } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { type Dispatcher, request } from "undici";
import { wrongOption } from "../errors/wrong-option.js";
import { readOptions, type Table } from "../options/read-options.js";
import { outdatedPeer } from "../peer-version.js";

/** Options of {@link undiciFetch}. */
export interface UndiciFetchOptions {
  /** Sends the requests: an `Agent`, `ProxyAgent` or `MockAgent`. @default undici's global one, read at each call */
  dispatcher?: Dispatcher | undefined;
}

/**
 * A `fetch` for the client's option of that name, built on `undici.request`. It makes more requests a second than
 * Node's own `fetch`. It supports what the client needs of `fetch`, and does not follow redirects. Undici's
 * own proxies and mocks work with it; msw does not intercept it.
 *
 * @throws {TypeError} if `options` is a dispatcher or has an unknown field, if `dispatcher` is not a dispatcher, or if
 *   undici is older than version 6
 *
 * @example
 * const client = new ScreenshotSets({ fetch: undiciFetch() });
 */
export function undiciFetch(options: UndiciFetchOptions = {}): typeof globalThis.fetch {
  if (options === null || isDispatcher(options)) {
    const given = options === null ? "null" : "a dispatcher";
    throw new TypeError(`Expected \`undiciFetch({ dispatcher })\`, got ${given}.`);
  }
  const { dispatcher } = readOptions("undiciFetch", options, table, (message) => new TypeError(message));
  const problem = outdatedPeer("undici", 6);
  if (problem) throw new TypeError(problem);
  const send = async (url: string, init: RequestInit = {}) => {
    const { method = "GET", headers, body, signal, cache } = init;
    // An agent of version 6 may be configured to follow redirects, an option that the types of version 7 lack.
    const noRedirects = { maxRedirections: 0 };
    const answer = await request(url, {
      method: method as Dispatcher.HttpMethod,
      headers: { ...(cache === "no-store" && unstored), ...(headers as Record<string, string>) },
      body: body as string,
      signal: signal ?? null,
      ...noRedirects,
      ...(dispatcher && { dispatcher }),
    });
    const received = headersOf(answer.headers);
    return {
      status: answer.statusCode,
      headers: received,
      redirected: false,
      body: decoded(answer.body, received.get("content-encoding")),
    };
  };
  return send as unknown as typeof globalThis.fetch;
}

/** With these, as with the global `fetch`, a dispatcher that caches answers asks the service all the same. */
const unstored = { "cache-control": "no-cache", pragma: "no-cache" };

/** The options. If a wrong dispatcher were ignored, requests would silently bypass the user's proxy. */
const table = {
  dispatcher: (given: Dispatcher | undefined) => {
    if (given === undefined || isDispatcher(given)) return given;
    throw wrongOption("`dispatcher`", "a dispatcher of undici", given);
  },
} satisfies Table<UndiciFetchOptions>;

function isDispatcher(value: unknown): value is Dispatcher {
  return typeof (value as Partial<Dispatcher> | null | undefined)?.dispatch === "function";
}

function headersOf(fields: Dispatcher.ResponseData["headers"]): Headers {
  const headers = new Headers();
  for (const [name, value = []] of Object.entries(fields)) {
    for (const one of Array.isArray(value) ? value : [value]) headers.append(name, inBytes(one));
  }
  return headers;
}

/** `Headers` accepts only bytes, but version 6 decodes header values as UTF-8. */
function inBytes(value: string): string {
  return /[^\0-\xff]/.test(value) ? Buffer.from(value).toString("latin1") : value;
}

// An empty or truncated body yields what has arrived, as with the global `fetch`.
const finishFlush = constants.Z_SYNC_FLUSH;
const decoders = new Map([
  ["gzip", () => createGunzip({ finishFlush })],
  ["deflate", () => createInflate({ finishFlush })],
  ["br", () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })],
]);

/** Decodes the body. No request asks for compression, but a compressed answer may still be that of a charged create. */
function decoded(body: Readable, coding: string | null): Readable {
  // Version 6 leaves the errors of a body that is never read to its user.
  body.on("error", () => {});
  const decoder = decoders.get(coding?.toLowerCase() ?? "")?.();
  return decoder ? pipeline(body, decoder, () => {}) : body;
}
