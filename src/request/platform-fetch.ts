/**
 * The global `fetch`, looked up at each call so that a later replacement takes effect.
 *
 * After a 421, Node's `fetch` repeats a request by itself, even a POST, as the standard demands
 * (https://fetch.spec.whatwg.org/#concept-http-fetch). It reports a 407 as a network error. Both are refusals in HTTP, but
 * a proxy may send a 421 for a request that the service did accept. Here a request is sent once, and its answer stands.
 */
export const platformFetch: typeof globalThis.fetch = async (input, init) => {
  const dispatcher = globalDispatcher();
  if (dispatcher === undefined) return globalThis.fetch(input, init);
  const once = new OnceDispatcher(dispatcher);
  try {
    // Not enumerable, so that a wrapper of `fetch` that copies the options and adds a dispatcher uses its own.
    return await globalThis.fetch(input, Object.defineProperty({ ...init }, "dispatcher", { value: once }));
  } catch (error) {
    if (once.status === 421 || once.status === 407) return new Response(null, { status: once.status });
    throw error;
  }
};

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
  const major = Number.parseInt(globalThis.process?.versions?.undici ?? "", 10);
  const key = Symbol.for(`undici.globalDispatcher.${major < 8 ? 1 : 2}`);
  return (globalThis as unknown as Record<symbol, Dispatcher | undefined>)[key];
}

/** The callbacks through which undici reports an answer: the first up to version 7, the second from version 8 on. */
interface Handler {
  onHeaders?(status: number, ...rest: unknown[]): unknown;
  onResponseStart?(controller: unknown, status: number, ...rest: unknown[]): unknown;
}

/** Sends a request once, through the process's own dispatcher, which may be a proxy's or a mock's. */
class OnceDispatcher implements Dispatcher {
  /** The status of the answer, once it has arrived. */
  status: number | undefined;
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
    if (onHeaders) handler.onHeaders = (...told) => onHeaders.apply(handler, this.#heard(told[0], told));
    if (onResponseStart) {
      handler.onResponseStart = (...told) => onResponseStart.apply(handler, this.#heard(told[1], told));
    }
    return this.#own.dispatch({ ...options, ...noTimeouts }, handler);
  }

  #heard<Told>(status: number, told: Told): Told {
    this.status = status;
    return told;
  }
}
