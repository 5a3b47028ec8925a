import type { Account } from "../service/account.js";
import { type KeyRegistry, maskKey } from "../service/keys.js";
import type { OperationName } from "../service/routes.js";
import type { Guess, RecordedPart } from "../service/sources.js";

/** One request and its outcome. */
export interface JournalEntry {
  /** The operation; undefined if the request matches none in the document. */
  operation: OperationName | undefined;
  /** The time of the request in milliseconds since 1970 (UTC) on the mock's clock. */
  time: number;
  /** The method of the request, in upper case. */
  method: string;
  /** The path below the base URL, as sent, without its query. */
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
  /** What the answer has from the recording of the service that the mock was given. */
  recorded: RecordedPart[];
}

/**
 * How a request is kept: as it was sent and answered, key included. Only what is looked at is masked and parsed.
 */
export type JournalRow = Omit<JournalEntry, "body" | "responseBody"> & { text: string; responseText: string };

/** How many requests are kept. */
const capacity = 10_000;

/** How many characters of an answer are kept: a plan's slides may hold whole images. */
const longestAnswer = 20_000;

/** An answer's text as it is kept. Keeping only its beginning would still keep the whole text in memory. */
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

/** The newest requests. */
export class Journal {
  /** Requests that wait for their answers. */
  readonly open = new Set<JournalRow>();
  /** Oldest first. A forgotten request leaves its place empty. */
  #rows: (JournalRow | undefined)[] = [];
  #total = 0;

  constructor(private readonly registry: KeyRegistry<Account>) {}

  /** The number of requests since the start. */
  get total(): number {
    return this.#total;
  }

  /** The number of requests that are kept. */
  get kept(): number {
    return this.#rows.filter(Boolean).length;
  }

  /** Adds a request, which is open until it is answered. */
  add(row: JournalRow): JournalRow {
    this.#total++;
    this.#rows.push(row);
    if (this.#rows.length > capacity) this.#rows.shift();
    this.open.add(row);
    return row;
  }

  /** The request with this number, counted from 1 since the start; undefined if it is not kept. */
  find(number: number): Readonly<JournalRow> | undefined {
    return this.#rows[this.#rows.length - 1 - (this.#total - number)];
  }

  /** The requests that are kept, each with its number, newest first. */
  *newestFirst(): Generator<[number: number, row: Readonly<JournalRow>]> {
    for (let number = this.#total; number > this.#total - this.#rows.length; number--) {
      const row = this.find(number);
      if (row) yield [number, row];
    }
  }

  /** Copies of the entries, oldest first. */
  list(operation?: OperationName, account?: Account): JournalEntry[] {
    return this.#rows
      .filter((row) => row !== undefined)
      .filter((row) => (operation ?? row.operation) === row.operation)
      .filter((row) => (account?.id ?? row.account) === row.account)
      .map((row) => this.entryOf(row));
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
      recorded: [...row.recorded],
      responseHeaders: responseHeaders && Object.fromEntries(shown),
      responseBody: parseText(masked(responseText)),
    };
  }

  /** Forgets the requests of an account. */
  forget({ id }: Account): void {
    this.#rows = this.#rows.map((row) => (row?.account === id ? undefined : row));
    for (const row of this.open) if (row.account === id) this.open.delete(row);
  }

  reset(): void {
    this.open.clear();
    this.#rows = [];
    this.#total = 0;
  }
}
