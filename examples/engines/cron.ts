/**
 * A cron job: each run takes a step of every order that is due, and ends. Start it every minute; two at once do no harm. In
 * a scheduler within a process (node-cron, bree, toad-scheduler), the loop is the task.
 */
import { sql, step } from "./orders.js";

const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());

while (!stop.signal.aborted) {
  // An order is due again after ten minutes if this run dies, or if its step throws. Few steps take that long.
  const due = await sql<{ id: string }[]>`update orders set due_at = now() + interval '10 minutes'
    where id in (
      select id from orders where outcome is null and due_at <= now() order by due_at limit 10 for update skip locked
    ) returning id`;
  if (due.length === 0) break;
  const steps = due.map(async ({ id }) => {
    const delayMs = await step(id);
    if (delayMs === undefined) return;
    await sql`update orders set due_at = now() + ${delayMs} * interval '1 ms' where id = ${id}`;
  });
  for (const done of await Promise.allSettled(steps)) {
    if (done.status === "rejected") console.error(done.reason);
  }
}
await sql.end();
