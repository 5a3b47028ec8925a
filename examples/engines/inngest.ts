/**
 * Orders on Inngest, which repeats a step whose process died. Each of its steps takes one step of the set, which may be
 * repeated. Tests check its types.
 */
import { Inngest } from "inngest";
import { step as takeStep } from "./orders.js";

export const inngest = new Inngest({ id: "screenshot-sets" });

/** Plans the set of an order, which is in the table already: send `{ name: "set/ordered", data: { id } }`. */
export const planSet = inngest.createFunction(
  { id: "plan-set", triggers: { event: "set/ordered" } },
  async ({ event, step }) => {
    for (let index = 1; ; index++) {
      const delayMs = await step.run(`step ${index}`, () => takeStep(String(event.data.id)));
      if (typeof delayMs !== "number") return;
      await step.sleep(`wait ${index}`, delayMs);
    }
  },
);
