/** Orders on pg-boss 12, for Node 22.12; or on Node 20 with pg-boss 10: `import PgBoss from "pg-boss"`. */
import { PgBoss } from "pg-boss";
import type { CreateScreenshotsParams } from "screenshot-sets";
import { place, sql, step } from "./orders.js";

const boss = new PgBoss(process.env.DATABASE_URL ?? "");
boss.on("error", console.error);
// Where the database does not take the end of a job, pg-boss 10 rejects a promise that nobody has, which would end the
// process and leave the creates in flight unclear. The job comes again.
process.on("unhandledRejection", console.error);
await boss.start();
// "short": at most one delivery of an order waits. A delivery whose process died, or whose step threw, comes again.
const again = { expireInSeconds: 600, retryLimit: 1_000_000, retryDelay: 10 };
await boss.createQueue("sets", { policy: "short", ...again });

// By default, pg-boss takes one job every two seconds. This takes twenty a second, in each process.
for (let workers = 0; workers < 10; workers++) {
  await boss.work<{ id: string }>("sets", { pollingIntervalSeconds: 0.5 }, async (jobs) => {
    for (const { data } of jobs) {
      const delayMs = await step(data.id);
      // Sets that were begun come before new ones.
      if (delayMs !== undefined) await deliver(data.id, { startAfter: delayMs / 1_000, priority: 1 });
    }
  });
}

process.once("SIGTERM", () => boss.stop().then(() => sql.end()));

/** Plans a set. To call it again with the same `id` does no harm. */
export async function order(id: string, params: CreateScreenshotsParams): Promise<void> {
  await place(id, params);
  await deliver(id);
}

const deliver = (id: string, options = {}) => boss.send("sets", { id }, { singletonKey: id, ...options });
