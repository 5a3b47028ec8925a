import type { ControlledClock } from "../clock/mock-clock.js";
import type { Engine, MockRequest } from "../engine/engine.js";
import type { MockResponse } from "../engine/mock-response.js";
import { toResponse } from "./to-response.js";

type Input = string | URL | Request;

/** The mock in the form of `fetch`. */
export class MockFetch {
  readonly #engine: Engine;
  readonly #clock: ControlledClock;
  readonly #baseUrl: string;
  readonly #origin: string;
  readonly #basePath: string;

  constructor(engine: Engine, clock: ControlledClock, baseUrl: string) {
    const { origin, pathname } = new URL(baseUrl);
    this.#engine = engine;
    this.#clock = clock;
    this.#baseUrl = baseUrl;
    this.#origin = origin;
    this.#basePath = pathname.replace(/\/$/, "");
  }

  readonly fetch: typeof globalThis.fetch = async (input, init) =>
    toResponse(await this.ask(input, init, { hasOwnClock: false }));

  /**
   * Carries what `fetch` takes to the service.
   *
   * @throws TypeError when the URL is not below the base URL
   */
  async ask(
    input: Input,
    init: RequestInit | undefined,
    { hasOwnClock }: { hasOwnClock: boolean },
  ): Promise<MockResponse> {
    const signal = signalOf(input, init);
    const endReading = this.#clock.work();
    let answering: MockResponse | Promise<MockResponse>;
    try {
      const reading = this.#read(input, init, hasOwnClock);
      const request = "then" in reading ? await unlessAborted(reading, signal) : reading;
      signal?.throwIfAborted();
      answering = this.#engine.handle(request);
    } finally {
      endReading();
    }
    return answering;
  }

  #read(
    input: Input,
    init: RequestInit | undefined,
    hasOwnClock: boolean,
  ): MockRequest | Promise<MockRequest> {
    const signal = () => signalOf(input, init);
    if (isRequest(input)) {
      const changes = Object.keys(init ?? {}).some((name) => name !== "signal");
      return this.#readWhole(changes ? new Request(input, init) : input, signal, hasOwnClock);
    }
    const { method = "GET", headers, body } = init ?? {};
    // Most calls are plain ones, and making a `Request` would double their cost.
    if (body !== undefined && body !== null && typeof body !== "string") {
      return this.#readWhole(new Request(input, init), signal, hasOwnClock);
    }
    const sent = new Headers(headers);
    const path = this.#pathOf(String(input));
    return {
      method: method.toUpperCase(),
      path,
      header: (name) => sent.get(name),
      text: body ?? "",
      signal,
      hasOwnClock,
    };
  }

  async #readWhole(
    request: Request,
    signal: MockRequest["signal"],
    hasOwnClock: boolean,
  ): Promise<MockRequest> {
    const { method, headers } = request;
    const path = this.#pathOf(request.url);
    const text = await request.text();
    return { method, path, header: (name) => headers.get(name), text, signal, hasOwnClock };
  }

  #pathOf(address: string): string {
    const { origin, pathname } = new URL(address);
    const isBelow = origin === this.#origin && pathname.startsWith(`${this.#basePath}/`);
    if (isBelow) return pathname.slice(this.#basePath.length);
    throw new TypeError(
      `Failed to fetch ${origin}${pathname}: the mock only answers below ${this.#baseUrl} and never uses the ` +
        "network. Please check the client's `baseUrl`.",
    );
  }
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
export function grantAsk<Mock extends object>(mock: Mock, ask: MockFetch["ask"]): Mock {
  return Object.defineProperty(mock, access, { value: ask });
}

/** @throws TypeError when `mock` does not come from `createMock` */
export function askOf(mock: object): MockFetch["ask"] {
  const ask: MockFetch["ask"] | undefined = Reflect.get(mock, access);
  if (ask) return ask;
  throw new TypeError("Expected a mock made by `createMock`");
}
