import { Duplex, pipeline, Readable } from "node:stream";
import * as zlib from "node:zlib";
import { type Dispatcher, request } from "undici";
import { unknownOption } from "../nearest-name.js";
import { typeName } from "../schema/type-name.js";

/** What {@link undiciFetch} takes. */
export interface UndiciFetchOptions {
  /** Sends the requests: an `Agent`, a `ProxyAgent`, a `MockAgent`. @default undici's global one, looked up at each call */
  dispatcher?: Dispatcher | undefined;
}

/**
 * A `fetch` for the client's option of that name, on `undici.request`: several times as many requests a second as the
 * global `fetch` makes. It has what the client needs of `fetch`, and follows no redirect. Undici's own proxies and mocks
 * work with it; msw does not see it.
 *
 * @throws {TypeError} for a dispatcher in the place of the options, for any other option, and for no dispatcher in its place
 *
 * @example
 * const client = new ScreenshotSets({ fetch: undiciFetch() });
 */
export function undiciFetch(options: UndiciFetchOptions = {}): typeof globalThis.fetch {
  const dispatcher = checkedDispatcher(options);
  const send = async (url: string, { method = "GET", headers, body, signal }: RequestInit = {}) => {
    // An agent of version 6 may be set up to follow redirects, though the types of version 7 know nothing of it.
    const noRedirects = { maxRedirections: 0 };
    const answer = await request(url, {
      method: method as Dispatcher.HttpMethod,
      headers: headers as Record<string, string>,
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
      body: decoded(answer.body, received),
    };
  };
  return send as unknown as typeof globalThis.fetch;
}

/** The dispatcher that was given. Ignored, a mistaken one would be a proxy that is gone round without a word. */
function checkedDispatcher(options: UndiciFetchOptions): Dispatcher | undefined {
  const given = isDispatcher(options) ? "a dispatcher" : typeName(options);
  if (given !== "an object") throw new TypeError(`Expected \`undiciFetch({ dispatcher })\`, got ${given}.`);
  const unknown = unknownOption("`undiciFetch`", options, ["dispatcher"]);
  if (unknown) throw new TypeError(unknown);
  const { dispatcher } = options;
  if (dispatcher === undefined || isDispatcher(dispatcher)) return dispatcher;
  throw new TypeError(`Expected \`dispatcher\` to be a dispatcher of undici, got ${typeName(dispatcher)}.`);
}

function isDispatcher(value: unknown): value is Dispatcher {
  return typeof (value as Partial<Dispatcher> | null | undefined)?.dispatch === "function";
}

function headersOf(fields: Dispatcher.ResponseData["headers"]): Headers {
  const headers = new Headers();
  for (const [name, value = []] of Object.entries(fields)) {
    for (const one of [value].flat()) headers.append(name, inBytes(one));
  }
  return headers;
}

/** `Headers` takes bytes alone, and version 6 reads them as UTF-8. */
function inBytes(value: string): string {
  return /[^\0-\xff]/.test(value) ? Buffer.from(value).toString("latin1") : value;
}

// A body that ends within its compression gives what there is of it, as that of the global `fetch` does.
const lenient = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH };
const lenientBrotli = {
  flush: zlib.constants.BROTLI_OPERATION_FLUSH,
  finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH,
};

const decoders = new Map<string | undefined, () => Duplex>([
  ["gzip", () => zlib.createGunzip(lenient)],
  ["x-gzip", () => zlib.createGunzip(lenient)],
  ["deflate", () => Duplex.from(inflated)],
  ["br", () => zlib.createBrotliDecompress(lenientBrotli)],
]);

/** Each coding is undone by a stream of its own, and an answer that names more has not been made in good faith. */
const mostCodings = 5;

/** No request asks for a compressed answer; but the one that comes all the same may be of a create that was charged. */
function decoded(body: Readable, headers: Headers): Readable {
  // Who gives an answer up reads no body, and hears of no failure of it.
  body.on("error", () => {});
  const codings = headers.get("content-encoding")?.toLowerCase().split(",") ?? [];
  const streams = codings.reverse().map((coding) => decoders.get(coding.trim())?.());
  if (streams.length === 0 || streams.length > mostCodings || streams.includes(undefined)) return body;
  return pipeline([body, ...streams] as Duplex[], () => {}) as Duplex;
}

/** Some servers leave out zlib's header, of which the first byte tells. */
async function* inflated(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  const { value: first } = await chunks.next();
  if (first === undefined) return;
  const decoder = (first[0] & 15) === 8 ? zlib.createInflate(lenient) : zlib.createInflateRaw(lenient);
  decoder.write(first);
  yield* pipeline(Readable.from({ [Symbol.asyncIterator]: () => chunks }), decoder, () => {});
}
