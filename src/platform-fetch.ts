/**
 * The global `fetch` as it is at each call, so that what replaces it later is used too.
 *
 * Node's `fetch` sends a request answered 421 once more by itself, a POST as well
 * (https://fetch.spec.whatwg.org/#http-network-fetch asks for it). HTTP calls a 421 a refusal, but it is not the SDK's to
 * bet credits on that: a request that may cost some goes out once, and the 421 is the answer.
 */
export const platformFetch: typeof globalThis.fetch = async (input, init) => {
  if (init?.method === "GET" || dispatcherKey === undefined) return globalThis.fetch(input, init);
  const once = new OnceDispatcher(dispatcherKey);
  try {
    return await globalThis.fetch(input, Object.assign({ ...init }, { dispatcher: once }));
  } catch (error) {
    if (once.wasAskedAgain) return new Response(null, { status: 421 });
    throw error;
  }
};

/** Where Node's `fetch` keeps what sends its requests, under a name for each generation of it; undefined elsewhere. */
const dispatcherKey = dispatcherKeyOf(globalThis.process?.versions?.undici);

function dispatcherKeyOf(undiciVersion: string | undefined): symbol | undefined {
  const major = Number.parseInt(undiciVersion ?? "", 10);
  return Number.isNaN(major) ? undefined : Symbol.for(`undici.globalDispatcher.${major < 8 ? 1 : 2}`);
}

interface Dispatcher {
  dispatch(options: unknown, handler: unknown): boolean;
  isMockActive?: boolean;
}

/** Sends by the process's own dispatcher, a proxy's or a mock's included, and only once. */
class OnceDispatcher implements Dispatcher {
  wasAskedAgain = false;
  #wasAsked = false;
  readonly #key: symbol;

  constructor(key: symbol) {
    this.#key = key;
  }

  get #own(): Dispatcher {
    return (globalThis as unknown as Record<symbol, Dispatcher>)[this.#key] as Dispatcher;
  }

  /** A mock gets bodies in another form. */
  get isMockActive(): boolean {
    return this.#own.isMockActive === true;
  }

  dispatch(options: unknown, handler: unknown): boolean {
    this.wasAskedAgain = this.#wasAsked;
    if (this.#wasAsked) throw new Error("Refused to send a request again after a 421");
    this.#wasAsked = true;
    return this.#own.dispatch(options, handler);
  }
}
