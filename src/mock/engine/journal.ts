import { checkOptions } from "../checks.js";
import type { Guess } from "../service/guesses.js";
import { plainCopy } from "../service/plain-copy.js";
import type { OperationName } from "../service/routes.js";

/** One request and its outcome. */
export interface JournalEntry {
  /** The operation; undefined if the request matches none in the document. */
  operation: OperationName | undefined;
  /** The time of the request in milliseconds since 1970 (UTC) on the mock's clock. */
  time: number;
  /** The method of the request, in upper case. */
  method: string;
  /** The path below the base URL, as sent. */
  path: string;
  /** The key that was sent, masked; undefined if there was none. */
  key: string | undefined;
  /** Identifies the key without revealing it; undefined if it was not valid. */
  keyId: string | undefined;
  /** The body of the request, parsed if it is JSON; undefined if it was empty. */
  body: unknown;
  /** The status of the answer; undefined if there was no answer. */
  status: number | undefined;
  /** The credits that the request cost. */
  credits: number;
  /** The guesses that the answer rests on where the service does not document it. */
  guesses: Guess[];
}

/** How many requests are kept. */
const capacity = 10_000;

/** The newest requests, in a ring buffer, so that a full journal costs no more than an empty one. */
export class Journal {
  /** Requests that wait for their answers. */
  readonly open = new Set<JournalEntry>();
  #ring: JournalEntry[] = [];
  #total = 0;

  /** The number of requests since the start. */
  get total(): number {
    return this.#total;
  }

  /** The number of requests that are kept. */
  get kept(): number {
    return this.#ring.length;
  }

  /** Adds an entry, which is completed once its request is answered. */
  add(entry: JournalEntry): JournalEntry {
    this.#ring[this.#total++ % capacity] = entry;
    return entry;
  }

  /** The request with this number, counted from 1 since the start; undefined if it is not kept. */
  find(number: number): JournalEntry | undefined {
    const isKept = number > this.#total - this.kept && number <= this.#total;
    return isKept ? this.#ring[(number - 1) % capacity] : undefined;
  }

  /** Copies of the entries, oldest first. */
  list(filter: { operation?: OperationName | undefined } = {}): JournalEntry[] {
    checkOptions("`mock.requests`", filter, { operation: 0 });
    const { operation } = filter;
    // Until the ring is full, this is its length.
    const oldest = this.#total % capacity;
    return [...this.#ring.slice(oldest), ...this.#ring.slice(0, oldest)]
      .filter((entry) => operation === undefined || entry.operation === operation)
      .map((entry) => ({ ...entry, body: plainCopy(entry.body), guesses: [...entry.guesses] }));
  }

  reset(): void {
    this.open.clear();
    this.#ring = [];
    this.#total = 0;
  }
}
