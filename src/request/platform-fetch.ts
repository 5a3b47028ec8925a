/**
 * The global `fetch` as it is at each call, so that what replaces it later is used too.
 *
 * Node's `fetch` sends a request answered 421 once more by itself, a POST as well, as the standard asks
 * (https://fetch.spec.whatwg.org/#concept-http-fetch), and words a 407 as a failure of the network. HTTP calls both a
 * refusal. But a proxy may answer so what the service did take, so a request goes out once, and its answer is the 421.
 */
export const platformFetch: typeof globalThis.fetch = async (input, init) => {
  const dispatcher = globalDispatcher();
  if (dispatcher === undefined) return globalThis.fetch(input, init);
  const once = new OnceDispatcher(dispatcher);
  try {
    return await globalThis.fetch(input, Object.assign({ ...init }, { dispatcher: once }));
  } catch (error) {
    if (once.status === 421 || once.status === 407) return new Response(null, { status: once.status });
    throw error;
  }
};

interface Dispatcher {
  dispatch(options: unknown, handler: object): boolean;
  isMockActive?: boolean;
}

/**
 * What sends the requests of Node's `fetch`, under a name for each generation of it. Undefined on other platforms, and
 * in a sandbox of Jest, whose `fetch` is that of the world outside.
 */
function globalDispatcher(): Dispatcher | undefined {
  const major = Number.parseInt(globalThis.process?.versions?.undici ?? "", 10);
  const key = Symbol.for(`undici.globalDispatcher.${major < 8 ? 1 : 2}`);
  return (globalThis as unknown as Record<symbol, Dispatcher | undefined>)[key];
}

/** What undici tells the sender of a request of its answer: the first by version 7, the second from 8 on. */
interface Handler {
  onHeaders?(status: number, ...rest: unknown[]): unknown;
  onResponseStart?(controller: unknown, status: number, ...rest: unknown[]): unknown;
}

/** Sends by the process's own dispatcher, a proxy's or a mock's included, and only once. */
class OnceDispatcher implements Dispatcher {
  /** Of the answer, once there is one. */
  status: number | undefined;
  #wasAsked = false;
  readonly #own: Dispatcher;

  constructor(own: Dispatcher) {
    this.#own = own;
  }

  /** A mock gets bodies in another form. */
  get isMockActive(): boolean {
    return this.#own.isMockActive === true;
  }

  /** Listens on the handler itself, which is this request's alone: one derived from it costs some per cent of a call. */
  dispatch(options: unknown, handler: Handler): boolean {
    if (this.#wasAsked) throw new Error("Refused to send a request twice");
    this.#wasAsked = true;
    const { onHeaders, onResponseStart } = handler;
    if (onHeaders) handler.onHeaders = (...told) => onHeaders.apply(handler, this.#heard(told[0], told));
    if (onResponseStart) {
      handler.onResponseStart = (...told) => onResponseStart.apply(handler, this.#heard(told[1], told));
    }
    return this.#own.dispatch(options, handler);
  }

  #heard<Told>(status: number, told: Told): Told {
    this.status = status;
    return told;
  }
}
