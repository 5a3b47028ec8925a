import { type InvalidRequestError, ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { createAppParams, createScreenshotsParams } from "screenshot-sets/schema";
import { expect, test } from "vitest";
import { rejection } from "./helpers/rejection.js";

const mock = createMock();
const client = new ScreenshotSets(mock.clientOptions);
const app = {
  schema: createAppParams,
  create: (params: unknown) => client.apps.create(params as never),
};
const set = {
  schema: createScreenshotsParams,
  create: (params: unknown) => client.screenshots.create(params as never),
};

test.each([
  { of: app, params: {} },
  { of: app, params: { iosUrl: "" } },
  { of: app, params: { iosUrl: "https://apps.apple.com/app/id1", extraContext: "x".repeat(2001) } },
  { of: set, params: undefined },
  { of: set, params: [] },
  { of: set, params: { device: "iphone-69" } },
  { of: set, params: { appId: "app_1", device: "iphone-1", count: 2.5, captionLength: 7 } },
])("refuses $params in the words of the method", async ({ of: { schema, create }, params }) => {
  const { issues } = schema["~standard"].validate(params);
  const error = (await rejection(create(params))) as InvalidRequestError;
  expect(issues?.map(({ path, message }) => ({ path: path.join("."), message }))).toEqual(error.issues);
});

test("gives back the parameters with the document's default, and with what the document does not have", () => {
  const params = { appId: "app_1", device: "iphone-69", mood: "calm" };
  expect(createScreenshotsParams["~standard"].validate(params)).toEqual({ value: { ...params, count: 5 } });
});

test("is what a library takes for a schema of the kind", () => {
  expect({ iosUrl: "https://apps.apple.com/app/id1" }).toEqual(expect.schemaMatching(createAppParams));
  expect({ iosUrl: 1 }).not.toEqual(expect.schemaMatching(createAppParams));
});
