import { parentPort } from "node:worker_threads";
import { ScreenshotSets } from "screenshot-sets";

const client = new ScreenshotSets();

parentPort.on("message", async ({ iosUrl, device }) => {
  try {
    const { appId } = await client.apps.create({ iosUrl });
    const onUpdate = ({ status }) => parentPort.postMessage({ status });
    parentPort.postMessage({ job: await client.screenshots.createAndWait({ appId, device }, { onUpdate }) });
  } catch (error) {
    parentPort.postMessage({ error });
  }
});
