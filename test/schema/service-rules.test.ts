import { expect, test } from "vitest";
import { changed, exampleDocument, generate, issuesOf, load } from "../helpers/generated-module.js";

const set = { appId: "app", device: "iphone-69", count: 5 };

test("a body without a store URL is one issue, whether or not the document states the rule", async () => {
  const documents = [
    exampleDocument(),
    changed(({ components }) => delete components.schemas.CreateAppRequest.anyOf),
    changed(({ components }) => {
      const { anyOf, ...body } = components.schemas.CreateAppRequest;
      components.schemas.CreateAppRequest = {
        oneOf: anyOf.map((branch: object) => ({ ...body, ...branch })),
      };
    }),
  ];
  for (const document of documents) {
    const { createApp } = await load(document);
    expect(issuesOf(createApp.body, { extraContext: "calm" })).toEqual([
      { path: "", message: "Expected iosUrl, androidUrl or both" },
    ]);
    expect(issuesOf(createApp.body, { iosUrl: 1 }).map(({ path }) => path)).toEqual(["iosUrl"]);
    expect(issuesOf(createApp.body, { iosUrl: "" }).map(({ path }) => path)).toEqual(["iosUrl"]);
    expect(issuesOf(createApp.body, { iosUrl: "a", androidUrl: "b", later: true })).toEqual([]);
    expect((await generate(document)).get("openapi.ts")).toMatch(
      /requestBody: \{[^|]*iosUrl: string;\s*\} \| \{[^|]*androidUrl: string;/,
    );
  }
});

test("captionStyle and narrativeId stay open when the document lists values", async () => {
  const { createScreenshots, requestFields } = await load(
    changed(({ components: { schemas } }) => {
      schemas.Style = { type: "string", enum: ["aso-expert", "calm"], default: "calm" };
      schemas.CreateScreenshotsRequest.properties.captionStyle = { $ref: "#/components/schemas/Style" };
      schemas.CreateScreenshotsRequest.properties.narrativeId = { anyOf: [{ const: "journey" }] };
    }),
  );
  expect(issuesOf(createScreenshots.body, { ...set, captionStyle: "new", narrativeId: "new" })).toEqual([]);
  expect(issuesOf(createScreenshots.body, { ...set, captionStyle: 1 })).toHaveLength(1);
  expect(requestFields.createScreenshots?.captionStyle?.default).toBe("calm");
});

test("the documented fields of answers are required, whether or not the document lists them", async () => {
  const unlisted = changed(({ components: { schemas } }) => {
    for (const schema of [schemas.App, schemas.AcceptedJob, schemas.Credits, schemas.Job]) {
      delete schema.required;
    }
    delete schemas.Job.properties.result.required;
  });
  for (const document of [exampleDocument(), unlisted]) {
    const { createApp, createScreenshots, getJob } = await load(document);
    const missing = (of: typeof createApp.answer, value: unknown) =>
      issuesOf(of, value).map(({ path }) => path);
    expect(missing(createApp.answer, {})).toEqual(["appId", "artworkUrl", "category", "name"]);
    expect(missing(createScreenshots.answer, { credits: {} })).toEqual([
      "credits.cost",
      "credits.remaining",
      "jobId",
    ]);
    expect(missing(getJob.answer, { result: {} })).toEqual([
      "error",
      "id",
      "result.device",
      "result.slides",
      "status",
    ]);
  }
});
