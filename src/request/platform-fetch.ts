import { isRead } from "../is-read.js";

interface Dispatcher {
  dispatch(options: object, handler: object): boolean;
  isMockActive?: boolean;
}

/**
 * The global `fetch`, looked up at each call so that a later replacement takes effect. It sends a request once.
 *
 * Node's `fetch` sends a request again after a 421, even a POST
 * (https://fetch.spec.whatwg.org/#http-network-or-cache-fetch). A proxy may answer that although the service took the
 * request, so here a request is dispatched once. Bun's `fetch` up to 1.3.11 also sends a POST again after a reset of a
 * connection that was kept, so a create gets a new one.
 */
export const platformFetch: typeof globalThis.fetch = (url, init) => {
  const own = globalDispatcher();
  const isCreateOnBun = globalThis.process?.versions?.bun !== undefined && !isRead(init?.method ?? "GET");
  return globalThis.fetch(url, {
    ...init,
    ...(own && { dispatcher: onceOnly(own) }),
    ...(isCreateOnBun && { keepalive: false }),
  } as RequestInit);
};

/** The dispatcher of undici's behind `fetch`; other platforms have none. */
export function globalDispatcher(): Dispatcher | undefined {
  return (globalThis as unknown as Record<symbol, Dispatcher | undefined>)[dispatcherKey];
}

const undiciMajor = Number.parseInt(String(globalThis.process?.versions?.undici), 10);
const dispatcherKey = Symbol.for(`undici.globalDispatcher.${undiciMajor < 8 ? 1 : 2}`);

/** Dispatches one request through the process's own dispatcher, which may be a proxy's or a mock's. */
function onceOnly(own: Dispatcher): Dispatcher {
  let isSent = false;
  return {
    // Undici passes bodies to its mocks in another form.
    isMockActive: own.isMockActive === true,
    dispatch(options, handler) {
      if (isSent)
        throw new Error("The answer was 421 (misdirected request), and a request is sent only once");
      isSent = true;
      return own.dispatch(options, handler);
    },
  };
}
