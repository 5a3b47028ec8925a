/** Orders on DBOS, which runs a step again whose process died before its result was stored: a bare create is paid twice. */
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

// DBOS goes on only with workflows of the same version, which by default it derives from their code.
DBOS.setConfig({ name: "sets", applicationVersion: "1", systemDatabaseUrl: process.env.DATABASE_URL ?? "" });
await DBOS.launch();

process.once("SIGTERM", async () => {
  await DBOS.shutdown();
  // It does not wait for steps, and a create that is cut off may have been charged.
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
