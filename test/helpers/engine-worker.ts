import { setTimeout } from "node:timers/promises";
import { recordAge } from "../../src/durable/record-age.js";
import { stepDelays } from "../../src/durable/step.js";

// Runs a sample for an engine, with times that are short enough for a test, until its parent kills it. Places the orders
// that its parent sends. A sample that takes none ends by itself.

Object.assign(recordAge, { longestTimeoutMs: 0, graceMs: Number(process.env.IN_FLIGHT_MS ?? 30_000) });
Object.assign(stepDelays, { heldMs: 1_000 });

const { handler, order } = await import("./engine-sample.js");
if (handler) void serve(handler);
process.send?.("ready");

if (order) {
  process.on("message", async ({ id, params }: { id: string; params: Parameters<typeof order>[1] }) => {
    const place = () =>
      order(id, params).then(
        () => true,
        () => false,
      );
    // As a client does whose order failed, until the process ends.
    while (!(await place())) await setTimeout(100, undefined, { ref: false });
    process.send?.(id);
  });
  process.once("SIGTERM", () => process.channel?.unref());
  // The parent may die first, or may have died already.
  process.once("disconnect", () => process.exit());
  if (!process.connected) process.exit();
}

/** Hands the messages of a queue to a handler, as AWS Lambda does: what it has handled is deleted. */
async function serve(handle: NonNullable<typeof handler>): Promise<never> {
  const queue = process.env.QUEUE_URL ?? "";
  for (;;) {
    const { id, body } = (await (await fetch(queue)).json()) as { id?: string; body?: string };
    if (id === undefined) await setTimeout(100);
    else
      await handle({ Records: [{ body }] }).then(
        () => fetch(queue + id, { method: "DELETE" }),
        () => {},
      );
  }
}
