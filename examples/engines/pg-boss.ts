/**
 * Sets on pg-boss 12, which needs Node 22.12. On Node 20, the same works with pg-boss 10, whose import is
 * `import PgBoss from "pg-boss"`.
 */
import { PgBoss } from "pg-boss";
import type { CreateScreenshotsParams } from "screenshot-sets";
import { insert, sql, step } from "./postgres.js";

const boss = new PgBoss(process.env.DATABASE_URL ?? "");
boss.on("error", console.error);
await boss.start();
await boss.createQueue("sets", {
  // One delivery of a set waits at most, so a second one makes no more of them.
  policy: "short",
  // If a process dies, or a step throws, the set is delivered again. Few steps take five minutes.
  ...{ expireInSeconds: 300, retryLimit: 1_000_000, retryDelay: 10 },
});

// By default, pg-boss takes one job every two seconds. This takes twenty a second, in each process.
for (let workers = 0; workers < 10; workers++) {
  await boss.work<{ id: string }>("sets", { pollingIntervalSeconds: 0.5 }, async (jobs) => {
    for (const { data } of jobs) {
      const delayMs = await step(data.id);
      // Sets that were begun come before those that were not.
      if (delayMs !== undefined) await deliver(data.id, { startAfter: delayMs / 1_000, priority: 1 });
    }
  });
}

process.once("SIGTERM", async () => {
  await boss.stop();
  await sql.end();
});

/** Plans a set. To call it again with the same `id` does no harm. */
export async function order(id: string, params: CreateScreenshotsParams): Promise<void> {
  await insert(id, params);
  await deliver(id);
}

function deliver(id: string, options: object = {}) {
  return boss.send("sets", { id }, { singletonKey: id, ...options });
}
