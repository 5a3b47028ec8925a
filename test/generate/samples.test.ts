import { expect, test } from "vitest";
import { changed, type Document, issuesOf, load } from "../helpers/generated-module.js";

/** The service's document, describing slides. A request takes one too, as only requests are checked for every rule. */
function withSlides(slide: Document, more: (document: Document) => void = () => {}): Document {
  return changed((document) => {
    const { components, paths } = document;
    components.schemas.Slide = slide;
    const schema = { $ref: "#/components/schemas/Slide" };
    components.schemas.Job.properties.result.properties.slides.items = schema;
    const body = paths["/public/v1/apps"].post.requestBody.content["application/json"];
    body.schema = { allOf: [body.schema, { properties: { slide: schema } }] };
    more(document);
  });
}

async function slidesOf(document: Document) {
  const { slides, createApp } = await load(document);
  const listing = { iosUrl: "https://apps.apple.com/us/app/example/id1" };
  return { slides, issues: slides.flatMap((slide) => issuesOf(createApp.body, { ...listing, slide })) };
}

const object = (properties: Document, required: string[] = []) => ({ type: "object", properties, required });

test("an answer's sample has the fields that are required, however deep, and no other", async () => {
  const { answers } = await load(
    changed(({ components: { schemas } }) => {
      schemas.Owner = object({ name: { type: "string" }, nickname: { type: "string" } }, ["name"]);
      const owner = { $ref: "#/components/schemas/Owner" };
      Object.assign(schemas.App.properties, {
        owner,
        other: owner,
        anything: {},
        rating: { type: "number" },
      });
      schemas.App.required.push("owner", "anything", "undescribed");
    }),
  );
  const sample = answers.createApp as object;
  expect(sample).toMatchObject({ owner: { name: "name 1" }, anything: null, undescribed: null });
  expect(Object.keys(sample)).toEqual([
    ...["anything", "appId", "artworkUrl", "category", "name", "owner", "undescribed"],
  ]);
});

test("the sample of a job has a result and an error though only some of its states have them", async () => {
  const { answers } = await load(
    changed(({ components: { schemas } }) => {
      const { id, result } = schemas.Job.properties;
      const state = (status: string, more: Document) =>
        object({ id, status: { const: status }, ...more }, ["id", "status", ...Object.keys(more)]);
      const error = object({ message: { type: "string" } }, ["message"]);
      schemas.App.properties.error = error;
      schemas.Job = {
        oneOf: [state("queued", {}), state("succeeded", { result }), state("failed", { error })],
      };
    }),
  );
  expect(answers.getJob).toMatchObject({ result: { slides: [] }, error: { message: "message 1" } });
  expect(answers.createApp).not.toHaveProperty("error");
});

test("slides have every field that a document describes, and differ", async () => {
  const text = { type: "string" };
  const properties = {
    index: { type: "integer" },
    headline: text,
    subline: { type: ["string", "null"] },
    layout: object({ isBleed: { type: "boolean" }, colors: { type: "array", items: text } }),
    image: { allOf: [object({ url: text }), object({ width: { type: "number" } })] },
    weight: { anyOf: [{ type: "null" }, { type: "number" }] },
    device: { $ref: "#/components/schemas/Device" },
    anything: {},
  };
  const { slides, issues } = await slidesOf(withSlides(object(properties, ["anything"])));
  expect(slides).toHaveLength(10);
  expect(slides[1]).toEqual({
    index: 1,
    headline: "headline 2",
    subline: "subline 2",
    layout: { isBleed: false, colors: [] },
    image: { url: "url 2", width: 1 },
    weight: 1,
    device: "iphone-69",
    anything: null,
  });
  expect(issues).toEqual([]);
});

const text = (rules: object) => ({ type: "string", ...rules });

/** Schemas of a slide's fields, with what a sample of them is. */
const fields: Record<string, [schema: Document, sample: unknown]> = {
  values: [text({ enum: ["split", "full"] }), "split"],
  valuesWithNull: [{ type: ["string", "null"], enum: [null, "full"] }, "full"],
  constant: [{ const: 7 }, 7],
  leastLength: [text({ minLength: 16 }), "leastLength 1..."],
  greatestLength: [text({ maxLength: 3 }), "gre"],
  plain: [text({ pattern: "^p" }), "plain 1"],
  withExample: [text({ pattern: "^t-\\d$", example: "t-1" }), "t-1"],
  withExamples: [text({ pattern: "^t-\\d$", examples: ["t", "t-1"] }), "t-1"],
  withDefault: [text({ pattern: "^t-\\d$", default: "t-1" }), "t-1"],
  inUnicode: [text({ pattern: "^\\p{Lu}{3}$", example: "ABC" }), "ABC"],
  date: [text({ format: "date" }), "2026-01-01"],
  time: [text({ format: "date-time" }), "2026-01-01T00:00:00Z"],
  address: [text({ format: "uri" }), "https://example.com/1"],
  mail: [text({ format: "email" }), "person-1@example.com"],
  id: [text({ format: "uuid" }), "00000000-0000-4000-8000-000000000001"],
  unknown: [text({ format: "constructor" }), "unknown 1"],
  least: [{ type: "integer", minimum: 3 }, 3],
  greatest: [{ type: "integer", maximum: -3 }, -3],
  above: [{ type: "number", exclusiveMinimum: 2, maximum: 2.5 }, 2.25],
  below: [{ type: "integer", minimum: -9, exclusiveMaximum: -3 }, -9],
  multiple: [{ type: "integer", multipleOf: 5, minimum: 7 }, 10],
  multipleAbove: [{ type: "number", multipleOf: 0.5, exclusiveMinimum: 1 }, 1.5],
  items: [{ type: "array", items: { type: "integer" }, minItems: 2, uniqueItems: true }, [0, 1]],
  firstItems: [
    { type: "array", prefixItems: [text({}), { type: "boolean" }], minItems: 2 },
    ["firstItems 1", false],
  ],
  untyped: [{ minimum: 4 }, 4],
};

test("a slide keeps to what the document says of each field", async () => {
  const names = Object.keys(fields);
  const properties = Object.fromEntries(names.map((name) => [name, fields[name]?.[0]]));
  const { slides, issues } = await slidesOf(withSlides(object(properties, names)));
  expect(slides[0]).toEqual(Object.fromEntries(names.map((name) => [name, fields[name]?.[1]])));
  expect(issues).toEqual([]);
});

test("where no text is found for a pattern, the document's example stands for it, or a plain text", async () => {
  const impossible = { type: "string", pattern: "^(?!)" };
  const { slides } = await slidesOf(
    withSlides(object({ given: { ...impossible, example: "t-1" }, open: impossible })),
  );
  expect(slides[0]).toEqual({ given: "t-1", open: "open 1" });
});

test("there are as many slides as a set can have", async () => {
  const slidesFor = async (maximum: number) => {
    const withMaximum = ({ components: { schemas } }: Document) => {
      schemas.CreateScreenshotsRequest.properties.count.maximum = maximum;
    };
    return (await slidesOf(withSlides(object({ headline: text({}) }), withMaximum))).slides.length;
  };
  expect([await slidesFor(12), await slidesFor(1_000_000)]).toEqual([12, 20]);
});

test.each([
  ["no slides", { type: "object", properties: { device: { type: "string" } } }],
  ["slides of anything", object({ slides: { type: "array" } })],
  ["slides without fields", object({ slides: { type: "array", items: object({}) } })],
])("there are no samples of slides where the document has %s", async (_, result) => {
  const { slides } = await load(
    changed(({ components }) => (components.schemas.Job.properties.result = result)),
  );
  expect(slides).toEqual([]);
});

test("comes to an end with slides that contain slides", async () => {
  const next = { $ref: "#/components/schemas/Slide" };
  const { slides, issues } = await slidesOf(withSlides(object({ title: text({}), next }, ["title"])));
  expect(slides[0]).toEqual({ title: "title 1" });
  expect(issues).toEqual([]);
});

test("samples stay small, whatever a document asks for", async () => {
  const names = Array.from({ length: 12 }, (_, index) => `field${index}`);
  const fields = (field: Document) => Object.fromEntries(names.map((name) => [name, field]));
  const level = (depth: number) =>
    object(fields(depth === 8 ? text({}) : { $ref: `#/components/schemas/Level${depth + 1}` }));
  const wide = withSlides(level(0), ({ components: { schemas } }) => {
    for (let depth = 1; depth <= 8; depth++) schemas[`Level${depth}`] = level(depth);
  });
  const huge = withSlides(
    object({
      text: text({ minLength: 1e8 }),
      list: { type: "array", items: text({}), minItems: 1e6 },
    }),
  );
  const manifold = changed(({ components: { schemas } }) => {
    Object.assign(schemas.App.properties, fields({ anyOf: [text({}), { type: "integer" }] }));
    schemas.App.required.push(...names);
  });
  for (const document of [wide, huge, manifold]) {
    const { slides, answers } = await load(document);
    expect(JSON.stringify([slides, answers]).length).toBeLessThan(500_000);
  }
}, 30_000);

test.each([
  [{}, undefined],
  [{ minLength: 1, maxLength: 40 }, undefined],
  [{ minLength: 26, maxLength: 26 }, `app_${"7".padStart(22, "0")}`],
  [{ maxLength: 5 }, "7"],
  [{ pattern: "^set-[0-9]+$" }, "set-7"],
  [{ pattern: "^v0[0-9]{4}$" }, "v00007"],
  [{ pattern: "^[0-9a-f]{24}$" }, "7".padStart(24, "0")],
  [{ allOf: [{ pattern: "^app_[a-z0-9]{24}$" }, { minLength: 2 }] }, `app_${"7".padStart(24, "0")}`],
  [
    { pattern: "^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$", format: "uuid" },
    "00000000-0000-7000-8000-000000000007",
  ],
  [{ pattern: "^[A-Z]{4}$" }, undefined],
  // Takes years on a text of 64 digits.
  [{ pattern: "^(?:[a-z\\d]+[-_]?)+\\.app$" }, undefined],
])("where ids of apps are %j, one of the mock is %s", async (schema, id) => {
  const { appIdForm, createScreenshots } = await load(
    changed(({ components: { schemas } }) => {
      schemas.CreateScreenshotsRequest.properties.appId = { type: "string", ...schema };
    }),
  );
  const appId = appIdForm && appIdForm.head + "7".padStart(appIdForm.digits, "0");
  expect(appId).toBe(id);
  expect(appId ? issuesOf(createScreenshots.body, { appId, device: "ipad-pro", count: 1 }) : []).toEqual([]);
});
