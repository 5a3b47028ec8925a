/** The record of a set as a row of PostgreSQL, for engines that keep no record of their own. */
import postgres from "postgres";
import type { CreateScreenshotsParams } from "screenshot-sets";
import type { SetState } from "screenshot-sets/durable";

// create table sets (id text primary key, params jsonb not null, state jsonb, outcome jsonb,
//   due_at timestamptz default now());
export const sql = postgres(process.env.DATABASE_URL ?? "");

export interface SetRow {
  id: string;
  params: CreateScreenshotsParams;
  state: SetState | null;
}

const json = (value: object) => sql.json(value as postgres.JSONValue);

/** Saves the states of a set which was read with `state`; rejects if another process has saved one since. */
export function saver({ id, state }: SetRow): (state: SetState | undefined) => Promise<void> {
  let known = state && json(state);
  return async (next) => {
    const stored = next ? json(next) : null;
    const { count } = await sql`update sets set state = ${stored}
      where id = ${id} and state is not distinct from ${known}`;
    if (count === 0) throw new Error("Another process has this set.");
    known = stored;
  };
}

/** Stores how a set ended, so that it is not due again. */
export async function end(id: string, outcome: object): Promise<void> {
  await sql`update sets set due_at = null, outcome = ${json(outcome)} where id = ${id}`;
}
