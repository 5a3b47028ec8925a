/**
 * Plans a set in steps and stores its record in between: for queues, workflows and cron jobs, where a process may die at
 * any time. A set is charged at most once.
 *
 * @example
 * ```ts
 * import { setTimeout } from "node:timers/promises";
 * import { ScreenshotSets } from "screenshot-sets";
 * import { memoryStore, stepSet } from "screenshot-sets/durable";
 *
 * const client = new ScreenshotSets();
 * const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1234567890" });
 * const store = memoryStore(); // in production, `postgresStore` of "screenshot-sets/postgres"
 * const set = { key: "order-7", params: { appId, device: "iphone-69" }, store } as const;
 *
 * let result = await stepSet(client, set);
 * while (result.status === "waiting") {
 *   await setTimeout(result.delayMs); // a queue would deliver it again then, to any process
 *   result = await stepSet(client, set);
 * }
 * console.log(result.status, result.job?.result.slides ?? result.error);
 * ```
 *
 * @module screenshot-sets/durable
 */

export type { SetState } from "./set-state.js";
export { memoryStore, type SetStore, type StoredSet } from "./set-store.js";
export type { StepOptions } from "./step-options.js";
export type { StepResult } from "./step-result.js";
export { stepSet } from "./step-set.js";
