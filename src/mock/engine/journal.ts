import { checkOptions } from "../checks.js";
import type { Guess } from "../service/guesses.js";
import type { OperationName } from "../service/routes.js";

/** One request and what became of it. */
export interface JournalEntry {
  /** Undefined where the document has no such operation. */
  operation: OperationName | undefined;
  /** When it came, in milliseconds since 1970 (UTC) of the mock's clock. */
  time: number;
  /** The method of the request, in upper case. */
  method: string;
  /** Below the base URL, as sent. */
  path: string;
  /** The key that was sent, masked; undefined where there was none. */
  key: string | undefined;
  /** Names the key without revealing it; undefined where it was not valid. */
  keyId: string | undefined;
  /** What was sent, parsed if it is JSON; undefined where nothing was. */
  body: unknown;
  /** What was answered; undefined where no answer was given. */
  status: number | undefined;
  /** What it cost. */
  credits: number;
  /** The guesses that the answer rests on, because the service does not document it. */
  guesses: Guess[];
}

/** How many are kept. */
const capacity = 10_000;

/** The newest requests: a ring, so that a full journal costs no more than an empty one. */
export class Journal {
  #ring: JournalEntry[] = [];
  #next = 0;

  /** Keeps an entry, which is completed once its request is answered. */
  add(entry: JournalEntry): JournalEntry {
    this.#ring[this.#next] = entry;
    this.#next = (this.#next + 1) % capacity;
    return entry;
  }

  /** Copies, the oldest first. */
  list(filter: { operation?: OperationName | undefined } = {}): JournalEntry[] {
    checkOptions("`mock.requests`", filter, { operation: 0 });
    const { operation } = filter;
    const ring = this.#ring;
    const inOrder = ring.length < capacity ? ring : [...ring.slice(this.#next), ...ring.slice(0, this.#next)];
    return inOrder
      .filter((entry) => operation === undefined || entry.operation === operation)
      .map((entry) => ({ ...entry, guesses: [...entry.guesses] }));
  }

  reset(): void {
    this.#ring = [];
    this.#next = 0;
  }
}
