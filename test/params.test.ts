import fc from "fast-check";
import { InvalidRequestError, ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { createAppParams, createScreenshotsParams } from "screenshot-sets/schema";
import { expect, test } from "vitest";
import { defaultCount } from "../src/generated/values.js";
import { draws } from "./helpers/draws.js";
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

test("gives back the documented parameters alone, with the document's default", () => {
  const params = { appId: "app_1", device: "iphone-69" };
  const form = { ...params, priority: "rush", webhookUrl: "https://visitor.example" };
  expect(createScreenshotsParams["~standard"].validate(form)).toEqual({
    value: { ...params, count: defaultCount },
  });
});

/** What no request can hold, or no check can look through. */
const hostile = fc.constantFrom<() => unknown>(
  () => 5n,
  () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    return circle;
  },
  () => ({ toJSON: () => 1n }),
  () => Symbol("symbol"),
  () => () => {},
);

const names = "iosUrl androidUrl extraContext appId device count captionLength mood __proto__".split(" ");
const field = fc.record({
  name: fc.constantFrom(...names),
  value: fc.oneof(
    fc.constantFrom<unknown>("iphone-69", "https://apps.apple.com/app/id1", "short", 3, undefined),
    fc.anything({ withBigInt: true, withNullPrototype: true, maxDepth: 2 }),
    hostile.map((make) => make()),
  ),
  isAccessor: fc.constantFrom(false, false, false, true),
});

const drawn = fc.oneof(
  { weight: 1, arbitrary: fc.anything({ withBigInt: true, maxDepth: 1 }) },
  {
    weight: 9,
    arbitrary: fc.array(field, { maxLength: 5 }).map((fields) => {
      const object: object = {
        appId: "app_1",
        device: "iphone-69",
        iosUrl: "https://apps.apple.com/app/id1",
      };
      for (const { name, value, isAccessor } of fields) {
        const get = () => {
          throw new Error("boom");
        };
        const own = isAccessor ? { get } : { value };
        Object.defineProperty(object, name, { ...own, enumerable: true, configurable: true });
      }
      return object;
    }),
  },
);

test.each([
  { name: "createApp", ...app },
  { name: "createScreenshots", ...set },
])(
  "for any value, the schema and the method of $name agree, and neither throws anything else",
  async ({ schema, create }) => {
    const quiet = fc.asyncProperty(drawn, async (value) => {
      const { issues } = schema["~standard"].validate(value);
      const outcome: unknown = await create(value).catch((error: unknown) => error);
      const refused = outcome instanceof InvalidRequestError ? outcome.issues : undefined;
      expect(issues?.map(({ path, message }) => ({ path: path.join("."), message }))).toEqual(refused);
      if (refused === undefined) expect(outcome).not.toBeInstanceOf(TypeError);
    });
    await fc.assert(quiet, { numRuns: draws(10_000) });
  },
);

test("is what a library takes for a schema of the kind", () => {
  expect({ iosUrl: "https://apps.apple.com/app/id1" }).toEqual(expect.schemaMatching(createAppParams));
  expect({ iosUrl: 1 }).not.toEqual(expect.schemaMatching(createAppParams));
});
