/** What is sent, but for how long it may take. */
export interface Request {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
}

/**
 * What `fetch` is given beside the URL.
 *
 * Its `signal` is made when somebody looks at it: that takes a fifth of the time of a call, and stubs do not look.
 * It is a property of its own, as a wrapper that passes on `{ ...init }` leaves out what is inherited; and all share
 * one accessor, as an object with one of its own costs V8 a new map, and a collection of garbage that takes longer
 * than the call.
 */
export class LazyInit implements RequestInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  declare readonly body?: string;
  /** A redirect would carry the key, and a POST's body, to wherever it points. */
  readonly redirect = "manual";
  /** Some frameworks cache `fetch`, and a cached poll never ends. */
  readonly cache = "no-store";
  declare signal: AbortSignal;
  readonly #makeSignal: () => AbortSignal;

  constructor({ method, headers, body }: Request, makeSignal: () => AbortSignal) {
    this.#makeSignal = makeSignal;
    this.method = method;
    this.headers = headers;
    if (body !== undefined) this.body = body;
    Object.defineProperty(this, "signal", LazyInit.#signal);
  }

  static readonly #signal: PropertyDescriptor & ThisType<LazyInit> = {
    enumerable: true,
    configurable: true,
    get() {
      return this.#makeSignal();
    },
    set(value: AbortSignal) {
      Object.defineProperty(this, "signal", { value, writable: true });
    },
  };
}
