/**
 * Plans a set in steps and stores its state in between: for queues, workflows and cron jobs, where a process may die at
 * any time. A set is charged at most once.
 *
 * @example
 * ```ts
 * import { setTimeout } from "node:timers/promises";
 * import { ScreenshotSets } from "screenshot-sets";
 * import { type SetState, stepSet } from "screenshot-sets/durable";
 *
 * const client = new ScreenshotSets();
 * const app = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1234567890" });
 * const params = { appId: app.appId, device: "iphone-69" } as const;
 *
 * let row: SetState | undefined; // a row of your database
 * const save = async (state: SetState | undefined) => void (row = state);
 * for (;;) {
 *   const result = await stepSet(client, { params, state: row }, save);
 *   if (result.status === "succeeded") {
 *     console.log(result.job.result.slides);
 *     break;
 *   }
 *   await setTimeout(result.delayMs); // a queue would deliver it again then, to any process
 * }
 * ```
 *
 * @module screenshot-sets/durable
 */

export type { SetState } from "./set-state.js";
export type { StepResult } from "./step.js";
export type { StepOptions } from "./step-options.js";
export { stepSet } from "./step-set.js";
