import { CancelScope } from "../time/cancel-scope.js";
import type { Job } from "../types.js";

/**
 * Iterates over a job's changes of status, which are kept until they are read. The first `next()` begins the wait, and
 * `return()` ends it at once, also during a pending `next()`, for which a plain generator would wait.
 */
export function watch(
  begin: (scope: CancelScope, onChange: (job: Job) => void) => Promise<unknown>,
): AsyncGenerator<Job, undefined> {
  const scope = new CancelScope();
  const changes: Job[] = [];
  /** How the iteration ends, once it is to end. */
  let finish: (() => undefined) | undefined;
  let wake = () => {};
  const end = (how: () => undefined) => {
    finish ??= how;
    wake();
  };
  const onChange = (job: Job) => {
    // The user's `onUpdate` may have ended this iteration.
    if (!scope.isCancelled) changes.push(job);
    wake();
  };

  async function* jobs(): AsyncGenerator<Job, undefined> {
    begin(scope, onChange).then(
      () => end(() => undefined),
      (error) =>
        end(() => {
          throw error;
        }),
    );
    try {
      for (;;) {
        const job = changes.shift();
        if (job !== undefined) yield job;
        else if (finish) return finish();
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      scope.cancel();
    }
  }

  const generator = jobs();
  const finishGenerator = generator.return.bind(generator);
  generator.return = (value) => {
    changes.length = 0;
    scope.cancel();
    end(() => undefined);
    return finishGenerator(value);
  };
  return generator;
}
