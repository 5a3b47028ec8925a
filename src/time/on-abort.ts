/** The callbacks that share a signal. */
const sharedBy = new WeakMap<AbortSignal, ReturnType<typeof listen>>();

/**
 * Calls `callback` when `signal` aborts, but not if it is already aborted. Returns a function that removes the callback.
 * Each signal gets one listener, however many calls and waits use it: Node warns of a leak at eleven.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined || signal.aborted) return () => {};
  const { callbacks, stop } = sharedBy.get(signal) ?? listen(signal);
  callbacks.add(callback);
  return () => {
    if (callbacks.delete(callback) && callbacks.size === 0) stop();
  };
}

function listen(signal: AbortSignal) {
  const callbacks = new Set<() => void>();
  const stop = () => {
    sharedBy.delete(signal);
    signal.removeEventListener("abort", listener);
  };
  const listener = () => {
    stop();
    // Callbacks that an earlier one removes are not called.
    for (const callback of callbacks) callback();
  };
  signal.addEventListener("abort", listener);
  const shared = { callbacks, stop };
  sharedBy.set(signal, shared);
  return shared;
}
