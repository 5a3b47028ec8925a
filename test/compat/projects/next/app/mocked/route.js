import { ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";

export const dynamic = "force-dynamic";

export async function GET() {
  const client = new ScreenshotSets(createMock().clientOptions);
  const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
  const { status, credits } = await client.screenshots.createAndWait({ appId, device: "iphone-69" });
  return Response.json({ status, credits });
}
