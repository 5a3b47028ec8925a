/** Sends its parent how long a batch takes, in seconds. Arguments: `file` or `memory`, and the number of sets. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { built, ourMock, ours } from "../contestants.js";

const [kind, count = ""] = process.argv.slice(2);
const { ScreenshotSets } = await ours();
const { createMock } = await ourMock();
const { fileStore, runBatch } = await built<typeof import("screenshot-sets/batch")>("batch/index.js");

const folder = mkdtempSync(join(tmpdir(), "screenshot-sets-bench-"));
const mock = createMock({ allowance: 1_000_000_000, lifecycle: "instant" });
const client = new ScreenshotSets(mock.clientOptions);
const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1234567890" });
const keys = Array.from({ length: Number(count) }, (_, index) => `set-${index}`);
const sets = Object.fromEntries(keys.map((key) => [key, { appId, device: "iphone-69" as const }]));
const store = kind === "file" ? fileStore(join(folder, "state.json")) : undefined;

const startedAt = performance.now();
for await (const { status, error } of runBatch(client, { sets, concurrency: 16, store })) {
  if (status !== "succeeded") throw error;
}
process.send?.((performance.now() - startedAt) / 1_000);
rmSync(folder, { recursive: true });
