/** Sets on pg-boss: it delivers the id of a set, and again after each step. */
import { PgBoss } from "pg-boss";
import { ScreenshotSets } from "screenshot-sets";
import { stepSet } from "screenshot-sets/durable";
import { end, type SetRow, saver, sql } from "./postgres.js";

const client = new ScreenshotSets();
const boss = new PgBoss(process.env.DATABASE_URL ?? "");
boss.on("error", console.error);
await boss.start();
await boss.createQueue("sets");

await boss.work<{ id: string }>("sets", async (jobs) => {
  for (const { data } of jobs) {
    const [row] = await sql<SetRow[]>`select id, params, state from sets where id = ${data.id}`;
    if (row === undefined) continue;
    const save = saver(row);
    const result = await stepSet(client, row, save);
    if (result.status === "waiting") {
      await save(result.state);
      await boss.send("sets", data, { startAfter: Math.ceil(result.delayMs / 1_000) });
    } else {
      await end(row.id, result.job.result);
    }
  }
});
