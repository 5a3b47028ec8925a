import type { ControlledClock } from "../clock/mock-clock.js";
import type { Engine, MockRequest } from "../engine/engine.js";
import type { MockResponse } from "../engine/mock-response.js";

type Input = string | URL | Request;

/** Carries what `fetch` takes to the service; rejects with a TypeError when the URL is not below the base URL. */
export type Ask = (
  input: Input,
  init: RequestInit | undefined,
  options: { hasOwnClock: boolean },
) => Promise<MockResponse>;

/** The way from `fetch` to the service. */
export function askThrough(engine: Engine, clock: ControlledClock, baseUrl: string): Ask {
  return async (input, init, { hasOwnClock }) => {
    const signal = signalOf(input, init);
    const endReading = clock.work();
    try {
      const reading = read(input, init, { baseUrl, signal: () => signal, hasOwnClock });
      const request = "then" in reading ? await unlessAborted(reading, signal) : reading;
      signal?.throwIfAborted();
      return engine.handle(request);
    } finally {
      endReading();
    }
  };
}

type Carrying = Pick<MockRequest, "signal" | "hasOwnClock"> & { baseUrl: string };

function read(
  input: Input,
  init: RequestInit | undefined,
  carrying: Carrying,
): MockRequest | Promise<MockRequest> {
  if (isRequest(input)) {
    const changes = Object.keys(init ?? {}).some((name) => name !== "signal");
    return readWhole(changes ? new Request(input, init) : input, carrying);
  }
  const { method = "GET", headers, body } = init ?? {};
  // Most calls are plain ones, and making a `Request` would double their cost.
  if (body !== undefined && body !== null && typeof body !== "string") {
    return readWhole(new Request(input, init), carrying);
  }
  const { baseUrl, signal, hasOwnClock } = carrying;
  const sent = new Headers(headers);
  const path = pathBelow(baseUrl, String(input));
  const header = (name: string) => sent.get(name);
  return { method: method.toUpperCase(), path, header, text: body ?? "", signal, hasOwnClock };
}

async function readWhole(request: Request, { baseUrl, signal, hasOwnClock }: Carrying): Promise<MockRequest> {
  const { method, headers } = request;
  const path = pathBelow(baseUrl, request.url);
  const text = await request.text();
  return { method, path, header: (name) => headers.get(name), text, signal, hasOwnClock };
}

function pathBelow(baseUrl: string, address: string): string {
  const { origin, pathname } = new URL(address);
  const target = origin + pathname;
  if (target.startsWith(`${baseUrl}/`)) return target.slice(baseUrl.length);
  throw new TypeError(
    `Failed to fetch ${target}: the mock only answers below ${baseUrl} and never uses the network. ` +
      "Please check the client's `baseUrl`.",
  );
}

/** The signal that ends a fetch: that of `init`, where it names one, comes before the request's own. */
function signalOf(input: Input, init: RequestInit | undefined): AbortSignal | null | undefined {
  if (init?.signal !== undefined) return init.signal;
  return isRequest(input) ? input.signal : undefined;
}

/** Told by its shape: test runners have several `Request` classes at once. */
function isRequest(input: Input): input is Request {
  return typeof input === "object" && "url" in input;
}

/** A body may take its time to be read; who gives up does not wait for it. */
function unlessAborted<T>(reading: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal?.reason);
    if (signal?.aborted) return abort();
    signal?.addEventListener("abort", abort, { once: true });
    reading.then(resolve, reject).finally(() => signal?.removeEventListener("abort", abort));
  });
}

/** Of the registry, because the entry points are bundled apart and have no module in common. */
const access = Symbol.for("screenshot-sets.mock.access");

/** Gives a mock what its handlers for msw use, out of sight. */
export function grantAsk<Mock extends object>(mock: Mock, ask: Ask): Mock {
  return Object.defineProperty(mock, access, { value: ask });
}

/** @throws TypeError when `mock` does not come from `createMock` */
export function askOf(mock: object): Ask {
  const ask: Ask | undefined = Reflect.get(mock, access);
  if (ask) return ask;
  throw new TypeError("Expected a mock made by `createMock`");
}
