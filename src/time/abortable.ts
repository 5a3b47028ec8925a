import { onAbort } from "./on-abort.js";

/**
 * A promise that rejects as soon as `signal` aborts, with the signal's reason, whatever it waits for.
 *
 * @param begin starts what the promise waits for and returns a function that cancels it, if anything does. It is always
 *   called, even if the signal is already aborted, and must not settle the promise synchronously.
 */
export function abortable<Value>(
  signal: AbortSignal | undefined,
  begin: (resolve: (value: Value) => void, reject: (error: unknown) => void) => (() => void) | undefined,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const ending =
      <Argument>(settle: (argument: Argument) => void) =>
      (argument: Argument) => {
        cancel?.();
        removeListener();
        settle(argument);
      };
    const abort = () => ending(reject)(signal?.reason);
    const cancel = begin(ending(resolve), ending(reject));
    const removeListener = onAbort(signal, abort);
    // An aborted signal fires no event.
    if (signal?.aborted) abort();
  });
}

/** Whether an error is the reason of a signal that has aborted. The reason may be any value. */
export function isReasonOf(signal: AbortSignal | undefined, error: unknown): boolean {
  return signal?.aborted === true && error === signal.reason;
}
