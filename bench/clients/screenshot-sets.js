import { ScreenshotSets } from "../../dist/index.js";
import { apiKey } from "./key.js";

export function caller(baseUrl) {
  const client = new ScreenshotSets({ apiKey, baseUrl });
  return () => client.screenshots.create({ appId: "app_1", device: "iphone-69", count: 5 });
}
