/**
 * Keeps sets in a table of PostgreSQL, with whatever driver you have: any number of processes step them, and each set is
 * charged at most once.
 *
 * ```
 * import { Pool } from "pg";
 * import { stepSet } from "screenshot-sets/durable";
 * import { postgresStore } from "screenshot-sets/postgres";
 *
 * const pool = new Pool();
 * // A database that restarts ends idle connections and those in use. Without both listeners, that ends the process.
 * pool.on("error", ({ message }) => console.error(message));
 * pool.on("connect", (connection) => connection.on("error", () => {}));
 * const store = postgresStore((text, values) => pool.query(text, values));
 * const result = await stepSet(client, { key: "order-7", params, store });
 * ```
 *
 * @module screenshot-sets/postgres
 */

import { ConfigurationError } from "../errors/errors.js";
import { sentence, shortened } from "../errors/words.js";
import { wrongOption } from "../errors/wrong-option.js";
import { readOptions } from "../options/read-options.js";
import {
  hasCode,
  openTransaction,
  quoted,
  type Row,
  type Run,
  type TableName,
  tableUse,
} from "./postgres-table.js";
import { retryUntilStored } from "./retry-until-stored.js";
import type { SetStore, StoredSet } from "./set-store.js";

export type { SetStore, StoredSet } from "./set-store.js";

/**
 * Runs one statement with its values (`$1`, `$2`) and commits it. Resolves to the rows, to `{ rows }` or to `[rows, …]`, as
 * drivers do: `(text, values) => pool.query(text, values)` of `pg`, `sql.unsafe` of postgres.js. It may not run it in an
 * open transaction.
 */
export type Query = (text: string, values: string[]) => PromiseLike<unknown>;

/** Options of `postgresStore`. */
export interface PostgresStoreOptions {
  /**
   * The table, perhaps with its schema, as in `"billing.sets"`. It is created at the first use if it is missing.
   * @default "screenshot_sets"
   */
  table?: string | undefined;
}

/**
 * A store in a table of PostgreSQL, for `stepSet` and `runBatch`. It is shared: any number of processes may step its sets
 * at once.
 *
 * @returns a store that rejects as `query` does. What follows a create is tried for two minutes: the id of a paid job does
 *   not come again
 * @throws {ConfigurationError} for a malformed argument; from the store, before anything is sent, within an open
 *   transaction, for a table that this role may not create or that another schema has, and for one that is gone
 */
export function postgresStore(query: Query, options: PostgresStoreOptions = {}): SetStore {
  if (typeof query !== "function") throw wrongOption("`query`", "a function that runs a statement", query);
  const { table } = readOptions("postgresStore", options, { table: checkedTable });
  const run: Run = (text, values) => rowsFrom(query, text, values);
  const use = tableUse(run, table);
  const name = quoted(table);
  /** Records of creates that the database refused to store, so none is to be removed. */
  const refused = new WeakSet<object>();

  return {
    shared: true,

    load: (key: string): Promise<unknown> =>
      use(async () => {
        const [row] = await run(`select record::text as record from ${name} where key = $1`, [key]);
        return row === undefined ? undefined : JSON.parse(String(row.record));
      }),

    save: (key: string, next: unknown, previous: unknown): Promise<boolean> =>
      use(() => {
        const [text, values] = replacement(name, key, next, previous);
        const write = async () => isStored(await run(text, values));
        if (beginsCreate(next, previous)) {
          const record = () => twice(write, () => refused.add(next as StoredSet));
          return recordCreate(record, () => ask(run, name, key, next));
        }
        // A transaction that was aborted has stored nothing that is to be removed. The id of a job is stored by another one.
        const isFutile = (error: unknown) => stepOf(next) !== "accepted" && isAborted(error);
        const followsCreate = stepOf(previous) === "sending" && !refused.has(previous as StoredSet);
        return followsCreate ? retryUntilStored(write, isFutile) : write();
      }),
  };
}

/** Stores that a create is about to be sent. */
async function recordCreate(record: () => Promise<boolean>, isCommitted: () => Promise<boolean>) {
  if (!(await record())) return false;
  // Some libraries carry an open transaction along by themselves.
  if (!(await twice(isCommitted))) throw openTransaction();
  return true;
}

/** Whether no transaction is open, and what was stored is seen. */
async function ask(run: Run, table: string, key: string, stored: unknown): Promise<boolean> {
  const text = `select txid_current_if_assigned() is null
    and exists (select from ${table} where key = $1 and record = $2::text::jsonb) as stored`;
  return isStored(await run(text, [key, JSON.stringify(stored)]));
}

const isStored = (rows: Row[]) => rows.some(({ stored }) => stored === true);

/**
 * Runs a statement once more where it fails: its reply may have been lost.
 *
 * @param onRefused called where it was not run for certain, and never will be
 */
async function twice<Result>(
  attempt: () => Promise<Result>,
  onRefused: () => unknown = () => {},
): Promise<Result> {
  return attempt().catch((error) => {
    if (isRefused(error)) {
      onRefused();
      throw error;
    }
    return attempt().catch(() => {
      throw error;
    });
  });
}

/** Whether a statement failed since its transaction had been aborted. */
const isAborted = (error: unknown) => hasCode(error, /^25P02$/);

/** The same, or since its server is read-only, the role lacks a right, or the table is another one. */
const isRefused = (error: unknown) => hasCode(error, /^(25|42)[\dA-Z]{3}$/);

const stepOf = (value: unknown) => (value as StoredSet | null | undefined)?.state?.step;

const ordersBefore = (value: unknown) => (value as StoredSet | null | undefined)?.earlier?.length ?? 0;

/** Whether a create is about to be sent. A record that `again` replaced is put back where the repeated order was refused. */
const beginsCreate = (next: unknown, previous: unknown) =>
  stepOf(next) === "sending" && ordersBefore(next) >= ordersBefore(previous);

/**
 * A statement that stores a value in place of another, and tells whether the value is `stored` then. It also is if it was
 * before: then the reply to a write was lost.
 */
function replacement(table: string, key: string, next: unknown, previous: unknown): [string, string[]] {
  const [to, from] = [next ?? null, previous ?? null].map((value) => JSON.stringify(value)) as [
    string,
    string,
  ];
  if (to === "null") {
    const text = `with removed as (delete from ${table} where key = $1 and record = $2::text::jsonb returning key)
      select exists (select from removed) or not exists (select from ${table} where key = $1) as stored`;
    return [text, [key, from]];
  }
  if (from === "null") {
    const text = `insert into ${table} as old (key, record) values ($1, $2::text::jsonb)
      on conflict (key) do update set changed_at = now() where old.record = excluded.record returning true as stored`;
    return [text, [key, to]];
  }
  const text = `update ${table} set record = $2::text::jsonb, changed_at = now()
    where key = $1 and record in ($2::text::jsonb, $3::text::jsonb) returning true as stored`;
  return [text, [key, to, from]];
}

async function rowsFrom(query: Query, text: string, values: string[]): Promise<Row[]> {
  let running: PromiseLike<unknown>;
  try {
    running = query(text, values);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // A method that was handed over alone has lost its object, and throws before it asks the database.
    const advice =
      "If it is a method, pass a function, such as `(text, values) => pool.query(text, values)`.";
    const why = sentence(`The \`query\` of \`postgresStore\` threw: ${shortened(error.message)}`);
    throw new ConfigurationError(`${why} ${advice}`, { cause: error });
  }
  const result = await running;
  const { rows = result } = Object(result) as { rows?: unknown };
  const found = Array.isArray(rows) && Array.isArray(rows[0]) ? rows[0] : rows;
  if (Array.isArray(found)) return found as Row[];
  throw wrongOption("what `query` resolves to", "rows, `{ rows }` or `[rows, …]`", result);
}

/** The parts of a table's name. */
function checkedTable(given: unknown = "screenshot_sets"): TableName {
  const isName = typeof given === "string" && /^[A-Za-z_][\w$]*(\.[A-Za-z_][\w$]*)?$/.test(given);
  if (!isName) throw wrongOption("`table`", "the name of a table, perhaps with that of its schema", given);
  return given.split(".") as unknown as TableName;
}
