/** Orders on DBOS, which repeats a step whose process died before its result was stored: a bare create may be paid twice. */
import { DBOS } from "@dbos-inc/dbos-sdk";
import type { CreateScreenshotsParams } from "screenshot-sets";
import { place, step } from "./orders.js";

const options = { retriesAllowed: true, intervalSeconds: 10, backoffRate: 1, maxAttempts: 1_000_000 };
const steps = new Set<Promise<unknown>>();

const planSet = DBOS.registerWorkflow(
  async (id: string) => {
    for (;;) {
      const delayMs = await DBOS.runStep(() => watched(step(id)), { name: "step", ...options });
      if (delayMs === undefined) return;
      await DBOS.sleep(delayMs);
    }
  },
  { name: "planSet", maxRecoveryAttempts: 1_000_000 },
);

// DBOS resumes only workflows of the same version, which it derives from their code by default.
DBOS.setConfig({ name: "sets", applicationVersion: "1", systemDatabaseUrl: process.env.DATABASE_URL ?? "" });
await DBOS.launch();

process.once("SIGTERM", async () => {
  await DBOS.shutdown();
  // DBOS does not wait for steps, and a create that is cut off may have been charged.
  await Promise.allSettled(steps);
  process.exit();
});

function watched<Value>(step: Promise<Value>): Promise<Value> {
  steps.add(step);
  return step.finally(() => steps.delete(step));
}

/** Plans a set. To call it again with the same `id` does nothing; `DBOS.forkWorkflow(id, 0)` delivers an order again. */
export async function order(id: string, params: CreateScreenshotsParams): Promise<void> {
  await place(id, params);
  await DBOS.startWorkflow(planSet, { workflowID: id })(id);
}
