import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CreateScreenshotsParams, ScreenshotSets } from "screenshot-sets";
import { fileStore, runBatch } from "screenshot-sets/batch";

// Plans a set for each listing and device, within a budget, and writes the slides of each into a folder. It may die at
// any time: run it again with the same folder. The same from the command line: `screenshot-sets batch sets.json`.

const devices = ["iphone-69", "ipad-pro"] as const;

/**
 * @param appIds the apps of the listings, by language; creating one is a request of its own, so keep its id
 * @param folder where the slides and the state of the batch go
 * @returns the keys of the sets that need a person, and why
 */
export async function planListings(
  client: ScreenshotSets,
  appIds: Record<string, string>,
  folder: string,
): Promise<Record<string, string>> {
  await mkdir(folder, { recursive: true });
  const sets: Record<string, CreateScreenshotsParams> = {};
  for (const [language, appId] of Object.entries(appIds)) {
    for (const device of devices) sets[`${language}-${device}`] = { appId, device };
  }

  const problems: Record<string, string> = {};
  const batch = runBatch(client, { sets, store: fileStore(join(folder, "state.json")), maxCredits: 250 });
  for await (const { key, status, job, error, reason } of batch) {
    if (job) await writeFile(join(folder, `${key}.json`), JSON.stringify(job.result.slides));
    else problems[key] = `${status}: ${reason ?? error?.message ?? "run it again"}`;
  }
  return problems;
}
