import { join } from "node:path";
import { type CreateScreenshotsParams, ScreenshotSets } from "screenshot-sets";
import { fileStore, runBatch } from "screenshot-sets/batch";

// Several accounts in one process. Each has its own client, and so its own key, credits and rate limit; its own budget,
// and its own state. An account whose key is revoked, or whose credits are used up, does not stop the others.

/** An account for which sets are planned. */
export interface Tenant {
  /** Names its state: choose what stays, and only letters, digits and dashes. */
  id: string;
  apiKey: string;
  maxCredits: number;
  sets: Record<string, CreateScreenshotsParams>;
}

/**
 * @param options of all clients, such as `baseUrl`
 * @param folder where the state of each tenant is kept
 * @returns how many sets each tenant has, or the error that ended its batch
 */
export async function planForTenants(
  tenants: readonly Tenant[],
  options: ConstructorParameters<typeof ScreenshotSets>[0],
  folder: string,
): Promise<Map<string, number | Error>> {
  const planned = tenants.map(async ({ id, apiKey, maxCredits, sets }) => {
    const client = new ScreenshotSets({ ...options, apiKey });
    const batch = runBatch(client, { sets, maxCredits, store: fileStore(join(folder, `${id}.json`)) });
    let succeeded = 0;
    for await (const { status } of batch) if (status === "succeeded") succeeded++;
    return succeeded;
  });
  const ends = await Promise.allSettled(planned);
  return new Map(
    ends.map((end, index) => [tenants[index]?.id ?? "", end.status === "fulfilled" ? end.value : end.reason]),
  );
}
