/**
 * A workflow of Vercel's Workflow SDK, which may run a step twice, even one without retries. Each of its steps takes one step
 * of the set, which may be repeated. Tests check its types.
 */
import { sleep } from "workflow";
import { step } from "./orders.js";

/** Plans the set of an order, which is in the table already. */
export async function planSet(id: string): Promise<void> {
  "use workflow";
  for (let delayMs = await takeStep(id); typeof delayMs === "number"; delayMs = await takeStep(id)) {
    await sleep(delayMs);
  }
}

async function takeStep(id: string): Promise<number | undefined> {
  "use step";
  return step(id);
}
