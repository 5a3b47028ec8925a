/**
 * The global `fetch`, looked up at each call so that a later replacement takes effect.
 *
 * Node's `fetch` acts by itself on some answers, as the standard demands (https://fetch.spec.whatwg.org/#http-fetch): it
 * repeats a request after a 421, even a POST, and reports a 407 as a network error. But a proxy may send a 421 for a
 * request that the service did accept. Here a request is sent once, and its answer stands: `fetch` is told another
 * status in place of these, and the answer gets its own back.
 */
export const platformFetch: typeof globalThis.fetch = async (input, init) => {
  const { fetch } = globalThis;
  const dispatcher = globalDispatcher();
  if (dispatcher === undefined) return fetch(input, init);
  const once = new OnceDispatcher(dispatcher);
  // Not enumerable, so that a wrapper of `fetch` that copies the options and adds a dispatcher uses its own.
  const own = Object.defineProperty({ ...init, ...(isNodes(fetch) && withoutCopies) }, "dispatcher", {
    value: once,
  });
  const response = await fetch(input, own);
  const { hidden } = once;
  return hidden === undefined
    ? response
    : new Response(response.body, { status: hidden, headers: response.headers });
};

/**
 * Node's `fetch` copies each request and its body, which costs a tenth of a call, unless a redirect is an error. It
 * never sees a redirect here. A replacement of `fetch` may.
 */
const withoutCopies = { redirect: "error", window: null } as const;

/** Whether a function is Node's own `fetch`, by its source: no wrapper of it has the same. */
function isNodes(fetch: typeof globalThis.fetch): boolean {
  return Function.prototype.toString.call(fetch).includes("internal/deps/undici");
}

/** The statuses on which `fetch` acts by itself. */
const hiddenStatuses = new Set([301, 302, 303, 307, 308, 407, 421]);

/** Turns off undici's time-outs of 300 s for the headers and between chunks, because `timeoutMs` may be longer. */
export const noTimeouts = { headersTimeout: 0, bodyTimeout: 0 };

interface Dispatcher {
  dispatch(options: object, handler: object): boolean;
  isMockActive?: boolean;
}

/**
 * The dispatcher behind Node's `fetch`, stored under a symbol for each generation of undici. It is `undefined` on other
 * platforms and in Jest's sandbox, whose `fetch` belongs to the outer realm.
 */
function globalDispatcher(): Dispatcher | undefined {
  return (globalThis as unknown as Record<symbol, Dispatcher | undefined>)[dispatcherKey];
}

const undiciMajor = Number.parseInt(globalThis.process?.versions?.undici ?? "", 10);
const dispatcherKey = Symbol.for(`undici.globalDispatcher.${undiciMajor < 8 ? 1 : 2}`);

/** The callbacks through which undici reports an answer: the first up to version 7, the second from version 8 on. */
interface Handler {
  onHeaders?(status: number, ...rest: unknown[]): unknown;
  onResponseStart?(controller: unknown, status: number, ...rest: unknown[]): unknown;
}

/** Sends a request once, through the process's own dispatcher, which may be a proxy's or a mock's. */
class OnceDispatcher implements Dispatcher {
  /** The status of the answer, if `fetch` was told another. */
  hidden: number | undefined;
  #wasAsked = false;
  readonly #own: Dispatcher;

  constructor(own: Dispatcher) {
    this.#own = own;
  }

  /** Undici passes bodies to its mocks in another form. */
  get isMockActive(): boolean {
    return this.#own.isMockActive === true;
  }

  /** Patches the handler itself, which serves this request only. A derived one would cost a few per cent of a call. */
  dispatch(options: object, handler: Handler): boolean {
    if (this.#wasAsked) throw new Error("Refused to send a request twice");
    this.#wasAsked = true;
    const { onHeaders, onResponseStart } = handler;
    if (onHeaders) {
      handler.onHeaders = (status, ...rest) => onHeaders.call(handler, this.#shown(status), ...rest);
    }
    if (onResponseStart) {
      handler.onResponseStart = (controller, status, ...rest) =>
        onResponseStart.call(handler, controller, this.#shown(status), ...rest);
    }
    return this.#own.dispatch({ ...options, ...noTimeouts }, handler);
  }

  /** The status that `fetch` is told. */
  #shown(status: number): number {
    if (!hiddenStatuses.has(status)) return status;
    this.hidden = status;
    return 400;
  }
}
