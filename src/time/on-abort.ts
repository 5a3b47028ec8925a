/** The callbacks that share a signal. Each signal gets one listener of ours, however many calls and waits it is given to. */
const sharedBy = new WeakMap<AbortSignal, ReturnType<typeof listen>>();

/**
 * Calls `callback` once `signal` aborts; not when it has been before. Returns what takes it back; without any
 * callback left, the signal has no listener either.
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
    // Those that another takes back on the way are not called.
    for (const callback of callbacks) callback();
  };
  signal.addEventListener("abort", listener);
  const shared = { callbacks, stop };
  sharedBy.set(signal, shared);
  return shared;
}
