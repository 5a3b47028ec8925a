import { checkOptions } from "../checks.js";
import type { Guess } from "../service/guesses.js";
import { plainCopy } from "../service/plain-copy.js";
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
  /** Requests that are being worked on. */
  readonly open = new Set<JournalEntry>();
  #ring: JournalEntry[] = [];
  #total = 0;

  /** How many requests came since the start. */
  get total(): number {
    return this.#total;
  }

  /** How many of them are kept. */
  get kept(): number {
    return this.#ring.length;
  }

  /** Keeps an entry, which is completed once its request is answered. */
  add(entry: JournalEntry): JournalEntry {
    this.#ring[this.#total++ % capacity] = entry;
    return entry;
  }

  /** A request by its number since the start; undefined if it is not kept. */
  find(number: number): JournalEntry | undefined {
    const isKept = number > this.#total - this.kept && number <= this.#total;
    return isKept ? this.#ring[(number - 1) % capacity] : undefined;
  }

  /** Copies, the oldest first. */
  list(filter: { operation?: OperationName | undefined } = {}): JournalEntry[] {
    checkOptions("`mock.requests`", filter, { operation: 0 });
    const { operation } = filter;
    const ring = this.#ring;
    const oldest = this.#total % capacity;
    const inOrder = ring.length < capacity ? ring : [...ring.slice(oldest), ...ring.slice(0, oldest)];
    return inOrder
      .filter((entry) => operation === undefined || entry.operation === operation)
      .map((entry) => ({ ...entry, body: plainCopy(entry.body), guesses: [...entry.guesses] }));
  }

  reset(): void {
    this.open.clear();
    this.#ring = [];
    this.#total = 0;
  }
}
