import { ourMock } from "../contestants.js";

const { createMock } = await ourMock();
// The job does not change, so every read has the same answer.
const mock = createMock({ allowance: 1_000_000_000, lifecycle: "manual" });
const { apiKey, baseUrl, fetch } = mock.clientOptions;
const post = (path: string, body: object) =>
  fetch(baseUrl + path, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}` },
    body: JSON.stringify(body),
  });

await post("/public/v1/apps", { iosUrl: "https://apps.apple.com/us/app/example/id1234567890" });
await post("/public/v1/screenshots", { appId: "app_1", device: "iphone-69", count: 5 });
const { url, pageUrl } = await mock.listen({ page: process.argv.includes("--page") });
process.send?.({ url, apiKey, pageUrl });
process.on("message", () => process.send?.(process.cpuUsage()));
process.once("disconnect", () => process.exit());
