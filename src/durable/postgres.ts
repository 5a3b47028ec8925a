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
 * const store = postgresStore((text, values) => pool.query(text, values));
 * const result = await stepSet(client, { key: "order-7", params, store });
 * ```
 *
 * @module screenshot-sets/postgres
 */

import { ConfigurationError } from "../errors/errors.js";
import { wrongOption } from "../errors/wrong-option.js";
import { readOptions } from "../options/read-options.js";
import { insist } from "./insist.js";
import type { SetStore, StoredSet } from "./set-store.js";

export type { SetStore, StoredSet } from "./set-store.js";

/**
 * Runs one statement with its values (`$1`, `$2`) and commits it. Resolves to the rows, to `{ rows }` or to `[rows, …]`, as
 * drivers do: `(text, values) => pool.query(text, values)` of `pg`, `sql.unsafe` of postgres.js.
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
 *   transaction, and for a table that is missing and cannot be created
 */
export function postgresStore(query: Query, options: PostgresStoreOptions = {}): SetStore {
  if (typeof query !== "function") throw wrongOption("`query`", "a function that runs a statement", query);
  const { table } = readOptions("postgresStore", options, { table: checkedTable });
  const run = (text: string, values: string[]) => rowsFrom(query, text, values);
  let isReady: Promise<void> | undefined;
  const ready = () => {
    isReady ??= prepare(run, table).catch((error) => {
      isReady = undefined;
      throw error;
    });
    return isReady;
  };
  /** The records of creates that could not be saved for certain, and are not sent. */
  const unsent = new WeakSet<object>();

  return {
    shared: true,

    async load(key: string): Promise<unknown> {
      await ready();
      const [row] = await run(`select record::text as record from ${table} where key = $1`, [key]);
      return row === undefined ? undefined : JSON.parse(String(row.record));
    },

    async save(key: string, next: unknown, previous: unknown): Promise<boolean> {
      const [text, values] = replacement(table, key, next, previous);
      const write = async () => (await run(text, values)).some(({ stored }) => stored === true);
      await ready();
      if (stepOf(next) === "sending") {
        return write()
          .catch(write)
          .catch((error) => {
            unsent.add(next as object);
            throw error;
          });
      }
      const followsCreate = stepOf(previous) === "sending" && !unsent.has(previous as object);
      return followsCreate ? insist(write) : write();
    },
  };
}

const stepOf = (value: unknown) => (value as StoredSet | null | undefined)?.state?.step;

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

type Row = Record<string, unknown>;

async function rowsFrom(query: Query, text: string, values: string[]): Promise<Row[]> {
  let result: unknown;
  try {
    result = await query(text, values);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // A method that was handed over alone has lost its object.
    const advice = "pass a function, such as `(text, values) => pool.query(text, values)`";
    throw new ConfigurationError(`The \`query\` of \`postgresStore\` failed: ${advice}.`, { cause: error });
  }
  const { rows = result } = Object(result) as { rows?: unknown };
  const found = Array.isArray(rows) && Array.isArray(rows[0]) ? rows[0] : rows;
  if (Array.isArray(found)) return found as Row[];
  throw wrongOption("what `query` resolves to", "rows, `{ rows }` or `[rows, …]`", result);
}

/** Looks once that each statement is committed, and that the table is there. */
async function prepare(
  run: (text: string, values: string[]) => Promise<Row[]>,
  table: string,
): Promise<void> {
  const isThere = async () => {
    // The first statement gives its transaction an id, which the second one has no more unless both are in one.
    const [row] = await run("select to_regclass($1::text) is not null as there, txid_current()::text as id", [
      table,
    ]);
    return row?.there === true;
  };
  const wasThere = await isThere();
  const [open] = await run("select txid_current_if_assigned()::text as id", []);
  if (open?.id) {
    throw new ConfigurationError(
      "`postgresStore` was used within an open transaction, which could undo the record of a paid set. Nothing was sent. Give it a `query` that commits each statement.",
    );
  }
  if (wasThere) return;
  const statement = `create table if not exists ${table} (key text primary key, record jsonb not null, changed_at timestamptz not null default now())`;
  try {
    await run(statement, []);
  } catch (cause) {
    // Another process may have created it at the same time.
    if (await isThere()) return;
    throw new ConfigurationError(
      `The table ${table} is missing and could not be created. Nothing was sent. Run this once: ${statement}`,
      { cause },
    );
  }
}

/** A table's name, quoted. */
function checkedTable(given: unknown = "screenshot_sets"): string {
  const isName = typeof given === "string" && /^[A-Za-z_][\w$]*(\.[A-Za-z_][\w$]*)?$/.test(given);
  if (!isName) throw wrongOption("`table`", "the name of a table, perhaps with that of its schema", given);
  return given
    .split(".")
    .map((name) => `"${name}"`)
    .join(".");
}
