import { onAbort } from "./on-abort.js";

/**
 * A promise that an abort rejects at once, with the signal's reason, whatever it waits for.
 *
 * @param begin begins what the promise waits for and returns what cancels it, if anything does. It is always called, also where the
 * signal was aborted before, and settles the promise in a later turn only.
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
    // There is no event to come.
    if (signal?.aborted) abort();
  });
}
