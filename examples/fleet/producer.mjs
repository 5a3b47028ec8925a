// node producer.mjs STORE_URL …
import { ScreenshotSets } from "screenshot-sets";
import { createScreenshotsParams } from "screenshot-sets/schema";
import { openQueue } from "./queue.mjs";

const client = new ScreenshotSets(); // reads SCREENSHOT_SETS_API_KEY and SCREENSHOT_SETS_BASE_URL
const queue = openQueue();

for (const url of process.argv.slice(2)) {
  const { appId } = await client.apps.create(
    url.includes("apple.com") ? { iosUrl: url } : { androidUrl: url },
  );
  const params = { appId, device: url.includes("apple.com") ? "iphone-69" : "android-phone" };
  // What a worker would refuse is not added.
  const { issues } = createScreenshotsParams["~standard"].validate(params);
  if (issues) throw new Error(issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "));
  const job = await queue.add(
    "set",
    { params },
    {
      // A set of the same app that is added twice is planned once, as long as BullMQ keeps the job.
      jobId: `set-${appId}`,
      // Accepted sets are polled before new ones are begun.
      priority: 1,
      // A set that is refused for lack of credits is retried for a day.
      attempts: 48,
      backoff: { type: "fixed", delay: 1_800_000 },
      // BullMQ keeps the job for a week.
      removeOnComplete: { age: 7 * 86_400, count: 1_000 },
    },
  );
  console.log(`Added ${job.id}.`);
}
await queue.close();
