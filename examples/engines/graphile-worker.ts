/** Orders on graphile-worker, which keeps the lock of a worker that died for four hours: see `deliverAll`. */
import { run } from "graphile-worker";
import type { CreateScreenshotsParams } from "screenshot-sets";
import { open, place, step } from "./orders.js";

const steps = new Set<Promise<unknown>>();

const runner = await run({
  connectionString: process.env.DATABASE_URL ?? "",
  concurrency: 10,
  noHandleSignals: true,
  // Without these, a job whose end cannot be stored ends the process at once, whatever creates are in flight.
  preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
  taskList: {
    async step(payload) {
      const { id } = payload as { id: string };
      const delayMs = await watched(step(id));
      if (delayMs !== undefined) await deliver(id, { runAt: new Date(Date.now() + delayMs) });
    },
  },
});

// An order that waits keeps its time. An order whose job is locked gets a second job, which never pays twice.
const deliverAll = async () => {
  for (const id of await open()) await deliver(id, { jobKeyMode: "preserve_run_at" });
};
setInterval(() => deliverAll().catch(console.error), 300_000);

let isToldToStop = false;
process.once("SIGTERM", () => {
  isToldToStop = true;
  return runner.stop().finally(() => process.exit());
});
// The runner also stops if the end of a job cannot be stored: have the process started again then.
runner.events.once("pool:gracefulShutdown", async () => {
  if (isToldToStop) return;
  await Promise.allSettled(steps);
  process.exit(1);
});
runner.promise.catch(console.error);

function watched<Value>(step: Promise<Value>): Promise<Value> {
  steps.add(step);
  return step.finally(() => steps.delete(step));
}

/** Plans a set. To call it again with the same `id` does no harm. */
export async function order(id: string, params: CreateScreenshotsParams): Promise<void> {
  await place(id, params);
  await deliver(id, {});
}

async function deliver(id: string, options: Parameters<typeof runner.addJob>[2]): Promise<void> {
  await runner.addJob("step", { id }, { jobKey: id, ...options });
}
