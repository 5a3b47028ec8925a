import { ScreenshotSets } from "screenshot-sets";

// The key and the address come from the environment. A mock in a container of its own is reached over plain HTTP.
const client = new ScreenshotSets({ dangerouslyAllowHttp: true });

const app = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1234567890" });
const job = await client.screenshots.createAndWait({ appId: app.appId, device: "iphone-69" });
console.log(`${job.result.slides.length} slides`);
