import { ScreenshotSets } from "screenshot-sets";

// Prints how a create ended. The first call leaves a connection behind that the create may go out on.
const client = new ScreenshotSets({ timeoutMs: 2000 });
if (process.env.KEPT) await client.jobs.get("job_1");
const outcome = await client.screenshots
  .create({ appId: "app_1", device: "iphone-69" })
  .then(({ jobId }) => ({ jobId }))
  .catch(({ name, charged, attempts }) => ({ name, charged, attempts }));
console.log(JSON.stringify(outcome));
process.exit();
