import { expect, test } from "vitest";
import { changed, exampleDocument, issuesOf, load, resultOf } from "../helpers/generated-module.js";

const set = { appId: "app", device: "iphone-69", count: 5 };
const succeeded = {
  id: "job",
  status: "succeeded",
  result: { device: "iphone-69", slides: [{ title: "One" }] },
  error: null,
};

test("a changed limit, list of values or required field changes what is accepted", async () => {
  const own = await load(exampleDocument());
  const other = await load(
    changed(({ components: { schemas } }) => {
      schemas.CreateAppRequest.properties.extraContext.maxLength = 3;
      schemas.Device.enum = ["iphone-69", "vision-pro"];
      schemas.CreateScreenshotsRequest.properties.count.maximum = 12;
      schemas.CreateScreenshotsRequest.properties.count.default = 7;
      schemas.CreateScreenshotsRequest.properties.locale = { type: "string" };
      schemas.CreateScreenshotsRequest.required.push("locale", "captionLength");
    }),
  );
  const app = { iosUrl: "https://apps.apple.com/app", extraContext: "a\u{1f600}bc" };
  expect(issuesOf(own.createApp.body, app)).toEqual([]);
  expect(issuesOf(other.createApp.body, app)).toEqual([
    { path: "extraContext", message: "Expected at most 3 characters, got 4" },
  ]);
  const bold = { ...set, count: 12, device: "vision-pro", captionLength: "long", locale: "de" };
  expect(issuesOf(own.createScreenshots.body, bold).map(({ path }) => path)).toEqual(["count", "device"]);
  expect(issuesOf(other.createScreenshots.body, bold)).toEqual([]);
  // What has a default, as the length of captions has, need not be given.
  expect(issuesOf(other.createScreenshots.body, set).map(({ path }) => path)).toEqual(["locale"]);
  expect(other.devices).toEqual(["iphone-69", "vision-pro"]);
  expect(other.defaultCount).toBe(7);
});

test("answers keep unknown fields and pass unknown values", async () => {
  const { getJob } = await load(exampleDocument());
  const later = { ...succeeded, status: "paused", priority: 1 };
  later.result.device = "vision-pro";
  expect(resultOf(getJob.answer, later)).toEqual({ ok: true, value: later });
  expect(issuesOf(getJob.answer, { ...succeeded, id: 7 })).toEqual([
    { path: "id", message: "Expected a string, got a number" },
  ]);
});

test("known operations are found by method and path, under a prefix and other names too", async () => {
  const { createApp, getJob, operations } = await load(
    changed((document) => {
      document.servers = [{ url: "https://api.test" }];
      const move = (from: string, to: string) => {
        document.paths[to] = document.paths[from];
        delete document.paths[from];
      };
      move("/public/v1/apps", "/api/v1/public/v1/apps");
      move("/public/v1/screenshots", "/api/v1/public/v1/screenshots");
      move("/public/v1/jobs/{id}", "/api/v1/public/v1/jobs/{jobId}");
      document.paths["/api/v1/public/v1/jobs/{jobId}"].get.parameters[0].name = "jobId";
      document.paths["/api/v1/public/v1/apps"].post.operationId = "getJob";
      document.paths["/api/v1/public/v1/gained"] = { get: { responses: { 204: { description: "None." } } } };
    }),
  );
  expect(createApp).toMatchObject({ name: "createApp", method: "POST", path: "/public/v1/apps" });
  expect(getJob).toMatchObject({ path: "/public/v1/jobs/{id}", pathParameters: ["id"] });
  const names = operations.map(({ name }) => name);
  expect(names.slice(0, 3)).toEqual(["createApp", "createScreenshots", "getJob"]);
  expect(names).toContain("GET /public/v1/gained");
});

test("a schema that refers to itself is checked at every depth", async () => {
  const { getJob } = await load(
    changed(({ components: { schemas } }) => {
      schemas.Slide = {
        type: "object",
        required: ["layers"],
        properties: { layers: { type: "array", items: { $ref: "#/components/schemas/Slide" } } },
      };
      schemas.Job.properties.result.properties.slides.items = { $ref: "#/components/schemas/Slide" };
    }),
  );
  const slides = [{ layers: [{ layers: [] }, { layers: [{}] }] }];
  const answer = { ...succeeded, result: { device: "ipad-pro", slides } };
  expect(issuesOf(getJob.answer, answer)).toEqual([
    { path: "result.slides.0.layers.1.layers.0.layers", message: "Expected an array, got undefined" },
  ]);
});

test("a body is checked against every constraint that the document states, in 3.0 as well", async () => {
  const { createApp } = await load(
    changed((document) => {
      document.openapi = "3.0.3";
      const body = document.components.schemas.CreateAppRequest;
      document.components.schemas.Locale = { type: "string", pattern: "^[a-z]{2}$" };
      Object.assign(body.properties, {
        ratio: { type: "number", minimum: 0, exclusiveMinimum: true, maximum: 1, multipleOf: 0.25 },
        locale: { allOf: [{ $ref: "#/components/schemas/Locale" }], nullable: true },
        tags: { type: "array", minItems: 1, maxItems: 2, uniqueItems: true, items: { type: "string" } },
        target: { oneOf: [{ type: "string" }, { type: "integer" }] },
      });
      body.additionalProperties = false;
    }),
  );
  const issues = (fields: object) => issuesOf(createApp.body, { iosUrl: "https://example.com", ...fields });
  expect(issues({ ratio: 0.25, locale: null, tags: ["a"], target: 1 })).toEqual([]);
  for (const wrong of [
    ...[{ ratio: 0 }, { ratio: 1.25 }, { ratio: 0.3 }, { locale: "deu" }, { tags: [] }, { tags: ["a", "a"] }],
    ...[{ tags: ["a", "b", "c"] }, { target: true }, { other: 1 }],
  ]) {
    expect(issues(wrong), JSON.stringify(wrong)).toHaveLength(1);
  }
});

test.each([
  ...["\\Ahttps://.*\\z", "^https://.*\\Z", "^https:.{10, 2000}$", "^https:.{,2000}$", "^[[:print:]]+$"],
  ...[
    "^\\p{Graph}+$",
    "(?i)^HTTPS://",
    "(?i:HTTPS)",
    "^h++",
    "^(?>https)",
    "(?P<scheme>https)",
    "^\\h",
    "\\pL",
  ],
  ...["[a-z&&[^b]]", "[]h]", "/^HTTPS/i", "(", "\\<https\\>", "^[^\\v]+$", "^\\p{Lower}+$", "^[a-z\\x{e4}]$"],
])("the pattern %s, which is not surely JavaScript's, is left to the service", async (pattern) => {
  const { createApp } = await load(
    changed(({ components }) => (components.schemas.CreateAppRequest.properties.iosUrl.pattern = pattern)),
  );
  expect(issuesOf(createApp.body, { iosUrl: "https://apps.apple.com/app/id1" })).toEqual([]);
  expect(issuesOf(createApp.body, { iosUrl: "" })).toHaveLength(1);
});

test.each([
  ["^https://[\\p{L}\\d\\-\\_\\.\\/]+$", ["https://a-b_c.de/1", "https://ä.de"], ["https://a b"]],
  ["^\\w+$", ["abc", "Zoë"], ["a b"]],
  ["^[a-z]{2}$", ["de"], ["dë", "deu"]],
])(
  "a pattern of JavaScript is checked, but for what other languages count as words: %s",
  async (pattern, right, wrong) => {
    const { createApp } = await load(
      changed(({ components }) => (components.schemas.CreateAppRequest.properties.iosUrl.pattern = pattern)),
    );
    for (const iosUrl of right) expect(issuesOf(createApp.body, { iosUrl })).toEqual([]);
    for (const iosUrl of wrong) expect(issuesOf(createApp.body, { iosUrl })).toHaveLength(1);
  },
);
