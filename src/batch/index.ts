/**
 * Plans many sets within a budget, in a process that may die: each set is charged at most once, and a later run goes on
 * where the last one was.
 *
 * @example
 * ```ts
 * import { ScreenshotSets } from "screenshot-sets";
 * import { runBatch } from "screenshot-sets/batch";
 *
 * const client = new ScreenshotSets();
 * const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1234567890" });
 * const sets = {
 *   "us/iphone-69": { appId, device: "iphone-69" },
 *   "us/ipad-pro": { appId, device: "ipad-pro" },
 * } as const;
 * for await (const { key, status, job, error } of runBatch(client, { sets, maxCredits: 250 })) {
 *   console.log(key, status, job?.result.slides ?? error);
 * }
 * ```
 *
 * @module screenshot-sets/batch
 */

export { memoryStore, type SetStore, type StoredSet } from "../durable/set-store.js";
export type { BatchOptions } from "./batch-options.js";
export { type FileStore, fileStore } from "./file-store.js";
export { runBatch } from "./run-batch.js";
export type {
  FailedSet,
  SetOutcome,
  SkippedSet,
  SucceededSet,
  UncertainSet,
  WaitingSet,
} from "./set-outcome.js";
