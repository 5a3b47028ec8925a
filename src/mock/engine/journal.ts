import type { Account } from "../service/account.js";
import type { Guess } from "../service/guesses.js";
import { type KeyRegistry, maskKey } from "../service/keys.js";
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
  /** The number of the key's account, `"1"` for the first; undefined if the key was not valid. */
  account: string | undefined;
  /** The body of the request, parsed if it is JSON; undefined if it was empty. */
  body: unknown;
  /** The status of the answer; undefined if there was no answer. */
  status: number | undefined;
  /** How long the answer took, in milliseconds on the mock's clock; undefined until there is one. */
  durationMs: number | undefined;
  /** The headers of the answer; undefined if there was no answer. */
  responseHeaders: Record<string, string> | undefined;
  /** The body of the answer, parsed if it is JSON; undefined if it was empty. */
  responseBody: unknown;
  /** The credits that the request cost. */
  credits: number;
  /** What the mock filled in in the answer, because the service does not document it. */
  guesses: Guess[];
}

/**
 * How a request is kept: as it was sent and answered, key included. Only what is looked at is masked and parsed.
 */
export type JournalRow = Omit<JournalEntry, "body" | "responseBody"> & { text: string; responseText: string };

/** How many requests are kept. */
const capacity = 10_000;

/** How many characters of an answer are kept: a plan's slides may hold whole images. */
const longestAnswer = 20_000;

/** The text of an answer as it is kept. A part of it would keep all of it in memory. */
export function keptText(text: string): string {
  return text.length <= longestAnswer ? text : `(${text.length} characters, which the journal does not keep)`;
}

/** Parses a text that may be JSON; undefined if it is empty. */
export function parseText(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The newest requests, in a ring buffer, so that a full journal costs no more than an empty one. */
export class Journal {
  /** Requests that wait for their answers. */
  readonly open = new Set<JournalRow>();
  /** A forgotten request leaves its place empty. */
  #ring: (JournalRow | undefined)[] = [];
  #total = 0;

  constructor(private readonly registry: KeyRegistry<Account>) {}

  /** The number of requests since the start. */
  get total(): number {
    return this.#total;
  }

  /** The number of requests that are kept. */
  get kept(): number {
    return this.#ring.filter(Boolean).length;
  }

  /** Adds a request, which is open until it is answered. */
  add(row: JournalRow): JournalRow {
    this.#ring[this.#total++ % capacity] = row;
    this.open.add(row);
    return row;
  }

  /** The request with this number, counted from 1 since the start; undefined if it is not kept. */
  find(number: number): Readonly<JournalRow> | undefined {
    const isKept = number > this.#total - this.#ring.length && number <= this.#total;
    return isKept ? this.#ring[(number - 1) % capacity] : undefined;
  }

  /** The requests that are kept, each with its number, newest first. */
  *newestFirst(): Generator<[number: number, row: Readonly<JournalRow>]> {
    for (let number = this.#total; number > this.#total - this.#ring.length; number--) {
      const row = this.#ring[(number - 1) % capacity];
      if (row) yield [number, row];
    }
  }

  /** Copies of the entries, oldest first. */
  list(operation?: OperationName, account?: Account): JournalEntry[] {
    const entries = [];
    for (const [, row] of this.newestFirst()) {
      const isAsked = (operation ?? row.operation) === row.operation;
      if (isAsked && (account?.id ?? row.account) === row.account) entries.push(this.entryOf(row));
    }
    return entries.reverse();
  }

  /** A request and its outcome, with every key masked that the mock knows, and the key that was sent. */
  entryOf({ text, responseText, ...row }: Readonly<JournalRow>): JournalEntry {
    const { key, responseHeaders } = row;
    const masked = (value: string) => this.registry.masked(value, key);
    const shown = Object.entries(responseHeaders ?? {}).map(([name, value]) => [name, masked(value)]);
    return {
      ...row,
      path: masked(row.path),
      key: key && maskKey(key),
      body: parseText(masked(text)),
      guesses: [...row.guesses],
      responseHeaders: responseHeaders && Object.fromEntries(shown),
      responseBody: parseText(masked(responseText)),
    };
  }

  /** Forgets the requests of an account. */
  forget({ id }: Account): void {
    this.#ring = this.#ring.map((row) => (row?.account === id ? undefined : row));
    for (const row of this.open) if (row.account === id) this.open.delete(row);
  }

  reset(): void {
    this.open.clear();
    this.#ring = [];
    this.#total = 0;
  }
}
