/** The callbacks that share a signal. Each gets one listener of ours, however many calls and waits it is given to. */
const callbacksOf = new WeakMap<AbortSignal, { callbacks: Set<() => void>; listener: () => void }>();

const nothing = () => {};

/**
 * Calls `callback` once `signal` aborts; not when it has been before. Returns what takes it back; without any
 * callback left, the signal has no listener either.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined || signal.aborted) return nothing;
  const { callbacks } = callbacksOf.get(signal) ?? listen(signal);
  callbacks.add(callback);
  return () => {
    if (callbacks.delete(callback) && callbacks.size === 0) unlisten(signal);
  };
}

function listen(signal: AbortSignal) {
  const callbacks = new Set<() => void>();
  const listener = () => {
    unlisten(signal);
    // Those that another takes back on the way are not called.
    for (const callback of callbacks) callback();
  };
  const shared = { callbacks, listener };
  callbacksOf.set(signal, shared);
  signal.addEventListener("abort", listener);
  return shared;
}

function unlisten(signal: AbortSignal): void {
  const shared = callbacksOf.get(signal);
  if (shared === undefined) return;
  callbacksOf.delete(signal);
  signal.removeEventListener("abort", shared.listener);
}
