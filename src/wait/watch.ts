import type { Job } from "../types.js";
import type { Waiter, WaitHandler } from "./waiter.js";

/**
 * Iterates over a job's changes of status, which are kept until they are read. The first `next()` begins the wait, and
 * `return()` ends it at once, also during a pending `next()`, for which a plain generator would wait.
 */
export function watch(begin: (handler: WaitHandler) => Waiter): AsyncGenerator<Job, undefined> {
  const changes: Job[] = [];
  let waiter: Waiter | undefined;
  /** How the iteration ends, once it is to end. */
  let finish: (() => undefined) | undefined;
  let wake = () => {};
  const end = (how: () => undefined) => {
    finish ??= how;
    wake();
  };

  async function* jobs(): AsyncGenerator<Job, undefined> {
    waiter = begin({
      onUpdate(job) {
        // The user's `onUpdate` may have ended this iteration.
        if (finish === undefined) changes.push(job);
        wake();
      },
      onEnd: (error, job) =>
        end(() => {
          if (job === undefined) throw error;
        }),
    });
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
      waiter.leave();
    }
  }

  const generator = jobs();
  const finishGenerator = generator.return.bind(generator);
  generator.return = (value) => {
    changes.length = 0;
    waiter?.leave();
    end(() => undefined);
    return finishGenerator(value);
  };
  return generator;
}
