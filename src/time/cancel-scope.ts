/**
 * Runs the steps of a task one after the other, until it is cancelled: then the present step rejects, and so do those
 * that follow. It does for a task what an `AbortController` does, and takes a fraction of its memory.
 */
export class CancelScope {
  isCancelled = false;
  #reason: unknown;
  #endStep = () => {};

  cancel(reason?: unknown): void {
    if (this.isCancelled) return;
    this.isCancelled = true;
    this.#reason = reason;
    this.#endStep();
  }

  throwIfCancelled(): void {
    if (this.isCancelled) throw this.#reason;
  }

  /** @param begin starts the step and returns what stops it, which does nothing to a step that is over */
  step<Value>(begin: (resolve: (value: Value) => void) => () => void): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.throwIfCancelled();
      const stop = begin(resolve);
      this.#endStep = () => {
        stop();
        reject(this.#reason);
      };
      // The step may have begun with a user's function that cancels it.
      if (this.isCancelled) this.#endStep();
    });
  }
}
