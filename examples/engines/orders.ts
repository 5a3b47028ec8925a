/**
 * Orders of sets in a table of yours. What was paid for is in the store, which any process may step at any time.
 *
 * ```sql
 * create table orders (
 *   id text primary key,     -- each is planned once, however often it is placed
 *   params jsonb not null,
 *   problem text,            -- why the set cannot go on for now, such as missing credits
 *   outcome jsonb,           -- once it has ended: `{ slides }`, or `{ error }` with its `charged`
 *   due_at timestamptz not null default now()  -- only for cron
 * );
 * ```
 */
import postgres from "postgres";
import { type CreateScreenshotsParams, ScreenshotSets } from "screenshot-sets";
import { stepSet } from "screenshot-sets/durable";
import { postgresStore } from "screenshot-sets/postgres";

// With `fetch_types`, a connection that is lost while it asks for types would end the process.
export const sql = postgres(process.env.DATABASE_URL ?? "", { onnotice() {}, fetch_types: false });
const client = new ScreenshotSets();
const store = postgresStore(sql.unsafe);

/** Adds an order, unless it is there already. */
export async function place(id: string, params: CreateScreenshotsParams): Promise<void> {
  await sql`insert into orders (id, params) values (${id}, ${sql.json({ ...params })}) on conflict do nothing`;
}

/** The orders without an outcome. Deliver each again every few minutes: a worker that died may hold it for hours. */
export async function open(): Promise<string[]> {
  return (await sql<{ id: string }[]>`select id from orders where outcome is null`).map(({ id }) => id);
}

/** Takes one step of an order; returns how long to wait before the next, in milliseconds, or undefined at its end. */
export async function step(id: string): Promise<number | undefined> {
  const [order] = await sql<{ params: CreateScreenshotsParams }[]>`
    select params from orders where id = ${id} and outcome is null`;
  if (order === undefined) return undefined;
  const result = await stepSet(client, { key: id, params: order.params, store });
  const { status, job, error } = result;
  const outcome = status === "succeeded" ? { slides: job?.result?.slides } : { error };
  if (status === "waiting") await sql`update orders set problem = ${error?.message ?? null} where id = ${id}`;
  else await sql`update orders set outcome = ${JSON.stringify(outcome)}::text::jsonb where id = ${id}`;
  return result.delayMs;
}
