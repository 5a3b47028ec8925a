import { ourMock, ours } from "../contestants.js";

const [{ ScreenshotSets }, { createMock }] = [await ours(), await ourMock()];
// Unless its argument says that jobs end at once, the job does not change, so every read has the same answer.
const lifecycle = process.argv[2] === "instant" ? "instant" : "manual";
const mock = createMock({ allowance: 1_000_000_000, lifecycle });
const client = new ScreenshotSets(mock.clientOptions);
const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1234567890" });
await client.screenshots.create({ appId, device: "iphone-69", count: 5 });
const { url } = await mock.listen();
process.send?.({ url, apiKey: mock.clientOptions.apiKey });
process.once("disconnect", () => process.exit());
