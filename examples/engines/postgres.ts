/**
 * A set as a row of PostgreSQL, for engines that keep no record of their own, or that run a step again after a crash.
 *
 * ```sql
 * create table sets (
 *   id text primary key,     -- of your order, which is planned once, however often it is placed
 *   params jsonb not null,
 *   state jsonb,             -- only `stepSet` writes it; show its `status`, `jobId` and `credits`
 *   problem text,            -- why the set cannot go on for now
 *   outcome jsonb,           -- once it has ended: `{ slides }` or `{ error }`
 *   due_at timestamptz not null default now()  -- only for cron
 * );
 * ```
 */
import { setTimeout } from "node:timers/promises";
import postgres from "postgres";
import {
  ApiError,
  CreateInterruptedError,
  type CreateScreenshotsParams,
  InvalidRequestError,
  JobFailedError,
  JobTimeoutError,
  ScreenshotSets,
  ScreenshotSetsError,
} from "screenshot-sets";
import { type SetState, stepSet } from "screenshot-sets/durable";

export const sql = postgres(process.env.DATABASE_URL ?? "");
const client = new ScreenshotSets();

/** Adds a set, unless it is there already. */
export async function insert(id: string, params: CreateScreenshotsParams): Promise<void> {
  await sql`insert into sets (id, params) values (${id}, ${json(params)}) on conflict do nothing`;
}

/**
 * Takes one step of a set. Any process may repeat it at any time: the set is still charged once at most.
 *
 * @returns how long to wait before its next step, in milliseconds; undefined if the set has ended
 * @throws errors of the database, and if another process has changed the set: take the step again later
 */
export function step(id: string): Promise<number | undefined> {
  const step = takeStep(id);
  steps.add(step);
  const remove = () => steps.delete(step);
  step.then(remove, remove);
  return step;
}

const steps = new Set<Promise<unknown>>();

/** Resolves when no step is under way. A process that ends before that may leave a create unclear. */
export async function settled(): Promise<void> {
  while (steps.size > 0) await Promise.allSettled(steps);
}

async function takeStep(id: string): Promise<number | undefined> {
  const [row] = await sql<{ params: CreateScreenshotsParams; state: SetState | null }[]>`
    select params, state from sets where id = ${id} and outcome is null`;
  if (row === undefined) return undefined;
  const write = async (change: postgres.PendingQuery<[]>, next: SetState | null) => {
    // If the reply to a write was lost, the new state is found stored.
    const known = sql`state is not distinct from ${json(row.state)} or state is not distinct from ${json(next)}`;
    const { count } = await insist(
      () => sql`update sets set ${change}, problem = null where id = ${id} and (${known})`,
    );
    if (count === 0) throw new Error("Another process has changed this set.");
    row.state = next;
  };
  const end = (outcome: object) => write(sql`outcome = ${json(outcome)}`, row.state).then(() => undefined);
  try {
    const save = (state: SetState | null = null) => write(sql`state = ${json(state)}`, state);
    const result = await stepSet(client, row, save);
    return result.status === "waiting" ? result.delayMs : end({ slides: result.job.result.slides });
  } catch (error) {
    if (!(error instanceof ScreenshotSetsError)) throw error;
    if (isLast(error)) return end({ error });
    // There are no credits left, the key was revoked, a proxy is down: the set waits ten minutes, however often.
    await sql`update sets set problem = ${error.message} where id = ${id}`;
    return 600_000;
  }
}

/** Whether a set ends with an error: its job failed, it may have been charged, or its parameters are wrong. */
function isLast(error: ScreenshotSetsError): boolean {
  const ends = [JobFailedError, JobTimeoutError, CreateInterruptedError, InvalidRequestError];
  if (ends.some((one) => error instanceof one)) return true;
  return error.charged === "no" && error instanceof ApiError && [400, 404, 422].includes(error.status);
}

/** Tries for two minutes, since a database comes back, and the id of a paid job does not. */
async function insist<Result>(query: () => Promise<Result>): Promise<Result> {
  for (const until = Date.now() + 120_000; ; await setTimeout(1_000)) {
    try {
      return await query();
    } catch (error) {
      if (Date.now() > until) throw error;
    }
  }
}

const json = (value: object | null) => value && sql.json(value as postgres.JSONValue);
