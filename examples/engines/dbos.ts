/**
 * Sets on DBOS. It stores the result of each step, and runs a step again whose process died before that, even if it
 * allows no retries: a create in such a step is paid twice. `step` has a record of its own, and may be repeated.
 */
import { DBOS } from "@dbos-inc/dbos-sdk";
import type { CreateScreenshotsParams } from "screenshot-sets";
import { insert, settled, step } from "./postgres.js";

const options = {
  name: "step",
  retriesAllowed: true,
  intervalSeconds: 10,
  backoffRate: 1,
  maxAttempts: 1_000_000,
};

const planSet = DBOS.registerWorkflow(
  async (id: string) => {
    for (;;) {
      const delayMs = await DBOS.runStep(() => step(id), options);
      if (delayMs === undefined) return;
      await DBOS.sleep(delayMs);
    }
  },
  { name: "planSet", maxRecoveryAttempts: 1_000_000 },
);

// DBOS goes on only with workflows of the same version, which by default it derives from their code.
DBOS.setConfig({ name: "sets", applicationVersion: "1", systemDatabaseUrl: process.env.DATABASE_URL ?? "" });
await DBOS.launch();

process.once("SIGTERM", async () => {
  await DBOS.shutdown();
  await settled();
  process.exit();
});

/** Plans a set. To call it again with the same `id` does nothing; `DBOS.forkWorkflow(id, 0)` takes up a set once more. */
export async function order(id: string, params: CreateScreenshotsParams): Promise<void> {
  await insert(id, params);
  await DBOS.startWorkflow(planSet, { workflowID: id })(id);
}
