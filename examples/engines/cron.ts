/** A cron job: each run takes a step of every set that is due, and ends. Start it every minute; two at once do no harm. */
import { sql, step } from "./postgres.js";

let isStopped = false;
process.once("SIGTERM", () => {
  isStopped = true;
});

while (!isStopped) {
  // A set is due again after five minutes if this run dies, or if its step throws. Few steps take that long.
  const due = await sql<{ id: string }[]>`update sets set due_at = now() + interval '5 minutes'
    where id in (
      select id from sets where outcome is null and due_at <= now() order by due_at limit 10 for update skip locked
    ) returning id`;
  if (due.length === 0) break;
  const steps = due.map(async ({ id }) => {
    const delayMs = await step(id);
    if (delayMs === undefined) return;
    await sql`update sets set due_at = now() + ${delayMs} * interval '1 ms' where id = ${id}`;
  });
  for (const done of await Promise.allSettled(steps)) {
    if (done.status === "rejected") console.error(done.reason);
  }
}
await sql.end();
