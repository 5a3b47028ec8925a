/** A cron job: it takes the sets that are due, one step each, and is started again every minute or so. */
import {
  CreateInterruptedError,
  JobFailedError,
  JobTimeoutError,
  ScreenshotSets,
  ScreenshotSetsError,
} from "screenshot-sets";
import { stepSet } from "screenshot-sets/durable";
import { end, type SetRow, saver, sql } from "./postgres.js";

const client = new ScreenshotSets();
const lastErrors = [JobFailedError, JobTimeoutError, CreateInterruptedError];

const due = await sql<SetRow[]>`update sets set due_at = now() + interval '5 minutes'
  where id in (select id from sets where due_at <= now() for update skip locked limit 50)
  returning id, params, state`;
for (const row of due) await step(row);
await sql.end();

async function step(row: SetRow): Promise<void> {
  const save = saver(row);
  try {
    const result = await stepSet(client, row, save);
    if (result.status === "succeeded") return await end(row.id, result.job.result);
    await save(result.state);
    await sql`update sets set due_at = now() + ${result.delayMs} * interval '1 ms' where id = ${row.id}`;
  } catch (error) {
    // After any other error, such as one of the database or a refused look, the set is due again in five minutes.
    if (!(error instanceof ScreenshotSetsError)) throw error;
    const isLast = error.charged !== "yes" || lastErrors.some((one) => error instanceof one);
    if (isLast) await end(row.id, { error: error.message, charged: error.charged });
  }
}
