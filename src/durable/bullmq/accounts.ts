import { PaymentRequiredError } from "../../errors/errors.js";
import type { SetClient } from "../set-client.js";
import type { StepResult } from "../step-result.js";

/** How long sets wait for the allowance of an account before one of them tries it again, in milliseconds. */
const emptyMs = 60_000;

/** How long they wait at once: the allowance may return earlier. */
const longestPauseMs = 10_000;

/** What the last answers to this process said of an account: when its sets may send requests. */
class Account {
  #stoppedUntil = 0;
  #emptyUntil = 0;
  #refusedId: string | undefined;

  /** Lets no set of the account send anything for a while, as a 429 asked. */
  stop(forMs: number): void {
    this.#stoppedUntil = Math.max(this.#stoppedUntil, performance.now() + forMs);
  }

  /** Records how a create ended. After a 402, the other sets of the account that are not begun wait for this one. */
  created(jobId: string, { state, error }: Pick<StepResult, "state" | "error">): void {
    if (state?.step === "accepted") this.#emptyUntil = 0;
    if (!(error instanceof PaymentRequiredError)) return;
    this.#emptyUntil = performance.now() + emptyMs;
    this.#refusedId = jobId;
  }

  /** How long a set has to wait before its next request, in milliseconds. */
  waitMs(jobId: string, isNew: boolean): number {
    const now = performance.now();
    const isHeld = isNew && jobId !== this.#refusedId;
    const emptyForMs = isHeld ? Math.min(this.#emptyUntil - now, longestPauseMs) : 0;
    return Math.max(emptyForMs, this.#stoppedUntil - now, 0);
  }
}

/** The accounts of a queue, by their clients. */
export class Accounts {
  readonly #known = new WeakMap<SetClient, Account>();

  of(client: SetClient): Account {
    const account = this.#known.get(client) ?? new Account();
    this.#known.set(client, account);
    return account;
  }
}
