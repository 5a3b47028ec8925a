import { ScreenshotSets, ScreenshotSetsError } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";

let shared;

/** A client for this request alone, or one that all requests of this worker share. */
function clientFor(path, { apiKey, baseUrl }) {
  if (path !== "/shared") return new ScreenshotSets({ apiKey, baseUrl });
  shared ??= new ScreenshotSets({ apiKey, baseUrl });
  return shared;
}

async function planSet(client) {
  const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
  return client.screenshots.createAndWait({ appId, device: "iphone-69" });
}

export default {
  async fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url);
    const jobId = searchParams.get("wait");
    const client =
      pathname === "/mocked"
        ? new ScreenshotSets(createMock({ clock: "system" }).clientOptions)
        : clientFor(pathname, env);
    try {
      const { status, credits } = await (jobId ? client.waitForJob(jobId) : planSet(client));
      return Response.json({ status, credits });
    } catch (error) {
      if (!(error instanceof ScreenshotSetsError)) throw error;
      const { name, message, charged } = error;
      return Response.json({ name, message, charged }, { status: 502 });
    }
  },
};
