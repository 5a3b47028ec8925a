/** A workflow of Temporal, whose activity is `step`. Tests check its types and bundle it, but have no server to run it. */
import { proxyActivities, sleep } from "@temporalio/workflow";
import type * as orders from "./orders.js";

const { step } = proxyActivities<Pick<typeof orders, "step">>({ startToCloseTimeout: "10m" });

/** Plans the set of an order, which is in the table already. */
export async function planSet(id: string): Promise<void> {
  for (let delayMs = await step(id); delayMs !== undefined; delayMs = await step(id)) await sleep(delayMs);
}
