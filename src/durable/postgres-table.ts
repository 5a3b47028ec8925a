import { ConfigurationError } from "../errors/errors.js";

export type Row = Record<string, unknown>;

/** Runs one statement with its values, and resolves to its rows. */
export type Run = (text: string, values: string[]) => Promise<Row[]>;

/** The name of a table, perhaps after that of its schema. */
export type TableName = readonly [name: string] | readonly [schema: string, name: string];

/** The name for a statement. */
export const quoted = (name: TableName) => name.map((part) => `"${part}"`).join(".");

/** Statements that use a table. */
export type UseTable = <Result>(statements: () => Promise<Result>) => Promise<Result>;

/**
 * Creates a table at its first use, and tells when it disappears.
 *
 * @returns what runs statements that use the table. It rejects as they do, or as the database does at the first use
 */
export function tableUse(run: Run, table: TableName): UseTable {
  let isReady: Promise<void> | undefined;
  return async (statements) => {
    isReady ??= prepare(run, table).catch((error) => {
      isReady = undefined;
      throw error;
    });
    await isReady;
    try {
      return await statements();
    } catch (error) {
      throw isMissing(error) && (await isGone(run, table)) ? tableGone(table, error) : error;
    }
  };
}

const isMissing = (error: unknown) => hasCode(error, /^42P01$/);

const isGone = (run: Run, table: TableName) =>
  find(run, table).then(
    ({ there }) => there === false,
    () => false,
  );

/** Where a table is, where it would be created, and whether it may be. */
async function find(run: Run, table: TableName): Promise<Row> {
  const [name, schema = ""] = [...table].reverse() as [string, string?];
  const text = `select to_regclass($1::text) is not null as there, current_schema()::text as own,
    has_schema_privilege(to_regnamespace(coalesce(nullif($3::text, ''), quote_ident(current_schema()))), 'create') as may_create,
    (select min(nspname::text) from pg_class join pg_namespace on pg_namespace.oid = relnamespace
      where relname = $2::text and relkind in ('r', 'p', 'f', 'v') and relpersistence <> 't') as other`;
  const [found = {}] = await run(text, [quoted(table), name, schema && `"${schema}"`]);
  return found;
}

async function prepare(run: Run, table: TableName): Promise<void> {
  const { there, own, other } = await find(run, table);
  if (there === true) return;
  // The connections of another process may look into other schemas, and its sets are paid for.
  if (table.length === 1 && own && other) throw tableElsewhere(table, String(own), String(other));
  const statement = `create table if not exists ${quoted(table)} (key text primary key, record jsonb not null, changed_at timestamptz not null default now())`;
  try {
    await run(statement, []);
  } catch (cause) {
    const now: Row = await find(run, table).catch(() => ({}));
    // Another process may have created it at the same time.
    if (now.there === true) return;
    throw now.may_create === false ? mayNotCreate(table, statement, cause) : cause;
  }
  const [row] = await run("select txid_current_if_assigned() is null as committed", []);
  if (row?.committed !== true) throw openTransaction();
}

/** Whether an error has a code of the database. Some libraries wrap the driver's error. */
export function hasCode(error: unknown, code: RegExp): boolean {
  const { cause, ...fields } = Object(error) as { cause?: unknown };
  return [error, cause, ...Object.values(fields)].some((one) => code.test(String(Object(one).code)));
}

/** The error of statements that another transaction may undo, or another server has not seen. */
export const openTransaction = () =>
  new ConfigurationError(
    "`postgresStore` was used within an open transaction, or its `query` reads elsewhere than it writes, so the record of a paid set could be lost. Nothing was sent. Give it a `query` that runs each statement on the primary and commits it.",
  );

const mayNotCreate = (table: TableName, statement: string, cause: unknown) =>
  new ConfigurationError(
    `The table ${quoted(table)} is missing, and this role may not create it. Nothing was sent. Run this once: ${statement}`,
    { cause },
  );

function tableElsewhere([name]: TableName, own: string, other: string): ConfigurationError {
  const [there, here] = [other, own].map((schema) => `\`table: "${schema}.${name}"\``);
  return new ConfigurationError(
    `The table "${name}" is missing in the schema "${own}", and the schema "${other}" has one, which may name sets that are paid for. Nothing was sent. Choose by \`postgresStore(query, { table })\`: ${there} for that one, or ${here} for another one.`,
  );
}

const tableGone = (table: TableName, cause: unknown) =>
  new ConfigurationError(
    `The table ${quoted(table)} is gone, and with it the record of what was paid for. Nothing more is sent. Restore it, or compare the account's credits with the sets that you know before you order them again.`,
    { cause },
  );
