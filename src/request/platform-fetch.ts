/**
 * The global `fetch`, looked up at each call so that a later replacement takes effect.
 *
 * Node's `fetch` acts by itself on some answers, as the standard demands (https://fetch.spec.whatwg.org/#http-fetch): it
 * repeats a request after a 421, even a POST, and reports a 407 as a network error. But a proxy may send a 421 for a
 * request that the service did accept. Here a request is sent once, and its answer stands: `fetch` is told another
 * status in place of these, and the answer gets its own back.
 */
export const platformFetch: typeof globalThis.fetch = async (input, init = {}) => {
  const { fetch } = globalThis;
  const dispatcher = globalDispatcher();
  if (dispatcher === undefined) return fetch(input, init);
  const once = new OnceDispatcher(dispatcher);
  const response = await fetch(input, isNodes(fetch) ? lean(init, once) : passedOn(init, once));
  const { hidden } = once;
  return hidden === undefined
    ? response
    : new Response(response.body, { status: hidden, headers: response.headers });
};

/**
 * The options for Node's own `fetch`, which saves it a sixth of a call: it copies each request and its body unless a
 * redirect is an error, but never sees one here; and it follows a signal with a second one and weak references, where
 * the dispatcher can stop the request as well.
 */
function lean(init: RequestInit, dispatcher: OnceDispatcher): RequestInit {
  const { signal } = init;
  signal?.throwIfAborted();
  signal?.addEventListener("abort", () => dispatcher.stop());
  const spared = { redirect: "error", window: null, signal: null } as const;
  return { ...init, ...spared, dispatcher } as RequestInit;
}

/** The options for a replacement of `fetch`. One that copies them and adds a dispatcher uses its own. */
function passedOn(init: RequestInit, dispatcher: OnceDispatcher): RequestInit {
  return Object.defineProperty({ ...init }, "dispatcher", { value: dispatcher });
}

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

/** The callbacks through which undici reports on a request: the first two up to version 7, the others from 8 on. */
interface Handler {
  onConnect?(abort: Abort, ...rest: unknown[]): unknown;
  onHeaders?(status: number, ...rest: unknown[]): unknown;
  onRequestStart?(controller: Controller, ...rest: unknown[]): unknown;
  onResponseStart?(controller: Controller, status: number, ...rest: unknown[]): unknown;
}

type Abort = (reason: Error) => void;

interface Controller {
  abort: Abort;
}

/** Sends a request once, through the process's own dispatcher, which may be a proxy's or a mock's. */
class OnceDispatcher implements Dispatcher {
  /** The status of the answer, if `fetch` was told another. */
  hidden: number | undefined;
  #wasAsked = false;
  #isStopped = false;
  #abort: Abort | undefined;
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
    const { onConnect, onHeaders, onRequestStart, onResponseStart } = handler;
    if (onConnect && onHeaders) {
      handler.onConnect = (abort, ...rest) => {
        onConnect.call(handler, abort, ...rest);
        this.#started(abort);
      };
      handler.onHeaders = (status, ...rest) => onHeaders.call(handler, this.#shown(status), ...rest);
    }
    if (onRequestStart && onResponseStart) {
      handler.onRequestStart = (controller, ...rest) => {
        onRequestStart.call(handler, controller, ...rest);
        this.#started((reason) => controller.abort(reason));
      };
      handler.onResponseStart = (controller, status, ...rest) =>
        onResponseStart.call(handler, controller, this.#shown(status), ...rest);
    }
    return this.#own.dispatch({ ...options, ...noTimeouts }, handler);
  }

  /** Stops the request. One that is not sent yet is never sent. */
  stop(): void {
    this.#isStopped = true;
    this.#abort?.(new DOMException("The request was stopped", "AbortError"));
  }

  /** The request is about to be sent on a connection. */
  #started(abort: Abort): void {
    this.#abort = abort;
    if (this.#isStopped) this.stop();
  }

  /** The status that `fetch` is told. */
  #shown(status: number): number {
    if (!hiddenStatuses.has(status)) return status;
    this.hidden = status;
    return 400;
  }
}
