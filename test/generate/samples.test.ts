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

const text = (rules: object) => ({ type: "string", ...rules });
const object = (properties: Document, required: string[] = []) => ({ type: "object", properties, required });

test("an answer's sample has the fields that are required, however deep, and no other", async () => {
  const { answers } = await load(
    changed(({ components: { schemas } }) => {
      schemas.Owner = object({ name: text({}), nickname: text({}) }, ["name"]);
      const owner = { $ref: "#/components/schemas/Owner" };
      Object.assign(schemas.App.properties, { owner, other: owner, anything: {} });
      schemas.App.required.push("owner", "anything");
    }),
  );
  const named = { appId: "appId 1", artworkUrl: expect.any(String), category: "category 1", name: "name 1" };
  expect(answers.createApp).toEqual({ ...named, owner: { name: "name 1" }, anything: null });
});

/** Schemas of a slide's fields, with what a sample of them is. */
const fields: Record<string, [schema: Document, sample: unknown]> = {
  values: [text({ enum: ["split", "full"] }), "split"],
  valuesWithNull: [{ type: ["string", "null"], enum: [null, "full"] }, "full"],
  constant: [{ const: 7 }, 7],
  least: [text({ minLength: 16 }), "least 1........."],
  longest: [text({ maxLength: 3 }), "lon"],
  plain: [text({ pattern: "^p" }), "plain 1"],
  withExample: [text({ pattern: "^t-\\d$", example: "t-1" }), "t-1"],
  withExamples: [text({ pattern: "^t-\\d$", examples: ["t-1", "t-2"] }), "t-1"],
  withDefault: [text({ pattern: "^t-\\d$", default: "t-1" }), "t-1"],
  date: [text({ format: "date" }), "2026-01-01"],
  time: [text({ format: "date-time" }), "2026-01-01T00:00:00Z"],
  address: [text({ format: "uri" }), "https://example.com/1"],
  mail: [text({ format: "email" }), "person-1@example.com"],
  id: [text({ format: "uuid" }), "00000000-0000-4000-8000-000000000001"],
  unknown: [text({ format: "constructor" }), "unknown 1"],
  minimum: [{ type: "integer", minimum: 3 }, 3],
  maximum: [{ type: "integer", maximum: -3 }, -3],
  above: [{ type: "number", exclusiveMinimum: 0 }, 1],
  below: [{ type: "integer", exclusiveMaximum: 0 }, -1],
  items: [{ type: "array", items: { type: "integer" }, minItems: 2, uniqueItems: true }, [0, 1]],
  tuple: [{ type: "array", prefixItems: [text({}), { type: "boolean" }], minItems: 2 }, ["tuple 1", false]],
  untyped: [{ minimum: 4 }, 4],
  nullable: [{ type: ["string", "null"] }, "nullable 1"],
  composed: [
    { allOf: [object({ url: text({}) }), object({ width: { type: "number" } })] },
    { url: "url 1", width: 0 },
  ],
  alternative: [{ anyOf: [{ type: "null" }, { type: "number" }] }, 0],
  component: [{ $ref: "#/components/schemas/Device" }, "iphone-69"],
  anything: [{}, null],
};

test("slides have every field that the document describes, keep to what it says of each, and differ", async () => {
  const names = Object.keys(fields);
  const properties = Object.fromEntries(names.map((name) => [name, fields[name]?.[0]]));
  const { slides, issues } = await slidesOf(withSlides(object({ ...properties, optional: text({}) }, names)));
  const samples = Object.fromEntries(names.map((name) => [name, fields[name]?.[1]]));
  expect(slides[0]).toEqual({ ...samples, optional: "optional 1" });
  expect(slides[1]).toMatchObject({ optional: "optional 2", mail: "person-2@example.com", alternative: 1 });
  expect(slides).toHaveLength(10);
  expect(issues).toEqual([]);
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

test("there are no samples of slides while the document describes no field of them", async () => {
  const result = object({ slides: { type: "array", items: object({}) } });
  const { slides } = await load(
    changed(({ components }) => (components.schemas.Job.properties.result = result)),
  );
  expect(slides).toEqual([]);
});

test("comes to an end with slides that contain slides", async () => {
  const next = { $ref: "#/components/schemas/Slide" };
  const { slides } = await slidesOf(withSlides(object({ title: text({}), next }, ["title"])));
  expect(slides[0]).toEqual({ title: "title 1" });
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
