import { ApiError, ScreenshotSets, ScreenshotSetsError } from "screenshot-sets";

const client = new ScreenshotSets();

/** What every app here does: plans a set for a request, or says what the failure did to the credits. */
export async function planSet({ iosUrl, device }) {
  try {
    const { appId } = await client.apps.create({ iosUrl });
    const { status, result } = await client.screenshots.createAndWait({ appId, device, count: 3 });
    return { status: 201, body: { status, slides: result.slides.length } };
  } catch (error) {
    if (!(error instanceof ScreenshotSetsError)) throw error;
    const status = error instanceof ApiError ? error.status : 502;
    return { status, body: { name: error.name, charged: error.charged } };
  }
}
